//! From what a request names to what this broker holds: topics, partitions, endpoints.

use std::sync::Arc;

use highwater_controller::image::{BrokerImage, PartitionImage};
use highwater_types::{BrokerId, PartitionIndex, TopicId, TopicIdPartition, Uuid};
use highwater_wire::{ErrorCode, Str};

use crate::Broker;
use crate::handlers::TopicRef;
use crate::partition::Partition;

impl Broker {
    /// The topic that a request names by id or by name, as its version says.
    pub(crate) fn find_topic_for(
        &self,
        by_ids: bool,
        name: &Str,
        id: Uuid,
    ) -> Result<TopicId, ErrorCode> {
        let image = self.image.load();
        if by_ids {
            let known = image.topic_by_id(TopicId(id));
            known.map(|topic| topic.id).ok_or(ErrorCode::UNKNOWN_TOPIC_ID)
        } else {
            let known = image.topic(name);
            known.map(|topic| topic.id).ok_or(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION)
        }
    }

    /// The open partition that a request names.
    pub(crate) fn partition_for(
        &self,
        topic: &TopicRef,
        partition: PartitionIndex,
    ) -> Result<Arc<Partition>, ErrorCode> {
        let topic_id = match topic {
            TopicRef::Name(name) => self.find_topic_for(false, name, Uuid::ZERO)?,
            TopicRef::Id(id) => self.find_topic_for(true, &Str::default(), *id)?,
        };
        self.partitions
            .get(TopicIdPartition { topic_id, partition })
            .ok_or_else(|| self.missing_partition(topic_id, partition.get()))
    }

    /// Why a partition of a known topic is not open here.
    pub(crate) fn missing_partition(&self, topic_id: TopicId, index: i32) -> ErrorCode {
        let image = self.image.load();
        match image.partition_by_id(topic_id, PartitionIndex(index)) {
            None => ErrorCode::UNKNOWN_TOPIC_OR_PARTITION,
            Some(partition) if partition.replicas.contains(&self.node.id) => {
                // Ours, but its log could not be opened; the reason is in the broker's log.
                ErrorCode::KAFKA_STORAGE_ERROR
            }
            Some(_) => ErrorCode::NOT_LEADER_OR_FOLLOWER,
        }
    }

    /// Host and port that clients of this listener are told.
    pub(crate) fn endpoint_of(&self, broker: &BrokerImage) -> (Str, i32) {
        let listener = &self.node.listener;
        let endpoint = broker.endpoint(listener).or_else(|| broker.endpoints.first());
        endpoint.map_or((Str::default(), -1), |endpoint| {
            (endpoint.host.clone(), i32::from(endpoint.port))
        })
    }

    /// Replicas of a partition that no running broker, or no working directory, holds.
    pub(crate) fn offline_replicas(&self, partition: &PartitionImage) -> Vec<BrokerId> {
        let image = self.image.load();
        let alive = |id: &BrokerId| image.broker(*id).is_some_and(|broker| !broker.fenced);
        partition.replicas.iter().filter(|id| !alive(id)).copied().collect()
    }
}
