//! CreatePartitions: adds partitions to topics.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::{ControllerReply, ControllerRequest};
use highwater_wire::messages::create_partitions_response::CreatePartitionsTopicResult;
use highwater_wire::messages::{CreatePartitionsRequest, CreatePartitionsResponse};
use highwater_wire::{ErrorCode, Str};

use super::{Answer, Api, Call, controller_call};
use crate::Broker;

pub struct CreatePartitions;

impl Api for CreatePartitions {
    type Request = CreatePartitionsRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=3;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: CreatePartitionsRequest,
    ) -> Answer<CreatePartitionsResponse> {
        let copy = request.clone();
        let asked = broker.controller.request(ControllerRequest::CreatePartitions(request));
        Answer::later(async move {
            match asked.await {
                ControllerReply::CreatePartitions(response) => response,
                ControllerReply::Refused(code, message) => refuse(&copy, code, message),
                other => controller_call::mismatched(&other),
            }
        })
    }
}

/// Nothing was done: every item says why.
fn refuse(
    request: &CreatePartitionsRequest,
    code: ErrorCode,
    message: Option<Str>,
) -> CreatePartitionsResponse {
    let results = request.topics.iter().map(|topic| CreatePartitionsTopicResult {
        name: topic.name.clone(),
        error_code: code.0,
        error_message: message.clone(),
        ..CreatePartitionsTopicResult::default()
    });
    CreatePartitionsResponse { results: results.collect(), ..CreatePartitionsResponse::default() }
}
