//! DescribeUserScramCredentials (50): which credentials exist, never what they are.

use std::collections::{BTreeMap, BTreeSet};

use highwater_wire::messages::describe_user_scram_credentials_request::DescribeUserScramCredentialsRequest;
use highwater_wire::messages::describe_user_scram_credentials_response::{
    CredentialInfo, DescribeUserScramCredentialsResponse, DescribeUserScramCredentialsResult,
};
use highwater_wire::{ErrorCode, Str};

use crate::error::{ApiError, Outcome, parts};
use crate::image::Image;

/// Credentials of the named users; of all if none is named.
pub fn describe_user_scram_credentials(
    image: &Image,
    request: &DescribeUserScramCredentialsRequest,
) -> DescribeUserScramCredentialsResponse {
    let mut held = BTreeMap::<&Str, Vec<CredentialInfo>>::new();
    for (user, mechanism, credential) in image.scram.iter() {
        held.entry(user).or_default().push(CredentialInfo {
            mechanism: mechanism.code(),
            iterations: credential.iterations,
            ..CredentialInfo::default()
        });
    }
    let named: Vec<&Str> = request.users.iter().flatten().map(|user| &user.name).collect();
    let mut once = BTreeSet::new();
    let twice: BTreeSet<&Str> = named.iter().filter(|user| !once.insert(**user)).copied().collect();
    let users = if named.is_empty() { held.keys().copied().collect() } else { once };
    let results = users.into_iter().map(|user| {
        let found: Outcome<Vec<CredentialInfo>> = if twice.contains(user) {
            let why = format!("User {user} is named more than once in this request.");
            Err(ApiError::new(ErrorCode::DUPLICATE_RESOURCE, why))
        } else {
            held.get(user).cloned().ok_or_else(|| {
                let why = format!("User {user} has no SCRAM credential.");
                ApiError::new(ErrorCode::RESOURCE_NOT_FOUND, why)
            })
        };
        let (error_code, error_message) = parts(&found);
        DescribeUserScramCredentialsResult {
            user: user.clone(),
            error_code,
            error_message,
            credential_infos: found.unwrap_or_default(),
            ..DescribeUserScramCredentialsResult::default()
        }
    });
    DescribeUserScramCredentialsResponse {
        results: results.collect(),
        ..DescribeUserScramCredentialsResponse::default()
    }
}
