//! AlterUserScramCredentials (51): keeps keys made from a salted password, never the password.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use highwater_wire::messages::alter_user_scram_credentials_request::{
    AlterUserScramCredentialsRequest, ScramCredentialDeletion, ScramCredentialUpsertion,
};
use highwater_wire::messages::alter_user_scram_credentials_response::{
    AlterUserScramCredentialsResponse, AlterUserScramCredentialsResult,
};
use highwater_wire::messages::{RemoveUserScramCredentialRecord, UserScramCredentialRecord};
use highwater_wire::metadata_frame::MetadataRecord;
use highwater_wire::{ErrorCode, Str};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256, Sha512};

use super::Decided;
use crate::error::{ApiError, Outcome, parts};
use crate::image::{Image, ScramMechanism};
use crate::limits::{SCRAM_ITERATIONS_MAX, SCRAM_ITERATIONS_MIN};

pub fn decide_alter_user_scram_credentials(
    image: &Image,
    request: &AlterUserScramCredentialsRequest,
) -> Decided<AlterUserScramCredentialsResponse> {
    let mut outcomes = BTreeMap::<&Str, Outcome<MetadataRecord>>::new();
    let mut twice = BTreeSet::<(&Str, i8)>::new();
    let named = request.deletions.iter().map(|d| (&d.name, d.mechanism));
    let named = named.chain(request.upsertions.iter().map(|u| (&u.name, u.mechanism)));
    // One change a user and request: which of two would count?
    let mut users = BTreeSet::new();
    twice.extend(named.filter(|(user, _)| !users.insert(*user)));
    for deletion in &request.deletions {
        outcomes.entry(&deletion.name).or_insert_with(|| delete(image, deletion));
    }
    for upsertion in &request.upsertions {
        outcomes.entry(&upsertion.name).or_insert_with(|| upsert(upsertion));
    }
    for (user, _) in twice {
        if let Some(outcome @ Ok(_)) = outcomes.get_mut(user) {
            let why = "A user's credentials can be altered once in a request.";
            *outcome = Err(ApiError::new(ErrorCode::DUPLICATE_RESOURCE, why));
        }
    }
    let results = outcomes.iter().map(|(user, outcome)| {
        let (error_code, error_message) = parts(outcome);
        AlterUserScramCredentialsResult {
            user: (*user).clone(),
            error_code,
            error_message,
            ..AlterUserScramCredentialsResult::default()
        }
    });
    let reply = AlterUserScramCredentialsResponse {
        results: results.collect(),
        ..AlterUserScramCredentialsResponse::default()
    };
    Decided { records: outcomes.into_values().flatten().collect(), reply }
}

fn check_named(user: &str, mechanism: i8) -> Outcome<ScramMechanism> {
    if user.is_empty() {
        let why = "The user's name is empty.";
        return Err(ApiError::new(ErrorCode::UNACCEPTABLE_CREDENTIAL, why));
    }
    ScramMechanism::of(mechanism).ok_or_else(|| {
        let why = format!("There is no SCRAM mechanism {mechanism}; 1 is SHA-256, 2 is SHA-512.");
        ApiError::new(ErrorCode::UNSUPPORTED_SASL_MECHANISM, why)
    })
}

fn delete(image: &Image, deletion: &ScramCredentialDeletion) -> Outcome<MetadataRecord> {
    let mechanism = check_named(&deletion.name, deletion.mechanism)?;
    if image.scram.get(&deletion.name, mechanism).is_none() {
        let why = "The user has no credential for this mechanism.";
        return Err(ApiError::new(ErrorCode::RESOURCE_NOT_FOUND, why));
    }
    Ok(MetadataRecord::RemoveUserScramCredential(RemoveUserScramCredentialRecord {
        name: deletion.name.clone(),
        mechanism: deletion.mechanism,
        ..RemoveUserScramCredentialRecord::default()
    }))
}

fn upsert(upsertion: &ScramCredentialUpsertion) -> Outcome<MetadataRecord> {
    let mechanism = check_named(&upsertion.name, upsertion.mechanism)?;
    let why = match upsertion.iterations {
        ..SCRAM_ITERATIONS_MIN => format!("Too few iterations; at least {SCRAM_ITERATIONS_MIN}."),
        n if n > SCRAM_ITERATIONS_MAX => {
            format!("Too many iterations; at most {SCRAM_ITERATIONS_MAX}.")
        }
        _ => {
            let (stored_key, server_key) = keys(mechanism, &upsertion.salted_password);
            return Ok(MetadataRecord::UserScramCredential(UserScramCredentialRecord {
                name: upsertion.name.clone(),
                mechanism: upsertion.mechanism,
                salt: upsertion.salt.clone(),
                stored_key,
                server_key,
                iterations: upsertion.iterations,
                ..UserScramCredentialRecord::default()
            }));
        }
    };
    Err(ApiError::new(ErrorCode::UNACCEPTABLE_CREDENTIAL, why))
}

/// `StoredKey` and `ServerKey` of RFC 5802, section 3.
fn keys(mechanism: ScramMechanism, salted_password: &[u8]) -> (Bytes, Bytes) {
    match mechanism {
        ScramMechanism::Sha256 => {
            let client = mac::<Hmac<Sha256>>(salted_password, b"Client Key");
            let server = mac::<Hmac<Sha256>>(salted_password, b"Server Key");
            (Sha256::digest(&client).to_vec().into(), server.into())
        }
        ScramMechanism::Sha512 => {
            let client = mac::<Hmac<Sha512>>(salted_password, b"Client Key");
            let server = mac::<Hmac<Sha512>>(salted_password, b"Server Key");
            (Sha512::digest(&client).to_vec().into(), server.into())
        }
    }
}

fn mac<M: Mac + KeyInit>(key: &[u8], text: &[u8]) -> Vec<u8> {
    // HMAC takes keys of every length, so there is no error to tell.
    <M as KeyInit>::new_from_slice(key)
        .map(|mac| mac.chain_update(text).finalize().into_bytes().to_vec())
        .unwrap_or_default()
}
