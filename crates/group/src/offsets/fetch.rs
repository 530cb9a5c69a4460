//! OffsetFetch: what a group has committed, for the partitions asked or for all.

use highwater_shard::Token;
use highwater_types::{LeaderEpoch, Offset, TopicId};
use highwater_wire::Str;
use highwater_wire::messages::offset_fetch_request::{
    OffsetFetchRequestGroup, OffsetFetchRequestTopics,
};
use highwater_wire::messages::offset_fetch_response::{
    OffsetFetchResponseGroup, OffsetFetchResponsePartition, OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic, OffsetFetchResponseTopics,
};
use highwater_wire::messages::{OffsetFetchRequest, OffsetFetchResponse};
use highwater_wire::{ErrorCode, messages::offset_fetch_request::OffsetFetchRequestTopic};

use super::CommittedOffset;
use crate::turn::Turn;
use crate::{Call, GroupCoordinator, Reply};

/// From this version on a request asks for several groups.
pub(crate) const GROUPS_FROM: i16 = 8;
/// From this version on topics are named by id.
const TOPIC_ID_FROM: i16 = 10;

impl GroupCoordinator {
    /// Every asked partition is answered: one that was never committed, of an unknown topic, or
    /// of a group that does not exist has offset -1 and no error.
    pub(crate) fn decide_offset_fetch(
        &self,
        token: Token,
        call: Call<OffsetFetchRequest>,
        turn: &mut Turn<'_>,
    ) {
        let Call { version, body, .. } = call;
        let by_id = version >= TOPIC_ID_FROM;
        let response = if version >= GROUPS_FROM {
            let groups = body.groups.iter().map(|group| self.fetch_group(group, by_id, turn));
            OffsetFetchResponse { groups: groups.collect(), ..OffsetFetchResponse::default() }
        } else {
            single_response(self.fetch_group(&single_request(body), false, turn))
        };
        turn.reply(token, Reply::OffsetFetch(response));
    }

    fn fetch_group(
        &self,
        group: &OffsetFetchRequestGroup,
        by_id: bool,
        turn: &Turn<'_>,
    ) -> OffsetFetchResponseGroup {
        let topics = match &group.topics {
            None => self.fetch_all(&group.group_id, by_id, turn),
            Some(topics) => {
                let topics = topics.iter();
                topics.map(|topic| self.fetch_topic(&group.group_id, topic, by_id, turn)).collect()
            }
        };
        OffsetFetchResponseGroup {
            group_id: group.group_id.clone(),
            topics,
            ..OffsetFetchResponseGroup::default()
        }
    }

    fn fetch_topic(
        &self,
        group_id: &Str,
        topic: &OffsetFetchRequestTopics,
        by_id: bool,
        turn: &Turn<'_>,
    ) -> OffsetFetchResponseTopics {
        let known = if by_id {
            turn.view.topic_by_id(topic.topic_id.into())
        } else {
            turn.view.topic(&topic.name)
        };
        let id = known.as_ref().map(|known| known.id);
        let code = match id {
            None if by_id => ErrorCode::UNKNOWN_TOPIC_ID,
            _ => ErrorCode::NONE,
        };
        let name = known.map_or_else(|| topic.name.clone(), |known| known.name);
        let committed = self.state().offsets.get(group_id).and_then(|topics| topics.get(&name));
        let partitions = topic.partition_indexes.iter().map(|index| {
            let offset = committed.and_then(|partitions| partitions.get(index));
            let offset = offset.filter(|offset| offset.is_of(id));
            let response = answer_partition(*index, offset);
            OffsetFetchResponsePartitions { error_code: code.0, ..response }
        });
        OffsetFetchResponseTopics {
            partitions: partitions.collect(),
            topic_id: topic.topic_id,
            name,
            ..OffsetFetchResponseTopics::default()
        }
    }

    /// All that the group has. Where topics go by id, those that have none any more are left out.
    fn fetch_all(
        &self,
        group_id: &Str,
        by_id: bool,
        turn: &Turn<'_>,
    ) -> Vec<OffsetFetchResponseTopics> {
        let topics = self.state().offsets.get(group_id).into_iter().flatten();
        let topics = topics.filter_map(|(name, partitions)| {
            let id = turn.view.topic(name).map(|known| known.id);
            if by_id && id.is_none() {
                return None;
            }
            let partitions = partitions.iter().filter(|(_, offset)| offset.is_of(id));
            let answered: Vec<_> =
                partitions.map(|(index, offset)| answer_partition(*index, Some(offset))).collect();
            (!answered.is_empty()).then(|| OffsetFetchResponseTopics {
                name: name.clone(),
                topic_id: id.unwrap_or(TopicId::ZERO).0,
                partitions: answered,
                ..OffsetFetchResponseTopics::default()
            })
        });
        topics.collect()
    }
}

fn answer_partition(
    index: i32,
    committed: Option<&CommittedOffset>,
) -> OffsetFetchResponsePartitions {
    OffsetFetchResponsePartitions {
        partition_index: index,
        committed_offset: committed.map_or(Offset::NONE, |committed| committed.offset).0,
        committed_leader_epoch: committed
            .map_or(LeaderEpoch::NONE, |committed| committed.leader_epoch)
            .0,
        metadata: Some(committed.map(|committed| committed.metadata.clone()).unwrap_or_default()),
        ..OffsetFetchResponsePartitions::default()
    }
}

/// Before v8 a request is one group; from v2 on its topics may be null, which means all.
pub(crate) fn single_request(body: OffsetFetchRequest) -> OffsetFetchRequestGroup {
    let topics = |topics: Vec<OffsetFetchRequestTopic>| {
        let topics = topics.into_iter().map(|topic| OffsetFetchRequestTopics {
            name: topic.name,
            partition_indexes: topic.partition_indexes,
            ..OffsetFetchRequestTopics::default()
        });
        topics.collect()
    };
    OffsetFetchRequestGroup {
        group_id: body.group_id,
        topics: body.topics.map(topics),
        ..OffsetFetchRequestGroup::default()
    }
}

fn single_response(group: OffsetFetchResponseGroup) -> OffsetFetchResponse {
    let topics = group.topics.into_iter().map(|topic| OffsetFetchResponseTopic {
        name: topic.name,
        partitions: topic.partitions.into_iter().map(single_partition).collect(),
        ..OffsetFetchResponseTopic::default()
    });
    OffsetFetchResponse {
        topics: topics.collect(),
        error_code: group.error_code,
        ..OffsetFetchResponse::default()
    }
}

fn single_partition(partition: OffsetFetchResponsePartitions) -> OffsetFetchResponsePartition {
    OffsetFetchResponsePartition {
        partition_index: partition.partition_index,
        committed_offset: partition.committed_offset,
        committed_leader_epoch: partition.committed_leader_epoch,
        metadata: partition.metadata,
        error_code: partition.error_code,
        ..OffsetFetchResponsePartition::default()
    }
}
