//! OffsetCommit: by a member of a group, or by a client that only keeps its offsets here.

use highwater_shard::Token;
use highwater_types::{LeaderEpoch, Offset, Timestamp};
use highwater_wire::messages::offset_commit_request::{
    OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use highwater_wire::messages::offset_commit_response::{
    OffsetCommitResponsePartition, OffsetCommitResponseTopic,
};
use highwater_wire::messages::{OffsetCommitRequest, OffsetCommitResponse};
use highwater_wire::{ErrorCode, Str};

use super::CommittedOffset;
use crate::classic::{ClassicGroup, GroupState};
use crate::limits::{RECORD_OVERHEAD_BYTES, fits};
use crate::record::Record;
use crate::turn::Turn;
use crate::view::TopicView;
use crate::{Call, GroupCoordinator, Reply};

/// From this version on topics are named by id.
const TOPIC_ID_FROM: i16 = 10;
/// From this version on GROUP_ID_NOT_FOUND may be answered.
const NOT_FOUND_FROM: i16 = 9;

/// What one request says of all its offsets.
struct Commit {
    group_id: Str,
    now: Timestamp,
    expires_at: Option<Timestamp>,
    metadata_max: usize,
    /// Why the group takes none of them.
    refused: Option<ErrorCode>,
    /// Of the records so far; they are written at once, so they must fit one batch.
    bytes: usize,
}

impl GroupCoordinator {
    /// Each partition gets its own code: unknown topics and partitions first, then what the group
    /// says, then what is wrong with the offset itself.
    pub(crate) fn decide_offset_commit(
        &self,
        token: Token,
        call: Call<OffsetCommitRequest>,
        turn: &mut Turn<'_>,
    ) {
        let Call { version, body, .. } = call;
        let group = self.group(&body.group_id);
        let refused = check_commit(group.as_deref(), version, &body).err();
        if let (None, Some(group)) = (refused, group.as_deref())
            && matches!(group.state, GroupState::Stable | GroupState::PreparingRebalance)
        {
            group.renew_session(&body.member_id, turn);
        }
        let mut commit = Commit {
            group_id: body.group_id,
            now: turn.now,
            expires_at: (body.retention_time_ms != -1)
                .then(|| turn.now.plus_ms(body.retention_time_ms)),
            metadata_max: turn.config.offset_metadata_max,
            refused,
            bytes: 0,
        };
        let topics = body.topics.into_iter();
        let topics = topics.map(|topic| commit.decide_topic(topic, version, turn)).collect();
        let mut response = OffsetCommitResponse { topics, ..OffsetCommitResponse::default() };
        if commit.bytes > turn.config.batch_bytes_max {
            turn.truncate_records(0);
            refuse_accepted(&mut response, ErrorCode::INVALID_COMMIT_OFFSET_SIZE);
        }
        turn.reply(token, Reply::OffsetCommit(response));
    }
}

/// Whether the group takes offsets from this client now.
fn check_commit(
    group: Option<&ClassicGroup>,
    version: i16,
    body: &OffsetCommitRequest,
) -> Result<(), ErrorCode> {
    let generation = body.generation_id_or_member_epoch;
    if body.group_id.is_empty() || !fits(&body.group_id) {
        // Kafka takes the empty one; no consumer of today can ask for it (KIP-289).
        return Err(ErrorCode::INVALID_GROUP_ID);
    }
    let Some(group) = group else {
        return match generation {
            // Nobody manages this group: it only holds offsets.
            ..0 => Ok(()),
            _ if version >= NOT_FOUND_FROM => Err(ErrorCode::GROUP_ID_NOT_FOUND),
            _ => Err(ErrorCode::ILLEGAL_GENERATION),
        };
    };
    if generation < 0 && group.state == GroupState::Empty {
        return Ok(());
    }
    if generation < 0 && body.member_id.is_empty() && body.group_instance_id.is_none() {
        return Err(ErrorCode::UNKNOWN_MEMBER_ID);
    }
    group.check_member(&body.member_id, body.group_instance_id.as_deref())?;
    if generation != group.generation {
        return Err(ErrorCode::ILLEGAL_GENERATION);
    }
    if group.state == GroupState::CompletingRebalance {
        // The member knows its new generation but not yet what it owns.
        return Err(ErrorCode::REBALANCE_IN_PROGRESS);
    }
    Ok(())
}

fn refuse_accepted(response: &mut OffsetCommitResponse, code: ErrorCode) {
    let partitions = response.topics.iter_mut().flat_map(|topic| &mut topic.partitions);
    for partition in partitions.filter(|partition| partition.error_code == 0) {
        partition.error_code = code.0;
    }
}

impl Commit {
    fn decide_topic(
        &mut self,
        topic: OffsetCommitRequestTopic,
        version: i16,
        turn: &mut Turn<'_>,
    ) -> OffsetCommitResponseTopic {
        let by_id = version >= TOPIC_ID_FROM;
        let known = if by_id {
            turn.view.topic_by_id(topic.topic_id.into())
        } else {
            turn.view.topic(&topic.name)
        };
        let name = known.as_ref().map_or(topic.name, |known| known.name.clone());
        let partitions = topic.partitions.into_iter().map(|partition| {
            let partition_index = partition.partition_index;
            let unknown = if by_id {
                ErrorCode::UNKNOWN_TOPIC_ID
            } else {
                ErrorCode::UNKNOWN_TOPIC_OR_PARTITION
            };
            let result = match &known {
                None => Err(unknown),
                Some(known) => self.decide_partition(known, partition, turn),
            };
            OffsetCommitResponsePartition {
                partition_index,
                error_code: result.err().unwrap_or(ErrorCode::NONE).0,
                ..OffsetCommitResponsePartition::default()
            }
        });
        OffsetCommitResponseTopic {
            partitions: partitions.collect(),
            name,
            topic_id: topic.topic_id,
            ..OffsetCommitResponseTopic::default()
        }
    }

    fn decide_partition(
        &mut self,
        topic: &TopicView,
        partition: OffsetCommitRequestPartition,
        turn: &mut Turn<'_>,
    ) -> Result<(), ErrorCode> {
        let index = partition.partition_index;
        if !(0..topic.partitions).contains(&index) {
            return Err(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION);
        }
        if let Some(code) = self.refused {
            return Err(code);
        }
        let metadata = partition.committed_metadata.unwrap_or_default();
        if metadata.encode_utf16().count() > self.metadata_max || !fits(&metadata) {
            return Err(ErrorCode::OFFSET_METADATA_TOO_LARGE);
        }
        if partition.committed_offset < Offset::NONE.0 {
            // Kafka stores any number. -1 reads back as "none"; below it no offset can mean
            // anything to any client.
            return Err(ErrorCode::INVALID_REQUEST);
        }
        let names = self.group_id.len() + topic.name.len();
        self.bytes += names + metadata.len() + RECORD_OVERHEAD_BYTES;
        let offset = CommittedOffset {
            offset: Offset(partition.committed_offset),
            leader_epoch: LeaderEpoch(partition.committed_leader_epoch),
            metadata,
            committed_at: self.now,
            expires_at: self.expires_at,
            topic_id: topic.id,
        };
        turn.record(Record::offset(&self.group_id, &topic.name, index, &offset));
        Ok(())
    }
}
