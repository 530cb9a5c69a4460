//! DeleteTopics (20): by name, by id.

use std::collections::{BTreeMap, BTreeSet};

use highwater_types::TopicId;
use highwater_wire::messages::RemoveTopicRecord;
use highwater_wire::messages::delete_topics_request::DeleteTopicsRequest;
use highwater_wire::messages::delete_topics_response::{
    DeletableTopicResult, DeleteTopicsResponse,
};
use highwater_wire::metadata_frame::MetadataRecord;
use highwater_wire::{ErrorCode, Str};

use super::{ControllerCx, Decided};
use crate::error::{ApiError, Outcome, parts};
use crate::image::Image;
use crate::settings;

/// A topic as the request names it: exactly one of the two, in a request that makes sense.
type Named = (Option<Str>, TopicId);

pub fn decide_delete_topics(
    image: &Image,
    request: &DeleteTopicsRequest,
    version: i16,
    cx: &ControllerCx<'_>,
) -> Decided<DeleteTopicsResponse> {
    let named: Vec<Named> = request
        .topics
        .iter()
        .map(|topic| (topic.name.clone(), TopicId(topic.topic_id)))
        .chain(request.topic_names.iter().map(|name| (Some(name.clone()), TopicId::ZERO)))
        .collect();
    let mut counts = BTreeMap::<&Named, usize>::new();
    named.iter().for_each(|topic| *counts.entry(topic).or_default() += 1);
    let disabled = check_deletion_enabled(version, cx).err();

    let mut records = Vec::new();
    let mut responses = Vec::new();
    let mut answered = BTreeSet::new();
    // Ids given outright are settled first: a name that leads to one of them is the odd one.
    let by_id = named.iter().filter(|(name, _)| name.is_none());
    let by_name = named.iter().filter(|(name, _)| name.is_some());
    for topic in by_id.chain(by_name) {
        let repeats = counts.get(topic).copied().unwrap_or(0);
        if repeats > 1 && !answered.insert(topic) && *topic != (None, TopicId::ZERO) {
            continue;
        }
        let found = match &disabled {
            Some(error) => Err(error.clone()),
            None => find(topic, repeats, image, &records),
        };
        let (error_code, error_message) = parts(&found);
        let (name, id) = match found {
            Ok((name, id)) => {
                records.push(id);
                (Some(name), id)
            }
            Err(_) => topic.clone(),
        };
        responses.push(DeletableTopicResult {
            name,
            topic_id: id.0,
            error_code,
            error_message,
            ..DeletableTopicResult::default()
        });
    }
    let removed = |id: &TopicId| {
        MetadataRecord::RemoveTopic(RemoveTopicRecord {
            topic_id: id.0,
            ..RemoveTopicRecord::default()
        })
    };
    Decided {
        records: records.iter().map(removed).collect(),
        reply: DeleteTopicsResponse { responses, ..DeleteTopicsResponse::default() },
    }
}

fn check_deletion_enabled(version: i16, cx: &ControllerCx<'_>) -> Outcome {
    let setting = settings::static_value(cx.view, "delete.topic.enable");
    if setting.and_then(|value| value.as_bool()).unwrap_or(true) {
        return Ok(());
    }
    let code = match version {
        ..3 => ErrorCode::INVALID_REQUEST,
        _ => ErrorCode::TOPIC_DELETION_DISABLED,
    };
    Err(ApiError::new(code, "Deleting topics is switched off (delete.topic.enable)."))
}

fn find(
    topic: &Named,
    repeats: usize,
    image: &Image,
    taken: &[TopicId],
) -> Outcome<(Str, TopicId)> {
    let bad_request = |why: &str| Err(ApiError::new(ErrorCode::INVALID_REQUEST, why));
    let found = match topic {
        (Some(_), id) if *id != TopicId::ZERO => {
            return bad_request("Name the topic either by name or by id, not by both.");
        }
        (None, TopicId::ZERO) => return bad_request("Neither a topic's name nor its id is given."),
        _ if repeats > 1 => {
            return bad_request("The topic is named more than once in this request.");
        }
        (Some(name), _) => image
            .topic(name)
            .ok_or_else(|| ApiError::general(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION))?,
        (None, id) => {
            image.topic_by_id(*id).ok_or_else(|| ApiError::general(ErrorCode::UNKNOWN_TOPIC_ID))?
        }
    };
    if taken.contains(&found.id) {
        return bad_request("The topic of this name is in the request by its id too.");
    }
    Ok((found.name.clone(), found.id))
}
