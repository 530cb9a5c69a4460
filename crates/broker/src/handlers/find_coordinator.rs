//! FindCoordinator: which broker coordinates a group. Makes the offsets topic when it is first
//! needed.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_types::{PartitionIndex, Uuid};
use highwater_wire::messages::find_coordinator_response::Coordinator;
use highwater_wire::messages::{FindCoordinatorRequest, FindCoordinatorResponse};
use highwater_wire::{ErrorCode, Str};

use super::{Answer, Api, Call};
use crate::hosting::OFFSETS_TOPIC;
use crate::{Broker, auto_create};

pub struct FindCoordinator;

const KEY_GROUP: i8 = 0;
const KEY_TRANSACTION: i8 = 1;
const KEY_SHARE: i8 = 2;
/// Version from which there are keys of share groups.
const SHARE_FROM: i16 = 6;
/// Version from which several keys are asked for at once.
const BATCHED_FROM: i16 = 4;

impl Api for FindCoordinator {
    type Request = FindCoordinatorRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=6;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: FindCoordinatorRequest,
    ) -> Answer<FindCoordinatorResponse> {
        let ready = broker.image.load().topic(OFFSETS_TOPIC).is_some();
        if ready || request.key_type != KEY_GROUP {
            return Answer::Now(answer(broker, call.version, &request));
        }
        let broker = broker.clone();
        Answer::later(async move {
            auto_create::offsets_topic(&broker).await;
            answer(&broker, call.version, &request)
        })
    }
}

fn answer(
    broker: &Broker,
    version: i16,
    request: &FindCoordinatorRequest,
) -> FindCoordinatorResponse {
    if version >= BATCHED_FROM {
        let find = |key: &Str| coordinator(broker, version, request.key_type, key);
        return FindCoordinatorResponse {
            coordinators: request.coordinator_keys.iter().map(find).collect(),
            ..FindCoordinatorResponse::default()
        };
    }
    let found = coordinator(broker, version, request.key_type, &request.key);
    FindCoordinatorResponse {
        error_code: found.error_code,
        error_message: found.error_message,
        node_id: found.node_id,
        host: found.host,
        port: found.port,
        ..FindCoordinatorResponse::default()
    }
}

fn coordinator(broker: &Broker, version: i16, key_type: i8, key: &Str) -> Coordinator {
    let none = |code: ErrorCode, message: &str| Coordinator {
        key: key.clone(),
        node_id: -1,
        host: Str::default(),
        port: -1,
        error_code: code.0,
        error_message: Some(message.into()),
        ..Coordinator::default()
    };
    match key_type {
        KEY_GROUP => {}
        // A code that is not retried: no waiting makes transactions served.
        KEY_TRANSACTION => {
            return none(
                ErrorCode::TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
                "transactions are not served by this broker",
            );
        }
        KEY_SHARE if version < SHARE_FROM || !is_share_key(key) => {
            return none(
                ErrorCode::INVALID_REQUEST,
                "a share group's key is group:topic id:partition, from version 6 on",
            );
        }
        KEY_SHARE => {
            return none(ErrorCode::COORDINATOR_NOT_AVAILABLE, "share groups are not served");
        }
        _ => return none(ErrorCode::INVALID_REQUEST, "the key type is neither 0, 1 nor 2"),
    }
    let image = broker.image.load();
    let leader = image.topic(OFFSETS_TOPIC).and_then(|topic| {
        let count = i32::try_from(topic.partitions.len()).ok()?;
        let partition =
            topic.partition(PartitionIndex(highwater_group::partition_of(key, count)))?;
        image.broker(partition.leader)
    });
    match leader {
        Some(leader) => {
            let (host, port) = broker.endpoint_of(leader);
            Coordinator {
                key: key.clone(),
                node_id: leader.id.get(),
                host,
                port,
                error_code: 0,
                error_message: Some(Str::default()),
                ..Coordinator::default()
            }
        }
        None => none(ErrorCode::COORDINATOR_NOT_AVAILABLE, "the coordinator is not available yet"),
    }
}

/// `group:topic id:partition`
fn is_share_key(key: &str) -> bool {
    let mut parts = key.rsplitn(3, ':');
    let partition = parts.next().and_then(|text| text.parse::<i32>().ok());
    let topic_id = parts.next().and_then(|text| text.parse::<Uuid>().ok());
    let group = parts.next().filter(|group| !group.is_empty());
    partition.is_some_and(|index| index >= 0) && topic_id.is_some() && group.is_some()
}

#[cfg(test)]
mod tests {
    use super::is_share_key;

    #[test]
    fn keys_of_share_groups() {
        for (key, expected) in [
            ("g:AAAAAAAAQACAAAAAAAAAAQ:0", true),
            ("a:b:AAAAAAAAQACAAAAAAAAAAQ:7", true),
            ("", false),
            ("g", false),
            ("g:AAAAAAAAQACAAAAAAAAAAQ", false),
            (":AAAAAAAAQACAAAAAAAAAAQ:0", false),
            ("g:topic:0", false),
            ("g:AAAAAAAAQACAAAAAAAAAAQ:-1", false),
            ("g:AAAAAAAAQACAAAAAAAAAAQ:x", false),
        ] {
            assert_eq!(is_share_key(key), expected, "{key}");
        }
    }
}
