//! ListOffsets: offsets by time, and the special timestamps.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_log::{LogError, TimedRecord};
use highwater_types::{LeaderEpoch, Offset, PartitionIndex, Timestamp};
use highwater_wire::ErrorCode;
use highwater_wire::messages::list_offsets_request::ListOffsetsPartition;
use highwater_wire::messages::list_offsets_response::{
    ListOffsetsPartitionResponse, ListOffsetsTopicResponse,
};
use highwater_wire::messages::{ListOffsetsRequest, ListOffsetsResponse};

use super::{Answer, Api, Call, TopicRef, epoch_refusal};
use crate::partition::Partition;
use crate::{Broker, codes};

pub struct ListOffsets;

const LATEST: i64 = -1;
const EARLIEST: i64 = -2;
const MAX_TIMESTAMP: i64 = -3;
const EARLIEST_LOCAL: i64 = -4;
const LATEST_TIERED: i64 = -5;
const EARLIEST_PENDING_UPLOAD: i64 = -6;

impl Api for ListOffsets {
    type Request = ListOffsetsRequest;
    const VERSIONS: RangeInclusive<i16> = 1..=11;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: ListOffsetsRequest,
    ) -> Answer<ListOffsetsResponse> {
        // A lookup by time reads and may decompress batches: not on a network thread.
        let broker = broker.clone();
        let simple = request
            .topics
            .iter()
            .flat_map(|topic| &topic.partitions)
            .all(|partition| partition.timestamp < 0 && partition.timestamp != MAX_TIMESTAMP);
        if simple {
            return Answer::Now(answer(&broker, call.version, &request));
        }
        Answer::later(async move {
            let looked_up =
                tokio::task::spawn_blocking(move || answer(&broker, call.version, &request)).await;
            looked_up.unwrap_or_default()
        })
    }
}

fn answer(broker: &Broker, version: i16, request: &ListOffsetsRequest) -> ListOffsetsResponse {
    let mut seen = BTreeSet::new();
    let mut twice = BTreeSet::new();
    for topic in &request.topics {
        for partition in &topic.partitions {
            if !seen.insert((&topic.name, partition.partition_index)) {
                twice.insert((&topic.name, partition.partition_index));
            }
        }
    }
    let topics = request.topics.iter().map(|topic| {
        let partitions = topic.partitions.iter().map(|asked| {
            let found = if twice.contains(&(&topic.name, asked.partition_index)) {
                Err(ErrorCode::INVALID_REQUEST)
            } else if asked.timestamp < lowest_timestamp(version) {
                Err(ErrorCode::UNSUPPORTED_VERSION)
            } else {
                broker
                    .partition_for(
                        &TopicRef::Name(topic.name.clone()),
                        PartitionIndex(asked.partition_index),
                    )
                    .and_then(|partition| look_up(&partition, request, asked))
            };
            respond(version, asked.partition_index, found)
        });
        ListOffsetsTopicResponse {
            name: topic.name.clone(),
            partitions: partitions.collect(),
            ..ListOffsetsTopicResponse::default()
        }
    });
    ListOffsetsResponse { topics: topics.collect(), ..ListOffsetsResponse::default() }
}

/// Answers before this version have no leader epoch.
const EPOCH_SINCE: i16 = 4;

/// Timestamp, offset and leader epoch of what was found; `None` for nothing.
type Found = Option<(Timestamp, Offset, LeaderEpoch)>;

fn respond(
    version: i16,
    index: i32,
    found: Result<Found, ErrorCode>,
) -> ListOffsetsPartitionResponse {
    let mut response = ListOffsetsPartitionResponse {
        partition_index: index,
        timestamp: -1,
        offset: -1,
        leader_epoch: -1,
        ..ListOffsetsPartitionResponse::default()
    };
    match found {
        Ok(Some((timestamp, offset, epoch))) => {
            response.timestamp = timestamp.get();
            response.offset = offset.get();
            if version >= EPOCH_SINCE {
                response.leader_epoch = epoch.get();
            }
        }
        Ok(None) => {}
        Err(code) => response.error_code = code.0,
    }
    response
}

/// Below it no special timestamp is known in this version.
fn lowest_timestamp(version: i16) -> i64 {
    match version {
        ..=6 => EARLIEST,
        7 => MAX_TIMESTAMP,
        8 => EARLIEST_LOCAL,
        9..=10 => LATEST_TIERED,
        _ => EARLIEST_PENDING_UPLOAD,
    }
}

fn look_up(
    partition: &Partition,
    request: &ListOffsetsRequest,
    asked: &ListOffsetsPartition,
) -> Result<Found, ErrorCode> {
    let known =
        (asked.current_leader_epoch >= 0).then_some(LeaderEpoch(asked.current_leader_epoch));
    let epoch = partition.check_epoch(known).map_err(|refusal| epoch_refusal(&refusal))?;
    let read_committed = request.isolation_level == 1;
    let limit = if read_committed {
        partition.last_stable_offset()
    } else {
        partition.positions().high_watermark
    };
    let reader = partition.reader();
    let by_time = |found: Result<Option<TimedRecord>, LogError>| {
        let found = found.map_err(|error| codes::of_log_error(&error))?;
        // What is above the watermark is not there yet.
        let found = found.filter(|found| found.offset < limit);
        Ok(found.map(|found| (found.timestamp, found.offset, found.epoch)))
    };
    match asked.timestamp {
        LATEST => Ok(Some((Timestamp::NONE, limit, epoch))),
        EARLIEST | EARLIEST_LOCAL => {
            let start = partition.positions().log_start;
            let epoch = reader.epoch_of(start).unwrap_or(epoch);
            Ok(Some((Timestamp::NONE, start, epoch)))
        }
        MAX_TIMESTAMP => by_time(reader.offset_of_max_timestamp()),
        // Nothing is tiered, and nothing waits to be.
        LATEST_TIERED | EARLIEST_PENDING_UPLOAD => Ok(None),
        time => by_time(reader.offset_for_time(Timestamp(time))),
    }
}
