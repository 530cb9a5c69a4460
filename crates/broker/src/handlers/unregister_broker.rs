//! UnregisterBroker: forgets a broker that is gone.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::{ControllerReply, ControllerRequest};
use highwater_wire::messages::{UnregisterBrokerRequest, UnregisterBrokerResponse};
use highwater_wire::{ErrorCode, Str};

use super::{Answer, Api, Call, controller_call};
use crate::Broker;

pub struct UnregisterBroker;

impl Api for UnregisterBroker {
    type Request = UnregisterBrokerRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=0;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: UnregisterBrokerRequest,
    ) -> Answer<UnregisterBrokerResponse> {
        let copy = request.clone();
        let asked = broker.controller.request(ControllerRequest::UnregisterBroker(request));
        Answer::later(async move {
            match asked.await {
                ControllerReply::UnregisterBroker(response) => response,
                ControllerReply::Refused(code, message) => refuse(&copy, code, message),
                other => controller_call::mismatched(&other),
            }
        })
    }
}

/// Nothing was done: every item says why.
fn refuse(
    _: &UnregisterBrokerRequest,
    code: ErrorCode,
    message: Option<Str>,
) -> UnregisterBrokerResponse {
    UnregisterBrokerResponse {
        error_code: code.0,
        error_message: message,
        ..UnregisterBrokerResponse::default()
    }
}
