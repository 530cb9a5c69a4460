//! The metadata log of a single node: opened first, led by this node in a new epoch at each start.

use std::sync::Arc;

use highwater_config::TopicConfig;
use highwater_log::{AppendOrigin, LogError, PendingBatch};
use highwater_records::control::{self, ControlType, control_batch};
use highwater_records::{BatchHeader, BatchOptions, BatchSummary};
use highwater_types::{
    LeaderEpoch, PartitionIndex, TopicId, TopicIdPartition, TopicPartition, Uuid,
};

use crate::clock::Clock;
use crate::hosting::METADATA_TOPIC;
use crate::node::NodeIdentity;
use crate::opening::{Opening, log_config};
use crate::partition::Partition;
use crate::storage::StorageThreads;

/// Kafka's fixed id of the metadata topic.
const METADATA_TOPIC_ID: TopicId = TopicId(Uuid([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]));

pub struct MetadataLog {
    pub partition: Arc<Partition>,
    pub epoch: LeaderEpoch,
}

/// Opens the log and begins a new epoch in it.
pub fn open(
    opening: &Opening,
    node: &NodeIdentity,
    storage: &StorageThreads,
    clock: Clock,
) -> Result<MetadataLog, LogError> {
    let name = TopicPartition { topic: METADATA_TOPIC.into(), partition: PartitionIndex(0) };
    let id = TopicIdPartition { topic_id: METADATA_TOPIC_ID, partition: PartitionIndex(0) };
    let config = TopicConfig::default();
    // Metadata goes by its snapshots, never by age.
    let kept = highwater_log::LogConfig {
        retention_ms: -1,
        retention_bytes: -1,
        delete_old: false,
        ..log_config(&config, u64::MAX)
    };
    let log = opening.open_log(&name, METADATA_TOPIC_ID, kept)?;
    let epoch = LeaderEpoch(log.reader().latest_epoch().map_or(0, |entry| entry.epoch.get()) + 1);
    let partition = Partition::new(
        node.id,
        id,
        name.clone(),
        opening.dir().partition_path(&name),
        log,
        Arc::new(config),
        storage.queue(0),
    );
    partition.become_leader(epoch, vec![node.id]);

    let id = node.id.get();
    let value = control::leader_change_value(id, &[id], &[id]);
    let options = BatchOptions { leader_epoch: epoch.get(), ..BatchOptions::default() };
    let bytes = control_batch(options, ControlType::LeaderChange, clock.now().get(), &value);
    if let Ok(header) = BatchHeader::parse(&bytes) {
        let summary = BatchSummary::of_trusted(header);
        let batch = PendingBatch::new(bytes, summary, AppendOrigin::Coordinator);
        // Nobody waits: the controller reads the log behind this append.
        partition.append(vec![batch], false, Box::new(|_| ()));
    }
    Ok(MetadataLog { partition, epoch })
}
