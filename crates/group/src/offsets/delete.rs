//! OffsetDelete: an administrator removes offsets of topics that the group does not consume.

use highwater_shard::Token;
use highwater_wire::messages::offset_delete_request::OffsetDeleteRequestTopic;
use highwater_wire::messages::offset_delete_response::{
    OffsetDeleteResponsePartition, OffsetDeleteResponseTopic,
};
use highwater_wire::messages::{OffsetDeleteRequest, OffsetDeleteResponse};
use highwater_wire::{ErrorCode, Str};

use crate::classic::{ClassicGroup, GroupState};
use crate::record::Record;
use crate::turn::Turn;
use crate::{Call, GroupCoordinator, Reply};

impl GroupCoordinator {
    pub(crate) fn decide_offset_delete(
        &self,
        token: Token,
        call: Call<OffsetDeleteRequest>,
        turn: &mut Turn<'_>,
    ) {
        let body = call.body;
        let found = match self.group(&body.group_id) {
            _ if body.group_id.is_empty() => Err(ErrorCode::INVALID_GROUP_ID),
            None => Err(ErrorCode::GROUP_ID_NOT_FOUND),
            // Whose subscriptions cannot be read may consume anything.
            Some(group) if group.state != GroupState::Empty && !group.uses_consumer_protocol() => {
                Err(ErrorCode::NON_EMPTY_GROUP)
            }
            Some(group) => Ok(group),
        };
        let response = match found {
            Err(code) => OffsetDeleteResponse { error_code: code.0, ..Default::default() },
            Ok(group) => {
                let topics = body.topics.into_iter();
                let topics = topics.map(|topic| self.delete_topic(&group, topic, turn)).collect();
                OffsetDeleteResponse { topics, ..OffsetDeleteResponse::default() }
            }
        };
        turn.reply(token, Reply::OffsetDelete(response));
    }

    fn delete_topic(
        &self,
        group: &ClassicGroup,
        topic: OffsetDeleteRequestTopic,
        turn: &mut Turn<'_>,
    ) -> OffsetDeleteResponseTopic {
        let known = turn.view.topic(&topic.name).map_or(0, |known| known.partitions);
        let is_consumed = group.may_consume(&topic.name);
        let mut partitions = Vec::with_capacity(topic.partitions.len());
        for partition in topic.partitions {
            let index = partition.partition_index;
            let code = if !(0..known).contains(&index) {
                ErrorCode::UNKNOWN_TOPIC_OR_PARTITION
            } else if is_consumed {
                ErrorCode::GROUP_SUBSCRIBED_TO_TOPIC
            } else {
                if self.has_offset(&group.id, &topic.name, index) {
                    turn.record(Record::offset_tombstone(&group.id, &topic.name, index));
                }
                ErrorCode::NONE
            };
            partitions.push(OffsetDeleteResponsePartition {
                partition_index: index,
                error_code: code.0,
                ..OffsetDeleteResponsePartition::default()
            });
        }
        OffsetDeleteResponseTopic { name: topic.name, partitions, ..Default::default() }
    }

    fn has_offset(&self, group_id: &Str, topic: &Str, index: i32) -> bool {
        let topics = self.state().offsets.get(group_id);
        let partitions = topics.and_then(|topics| topics.get(topic));
        partitions.is_some_and(|partitions| partitions.contains_key(&index))
    }
}

impl ClassicGroup {
    /// Whether a member consumes `topic`, or may for all we can read.
    pub(crate) fn may_consume(&self, topic: &Str) -> bool {
        match self.subscribed_topics() {
            Some(topics) => topics.contains(topic),
            None => self.uses_consumer_protocol(),
        }
    }
}
