//! The metadata log of a single node: opened first, led by this node in a new epoch at each start.

use std::sync::Arc;

use highwater_config::TopicConfig;
use highwater_controller::record_version;
use highwater_log::{AppendOrigin, LogError, LogStartError, PendingBatch};
use highwater_records::control::{self, ControlType, control_batch};
use highwater_records::{BatchHeader, BatchOptions, BatchSummary};
use highwater_types::{
    LeaderEpoch, PartitionIndex, TopicId, TopicIdPartition, TopicPartition, Uuid,
};

use crate::Broker;
use crate::clock::Clock;
use crate::hosting::{METADATA_TOPIC, write_snapshot};
use crate::limits::METADATA_BYTES_BETWEEN_SNAPSHOTS;
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

/// Writes a snapshot once the log has grown enough, and drops what it covers.
pub async fn maybe_snapshot(broker: &Arc<Broker>) {
    if broker.metadata_log.reader().size_bytes() >= METADATA_BYTES_BETWEEN_SNAPSHOTS {
        snapshot(broker).await;
    }
}

/// Snapshot of the committed metadata; then the log begins where it ends.
pub async fn snapshot(broker: &Arc<Broker>) {
    let image = broker.image.load_full();
    let end = image.next_offset();
    let log = broker.metadata_log.clone();
    let now = broker.clock.now();
    let Some(epoch) = log.leader_epoch() else { return };
    let dir = log.dir();
    let written = tokio::task::spawn_blocking(move || {
        let values: Vec<_> = image
            .to_records()
            .iter()
            .filter_map(|record| record.encode(record_version(record)).ok())
            .collect();
        write_snapshot(&dir, end, epoch, now, &values)
    });
    match written.await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::error!(%error, "the metadata snapshot could not be written");
            return;
        }
        Err(error) => {
            tracing::error!(%error, "writing the metadata snapshot failed");
            return;
        }
    }
    let dropped = log
        .with_log(move |partition, log| {
            let watermark = partition.positions().high_watermark;
            log.roll(now)?;
            log.set_log_start(end, watermark)?;
            log.apply_retention(now, watermark)?;
            Ok::<_, LogStartError>(())
        })
        .await;
    if let Some(Err(error)) = dropped {
        tracing::error!(%error, "the metadata log could not be cut behind its snapshot");
    }
}

#[cfg(test)]
#[path = "metadata_log_tests.rs"]
mod tests;
