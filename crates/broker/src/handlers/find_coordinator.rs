//! FindCoordinator: which broker coordinates a group. Makes the offsets topic when it is first
//! needed.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_types::PartitionIndex;
use highwater_wire::messages::find_coordinator_response::Coordinator;
use highwater_wire::messages::{FindCoordinatorRequest, FindCoordinatorResponse};
use highwater_wire::{ErrorCode, Str};

use super::{Answer, Api, Call};
use crate::hosting::OFFSETS_TOPIC;
use crate::{Broker, auto_create};

pub struct FindCoordinator;

const KEY_GROUP: i8 = 0;
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
        let find = |key: &Str| coordinator(broker, request.key_type, key);
        return FindCoordinatorResponse {
            coordinators: request.coordinator_keys.iter().map(find).collect(),
            ..FindCoordinatorResponse::default()
        };
    }
    let found = coordinator(broker, request.key_type, &request.key);
    FindCoordinatorResponse {
        error_code: found.error_code,
        error_message: found.error_message,
        node_id: found.node_id,
        host: found.host,
        port: found.port,
        ..FindCoordinatorResponse::default()
    }
}

fn coordinator(broker: &Broker, key_type: i8, key: &Str) -> Coordinator {
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
        1 => {
            return none(
                ErrorCode::TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
                "transactions are not served by this broker",
            );
        }
        2 => return none(ErrorCode::COORDINATOR_NOT_AVAILABLE, "share groups are not served"),
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
