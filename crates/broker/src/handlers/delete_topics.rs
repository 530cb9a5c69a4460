//! DeleteTopics: deletes topics by name or id; answered when every coordinator has forgotten them.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::{ControllerReply, ControllerRequest};
use highwater_types::Uuid;
use highwater_wire::messages::delete_topics_response::DeletableTopicResult;
use highwater_wire::messages::{DeleteTopicsRequest, DeleteTopicsResponse};
use highwater_wire::{ErrorCode, Str};

use super::{Answer, Api, Call, controller_call};
use crate::Broker;

pub struct DeleteTopics;

impl Api for DeleteTopics {
    type Request = DeleteTopicsRequest;
    const VERSIONS: RangeInclusive<i16> = 1..=6;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: DeleteTopicsRequest,
    ) -> Answer<DeleteTopicsResponse> {
        let copy = request.clone();
        let asked = broker
            .controller
            .request(ControllerRequest::DeleteTopics { request, version: call.version });
        Answer::later(async move {
            match asked.await {
                ControllerReply::DeleteTopics(response) => response,
                ControllerReply::Refused(code, message) => refuse(&copy, code, message),
                other => controller_call::mismatched(&other),
            }
        })
    }
}

/// Nothing was done: every item says why.
fn refuse(
    request: &DeleteTopicsRequest,
    code: ErrorCode,
    message: Option<Str>,
) -> DeleteTopicsResponse {
    let by_name = request.topic_names.iter().map(|name| (Some(name.clone()), Uuid::ZERO));
    let listed = request.topics.iter().map(|topic| (topic.name.clone(), topic.topic_id));
    let responses = by_name.chain(listed).map(|(name, topic_id)| DeletableTopicResult {
        name,
        topic_id,
        error_code: code.0,
        error_message: message.clone(),
        ..DeletableTopicResult::default()
    });
    DeleteTopicsResponse { responses: responses.collect(), ..DeleteTopicsResponse::default() }
}
