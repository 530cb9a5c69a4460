//! ElectLeaders: moves leadership to the preferred, or to any, replica.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::{ControllerReply, ControllerRequest};
use highwater_wire::messages::{ElectLeadersRequest, ElectLeadersResponse};
use highwater_wire::{ErrorCode, Str};

use super::{Answer, Api, Call, controller_call};
use crate::Broker;

pub struct ElectLeaders;

impl Api for ElectLeaders {
    type Request = ElectLeadersRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=2;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: ElectLeadersRequest,
    ) -> Answer<ElectLeadersResponse> {
        let copy = request.clone();
        let asked = broker.controller.request(ControllerRequest::ElectLeaders(request));
        Answer::later(async move {
            match asked.await {
                ControllerReply::ElectLeaders(response) => response,
                ControllerReply::Refused(code, message) => refuse(&copy, code, message),
                other => controller_call::mismatched(&other),
            }
        })
    }
}

/// Nothing was done: every item says why.
fn refuse(_: &ElectLeadersRequest, code: ErrorCode, _: Option<Str>) -> ElectLeadersResponse {
    ElectLeadersResponse { error_code: code.0, ..ElectLeadersResponse::default() }
}
