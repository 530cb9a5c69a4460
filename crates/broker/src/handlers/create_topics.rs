//! CreateTopics: makes topics; answered when their partitions take records.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::{ControllerReply, ControllerRequest};
use highwater_wire::messages::create_topics_response::CreatableTopicResult;
use highwater_wire::messages::{CreateTopicsRequest, CreateTopicsResponse};
use highwater_wire::{ErrorCode, Str};

use super::{Answer, Api, Call, controller_call};
use crate::Broker;

pub struct CreateTopics;

impl Api for CreateTopics {
    type Request = CreateTopicsRequest;
    const VERSIONS: RangeInclusive<i16> = 2..=7;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: CreateTopicsRequest,
    ) -> Answer<CreateTopicsResponse> {
        let copy = request.clone();
        let asked = broker.controller.request(ControllerRequest::CreateTopics(request));
        Answer::later(async move {
            match asked.await {
                ControllerReply::CreateTopics(response) => response,
                ControllerReply::Refused(code, message) => refuse(&copy, code, message),
                other => controller_call::mismatched(&other),
            }
        })
    }
}

/// Nothing was done: every item says why.
fn refuse(
    request: &CreateTopicsRequest,
    code: ErrorCode,
    message: Option<Str>,
) -> CreateTopicsResponse {
    let topics = request.topics.iter().map(|topic| CreatableTopicResult {
        name: topic.name.clone(),
        error_code: code.0,
        error_message: message.clone(),
        ..CreatableTopicResult::default()
    });
    CreateTopicsResponse { topics: topics.collect(), ..CreateTopicsResponse::default() }
}
