//! UpdateFeatures: raises or lowers the levels of features.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::{ControllerReply, ControllerRequest};
use highwater_wire::messages::{UpdateFeaturesRequest, UpdateFeaturesResponse};
use highwater_wire::{ErrorCode, Str};

use super::{Answer, Api, Call, controller_call};
use crate::Broker;

pub struct UpdateFeatures;

impl Api for UpdateFeatures {
    type Request = UpdateFeaturesRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=2;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: UpdateFeaturesRequest,
    ) -> Answer<UpdateFeaturesResponse> {
        let copy = request.clone();
        let asked = broker
            .controller
            .request(ControllerRequest::UpdateFeatures { request, version: call.version });
        Answer::later(async move {
            match asked.await {
                ControllerReply::UpdateFeatures(response) => response,
                ControllerReply::Refused(code, message) => refuse(&copy, code, message),
                other => controller_call::mismatched(&other),
            }
        })
    }
}

/// Nothing was done: every item says why.
fn refuse(
    _: &UpdateFeaturesRequest,
    code: ErrorCode,
    message: Option<Str>,
) -> UpdateFeaturesResponse {
    UpdateFeaturesResponse {
        error_code: code.0,
        error_message: message,
        ..UpdateFeaturesResponse::default()
    }
}
