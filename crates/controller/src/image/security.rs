//! Access-control entries and delegation tokens, kept as they came. Changed by replay alone;
//! interprets nothing.

use highwater_types::Uuid;
use highwater_wire::Str;
use highwater_wire::messages::{AccessControlEntryRecord, DelegationTokenRecord};
use highwater_wire::metadata_frame::MetadataRecord;
use rpds::RedBlackTreeMapSync;

use super::detached;

/// Entries by id, tokens by token id.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SecurityImage {
    acls: RedBlackTreeMapSync<Uuid, AccessControlEntryRecord>,
    tokens: RedBlackTreeMapSync<Str, DelegationTokenRecord>,
}

impl SecurityImage {
    pub fn acls(&self) -> impl Iterator<Item = &AccessControlEntryRecord> {
        self.acls.values()
    }

    pub fn tokens(&self) -> impl Iterator<Item = &DelegationTokenRecord> {
        self.tokens.values()
    }

    pub(super) fn replay_acl(&mut self, record: &AccessControlEntryRecord) {
        self.acls.insert_mut(record.id, record.clone());
    }

    pub(super) fn replay_acl_removed(&mut self, id: Uuid) {
        self.acls.remove_mut(&id);
    }

    pub(super) fn replay_token(&mut self, record: &DelegationTokenRecord) {
        self.tokens.insert_mut(detached(&record.token_id), record.clone());
    }

    pub(super) fn replay_token_removed(&mut self, id: &Str) {
        self.tokens.remove_mut(id);
    }

    pub(super) fn to_records(&self, records: &mut Vec<MetadataRecord>) {
        records.extend(self.acls().cloned().map(MetadataRecord::AccessControlEntry));
        records.extend(self.tokens().cloned().map(MetadataRecord::DelegationToken));
    }
}
