//! OffsetForLeaderEpoch: where an epoch ends in our log, so that a reader finds where its own
//! parts from it.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_types::{LeaderEpoch, Offset, PartitionIndex};
use highwater_wire::ErrorCode;
use highwater_wire::messages::offset_for_leader_epoch_request::OffsetForLeaderPartition;
use highwater_wire::messages::offset_for_leader_epoch_response::{
    EpochEndOffset, OffsetForLeaderTopicResult,
};
use highwater_wire::messages::{OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse};

use super::{Answer, Api, Call, TopicRef, epoch_refusal};
use crate::Broker;

pub struct OffsetForLeaderEpoch;

impl Api for OffsetForLeaderEpoch {
    type Request = OffsetForLeaderEpochRequest;
    const VERSIONS: RangeInclusive<i16> = 2..=4;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: OffsetForLeaderEpochRequest,
    ) -> Answer<OffsetForLeaderEpochResponse> {
        let topics = request.topics.iter().map(|topic| {
            let named = TopicRef::Name(topic.topic.clone());
            let partitions = topic.partitions.iter().map(|asked| {
                let (error, found) = match look_up(broker, &named, asked) {
                    Ok(found) => (ErrorCode::NONE, found),
                    Err(code) => (code, None),
                };
                EpochEndOffset {
                    error_code: error.0,
                    partition: asked.partition,
                    leader_epoch: found.map_or(-1, |(epoch, _)| epoch.get()),
                    end_offset: found.map_or(-1, |(_, end)| end.get()),
                    ..EpochEndOffset::default()
                }
            });
            OffsetForLeaderTopicResult {
                topic: topic.topic.clone(),
                partitions: partitions.collect(),
                ..OffsetForLeaderTopicResult::default()
            }
        });
        Answer::Now(OffsetForLeaderEpochResponse {
            topics: topics.collect(),
            ..OffsetForLeaderEpochResponse::default()
        })
    }
}

fn look_up(
    broker: &Broker,
    topic: &TopicRef,
    asked: &OffsetForLeaderPartition,
) -> Result<Option<(LeaderEpoch, Offset)>, ErrorCode> {
    let partition = broker.partition_for(topic, PartitionIndex(asked.partition))?;
    let known =
        (asked.current_leader_epoch >= 0).then_some(LeaderEpoch(asked.current_leader_epoch));
    let ours = partition.check_epoch(known).map_err(|refusal| epoch_refusal(&refusal))?;
    let asked = LeaderEpoch(asked.leader_epoch);
    if asked == ours {
        return Ok(Some((ours, partition.reader().log_end())));
    }
    let found = partition.reader().end_offset_for_epoch(asked);
    Ok(found.map(|found| (found.epoch, found.end)))
}
