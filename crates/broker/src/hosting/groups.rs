//! Hosts the group coordinators: one shard for each partition of `__consumer_offsets`.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use highwater_controller::image::Image;
use highwater_group::{
    GroupConfig, GroupCoordinator, GroupView, Record, Request, TopicView, partition_of,
};
use highwater_types::{LeaderEpoch, PartitionIndex, TopicId, TopicIdPartition};
use highwater_wire::{ErrorCode, Str};
use parking_lot::Mutex;

use super::host::{Host, HostHandle, Unobserved};
use super::journal::{Journal, RecordCodec};
use crate::Broker;
use crate::clock::Clock;
use crate::partition::Partition;

/// The internal topic of committed offsets and groups.
pub const OFFSETS_TOPIC: &str = "__consumer_offsets";

/// One coordinator at work.
struct Coordinator {
    handle: HostHandle<GroupCoordinator>,
    epoch: LeaderEpoch,
}

/// The coordinators that this broker hosts, by offsets partition.
#[derive(Default)]
pub struct GroupHosts {
    running: Mutex<BTreeMap<PartitionIndex, Coordinator>>,
}

impl GroupHosts {
    /// Follows the metadata: begins to coordinate what this broker leads, ends what it does not.
    pub fn take(&self, broker: &Arc<Broker>, image: &Image) {
        let topic = image.topic(OFFSETS_TOPIC);
        let mut running = self.running.lock();
        running.retain(|index, coordinator| {
            let ours = topic
                .and_then(|topic| topic.partition(*index))
                .is_some_and(|partition| partition.leader == broker.node.id);
            if !ours {
                coordinator.handle.resign();
            }
            ours
        });
        let Some(topic) = topic else { return };
        for (index, described) in &topic.partitions {
            if described.leader != broker.node.id {
                continue;
            }
            let id = TopicIdPartition { topic_id: topic.id, partition: *index };
            let Some(partition) = broker.partitions.get(id) else { continue };
            let coordinator = running.entry(*index).or_insert_with(|| Coordinator {
                handle: start(broker, partition),
                epoch: LeaderEpoch::NONE,
            });
            if coordinator.epoch != described.leader_epoch {
                coordinator.epoch = described.leader_epoch;
                coordinator.handle.lead(described.leader_epoch);
            }
        }
    }

    /// The coordinator of a group.
    ///
    /// # Errors
    /// COORDINATOR_NOT_AVAILABLE while there is no offsets topic, NOT_COORDINATOR if another
    /// broker leads the group's partition.
    pub fn of_group(
        &self,
        broker: &Broker,
        group: &str,
    ) -> Result<(PartitionIndex, HostHandle<GroupCoordinator>), ErrorCode> {
        let image = broker.image.load();
        let topic = image.topic(OFFSETS_TOPIC).ok_or(ErrorCode::COORDINATOR_NOT_AVAILABLE)?;
        let count = i32::try_from(topic.partitions.len()).unwrap_or(i32::MAX);
        let index = PartitionIndex(partition_of(group, count));
        let running = self.running.lock();
        let coordinator = running.get(&index).ok_or(ErrorCode::NOT_COORDINATOR)?;
        Ok((index, coordinator.handle.clone()))
    }

    /// Every coordinator here, in the order of their partitions.
    pub fn all(&self) -> Vec<HostHandle<GroupCoordinator>> {
        self.running.lock().values().map(|coordinator| coordinator.handle.clone()).collect()
    }

    /// A topic is gone: every coordinator forgets its offsets before the deletion is answered.
    pub async fn topic_deleted(&self, id: TopicId, name: &str) {
        let asked: Vec<_> = self
            .all()
            .into_iter()
            .map(|handle| handle.request(Request::TopicDeleted { id, name: Str::from(name) }))
            .collect();
        for answer in asked {
            answer.await;
        }
    }
}

fn start(broker: &Arc<Broker>, partition: Arc<Partition>) -> HostHandle<GroupCoordinator> {
    let view = View { broker: Arc::downgrade(broker), partition: partition.clone() };
    let view: Arc<dyn GroupView> = Arc::new(view);
    Host::start(
        GroupCoordinator::new(),
        Journal::new(partition, OffsetsCodec),
        Unobserved,
        move || view.clone(),
        Clock,
    )
}

struct OffsetsCodec;

impl RecordCodec<Record> for OffsetsCodec {
    const BASE_SEQUENCE: i32 = 0;

    fn encode(&self, record: &Record) -> Option<(Option<Bytes>, Option<Bytes>)> {
        let (key, value) = record.encode().ok()?;
        Some((Some(key), value))
    }

    fn decode(&self, key: Option<&[u8]>, value: Option<&[u8]>) -> Option<Record> {
        Record::decode(Bytes::copy_from_slice(key?), value.map(Bytes::copy_from_slice)).ok()
    }
}

/// What coordinators may see of the broker.
struct View {
    broker: Weak<Broker>,
    /// Of the offsets topic.
    partition: Arc<Partition>,
}

impl View {
    fn image(&self) -> Option<Arc<Image>> {
        Some(self.broker.upgrade()?.image.load_full())
    }
}

fn view_of(topic: &highwater_controller::image::TopicImage) -> TopicView {
    TopicView {
        id: topic.id,
        name: topic.name.clone(),
        partitions: i32::try_from(topic.partitions.len()).unwrap_or(i32::MAX),
    }
}

impl GroupView for View {
    fn config(&self) -> GroupConfig {
        let Some(broker) = self.broker.upgrade() else { return GroupConfig::default() };
        let config = broker.config.load();
        GroupConfig {
            session_timeout_ms_min: config.classic_groups.session_timeout_min_ms,
            session_timeout_ms_max: config.classic_groups.session_timeout_max_ms,
            initial_rebalance_delay_ms: config.classic_groups.initial_rebalance_delay_ms,
            members_max: config.classic_groups.size_max as usize,
            offsets_retention_ms: i64::try_from(config.offsets.retention_ms).unwrap_or(i64::MAX),
            offsets_check_interval_ms: config.offsets.retention_check_interval_ms,
            offset_metadata_max: config.offsets.metadata_bytes_max as usize,
            batch_bytes_max: self.partition.config().max_message_bytes as usize,
        }
    }

    fn topic(&self, name: &str) -> Option<TopicView> {
        Some(view_of(self.image()?.topic(name)?))
    }

    fn topic_by_id(&self, id: TopicId) -> Option<TopicView> {
        Some(view_of(self.image()?.topic_by_id(id)?))
    }
}
