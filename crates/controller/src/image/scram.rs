//! SCRAM credentials. Changed by replay alone. Never shows a secret: `Debug` hides the keys.

use std::fmt;

use bytes::Bytes;
use highwater_wire::Str;
use highwater_wire::messages::UserScramCredentialRecord;
use highwater_wire::metadata_frame::MetadataRecord;
use rpds::RedBlackTreeMapSync;

use super::detached;

/// Which hash a credential is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ScramMechanism {
    Sha256,
    Sha512,
}

impl ScramMechanism {
    /// The number on the wire.
    pub const fn code(self) -> i8 {
        match self {
            ScramMechanism::Sha256 => 1,
            ScramMechanism::Sha512 => 2,
        }
    }

    pub const fn of(code: i8) -> Option<ScramMechanism> {
        match code {
            1 => Some(ScramMechanism::Sha256),
            2 => Some(ScramMechanism::Sha512),
            _ => None,
        }
    }
}

/// What a server keeps of a password.
#[derive(Clone, PartialEq, Eq)]
pub struct ScramCredential {
    pub salt: Bytes,
    pub stored_key: Bytes,
    pub server_key: Bytes,
    pub iterations: i32,
}

impl fmt::Debug for ScramCredential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScramCredential")
            .field("iterations", &self.iterations)
            .finish_non_exhaustive()
    }
}

/// Credentials by user and mechanism.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ScramImage {
    credentials: RedBlackTreeMapSync<(Str, ScramMechanism), ScramCredential>,
}

impl ScramImage {
    pub fn get(&self, user: &str, mechanism: ScramMechanism) -> Option<&ScramCredential> {
        self.credentials.get(&(Str::from(user), mechanism))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Str, ScramMechanism, &ScramCredential)> {
        self.credentials.iter().map(|((user, mechanism), held)| (user, *mechanism, held))
    }

    pub(super) fn replay(&mut self, record: &UserScramCredentialRecord) {
        let Some(mechanism) = ScramMechanism::of(record.mechanism) else { return };
        let credential = ScramCredential {
            salt: Bytes::copy_from_slice(&record.salt),
            stored_key: Bytes::copy_from_slice(&record.stored_key),
            server_key: Bytes::copy_from_slice(&record.server_key),
            iterations: record.iterations,
        };
        self.credentials.insert_mut((detached(&record.name), mechanism), credential);
    }

    pub(super) fn replay_removed(&mut self, user: &Str, mechanism: i8) {
        if let Some(mechanism) = ScramMechanism::of(mechanism) {
            self.credentials.remove_mut(&(user.clone(), mechanism));
        }
    }

    pub(super) fn to_records(&self, records: &mut Vec<MetadataRecord>) {
        records.extend(self.iter().map(|(user, mechanism, held)| {
            MetadataRecord::UserScramCredential(UserScramCredentialRecord {
                name: user.clone(),
                mechanism: mechanism.code(),
                salt: held.salt.clone(),
                stored_key: held.stored_key.clone(),
                server_key: held.server_key.clone(),
                iterations: held.iterations,
                ..UserScramCredentialRecord::default()
            })
        }));
    }
}
