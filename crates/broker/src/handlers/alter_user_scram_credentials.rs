//! AlterUserScramCredentials: stores SCRAM credentials. They are described back, but no listener asks for them yet.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::{ControllerReply, ControllerRequest};
use highwater_wire::messages::alter_user_scram_credentials_response::AlterUserScramCredentialsResult;
use highwater_wire::messages::{
    AlterUserScramCredentialsRequest, AlterUserScramCredentialsResponse,
};
use highwater_wire::{ErrorCode, Str};

use super::{Answer, Api, Call, controller_call};
use crate::Broker;

pub struct AlterUserScramCredentials;

impl Api for AlterUserScramCredentials {
    type Request = AlterUserScramCredentialsRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=0;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: AlterUserScramCredentialsRequest,
    ) -> Answer<AlterUserScramCredentialsResponse> {
        let copy = request.clone();
        let asked =
            broker.controller.request(ControllerRequest::AlterUserScramCredentials(request));
        Answer::later(async move {
            match asked.await {
                ControllerReply::AlterUserScramCredentials(response) => response,
                ControllerReply::Refused(code, message) => refuse(&copy, code, message),
                other => controller_call::mismatched(&other),
            }
        })
    }
}

/// Nothing was done: every item says why.
fn refuse(
    request: &AlterUserScramCredentialsRequest,
    code: ErrorCode,
    message: Option<Str>,
) -> AlterUserScramCredentialsResponse {
    let deleted = request.deletions.iter().map(|entry| &entry.name);
    let upserted = request.upsertions.iter().map(|entry| &entry.name);
    let results = deleted.chain(upserted).map(|user| AlterUserScramCredentialsResult {
        user: user.clone(),
        error_code: code.0,
        error_message: message.clone(),
        ..AlterUserScramCredentialsResult::default()
    });
    AlterUserScramCredentialsResponse {
        results: results.collect(),
        ..AlterUserScramCredentialsResponse::default()
    }
}
