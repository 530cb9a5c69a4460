//! IncrementalAlterConfigs: changes single settings of resources.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::{ControllerReply, ControllerRequest};
use highwater_wire::messages::incremental_alter_configs_response::AlterConfigsResourceResponse;
use highwater_wire::messages::{IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse};
use highwater_wire::{ErrorCode, Str};

use super::{Answer, Api, Call, controller_call};
use crate::Broker;

pub struct IncrementalAlterConfigs;

impl Api for IncrementalAlterConfigs {
    type Request = IncrementalAlterConfigsRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=1;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: IncrementalAlterConfigsRequest,
    ) -> Answer<IncrementalAlterConfigsResponse> {
        let copy = request.clone();
        let asked = broker.controller.request(ControllerRequest::IncrementalAlterConfigs {
            request,
            receiver: broker.node.id,
        });
        let broker = broker.clone();
        Answer::later(async move {
            match asked.await {
                ControllerReply::IncrementalAlterConfigs(response) => {
                    broker.log_levels.take(&copy, &response);
                    response
                }
                ControllerReply::Refused(code, message) => refuse(&copy, code, message),
                other => controller_call::mismatched(&other),
            }
        })
    }
}

/// Nothing was done: every item says why.
fn refuse(
    request: &IncrementalAlterConfigsRequest,
    code: ErrorCode,
    message: Option<Str>,
) -> IncrementalAlterConfigsResponse {
    let responses = request.resources.iter().map(|resource| AlterConfigsResourceResponse {
        error_code: code.0,
        error_message: message.clone(),
        resource_type: resource.resource_type,
        resource_name: resource.resource_name.clone(),
        ..AlterConfigsResourceResponse::default()
    });
    IncrementalAlterConfigsResponse {
        responses: responses.collect(),
        ..IncrementalAlterConfigsResponse::default()
    }
}
