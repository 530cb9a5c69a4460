//! AlterConfigs: replaces the whole set of a resource's settings.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::{ControllerReply, ControllerRequest};
use highwater_wire::messages::alter_configs_response::AlterConfigsResourceResponse;
use highwater_wire::messages::{AlterConfigsRequest, AlterConfigsResponse};
use highwater_wire::{ErrorCode, Str};

use super::{Answer, Api, Call, controller_call};
use crate::Broker;

pub struct AlterConfigs;

impl Api for AlterConfigs {
    type Request = AlterConfigsRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=2;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: AlterConfigsRequest,
    ) -> Answer<AlterConfigsResponse> {
        let copy = request.clone();
        let asked = broker
            .controller
            .request(ControllerRequest::AlterConfigs { request, receiver: broker.node.id });
        Answer::later(async move {
            match asked.await {
                ControllerReply::AlterConfigs(response) => response,
                ControllerReply::Refused(code, message) => refuse(&copy, code, message),
                other => controller_call::mismatched(&other),
            }
        })
    }
}

/// Nothing was done: every item says why.
fn refuse(
    request: &AlterConfigsRequest,
    code: ErrorCode,
    message: Option<Str>,
) -> AlterConfigsResponse {
    let responses = request.resources.iter().map(|resource| AlterConfigsResourceResponse {
        error_code: code.0,
        error_message: message.clone(),
        resource_type: resource.resource_type,
        resource_name: resource.resource_name.clone(),
        ..AlterConfigsResourceResponse::default()
    });
    AlterConfigsResponse { responses: responses.collect(), ..AlterConfigsResponse::default() }
}
