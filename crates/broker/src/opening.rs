//! How the logs of this node are opened and closed: with which checkpoints, and what a start finds
//! in the data directory beside what the metadata names.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::time::Duration;

use highwater_config::{Layers, Overrides, TopicConfig};
use highwater_controller::image::{Image, PartitionImage, ResourceKind};
use highwater_log::{
    Checkpoint, FdCache, Log, LogConfig, LogDir, LogError, OpenOptions, PartitionFolder,
};
use highwater_types::{Offset, TopicId, TopicIdPartition, TopicPartition};
use parking_lot::Mutex;

use crate::Broker;
use crate::clock;
use crate::partition::Partition;
use crate::storage::StorageQueue;

/// The data directory, and what its checkpoints say.
pub struct Opening {
    dir: Arc<LogDir>,
    files: Arc<FdCache>,
    was_clean: bool,
    /// Held while checkpoint files are written, so that they never go back in time.
    known: Mutex<Known>,
}

/// What the checkpoint files hold. An entry stays until its partition is deleted, also while its
/// log is offline: it is what tells the next start that records are missing.
#[derive(Default)]
struct Known {
    recovery_points: BTreeMap<TopicPartition, Offset>,
    watermarks: BTreeMap<TopicPartition, Offset>,
    log_starts: BTreeMap<TopicPartition, Offset>,
    /// Up to where logs were compacted.
    cleaned: BTreeMap<TopicPartition, Offset>,
    /// Logs that could not be opened, with the topic that each belongs to. They are not tried again
    /// before the next start. While there are any, no stop is called clean, since a start after a
    /// clean stop does not look for damage.
    offline: BTreeMap<TopicPartition, TopicId>,
}

impl Opening {
    pub fn new(
        dir: Arc<LogDir>,
        files: Arc<FdCache>,
        was_clean: bool,
    ) -> Result<Opening, LogError> {
        let known = Known {
            recovery_points: dir.read_checkpoint(Checkpoint::RecoveryPoint)?,
            watermarks: dir.read_checkpoint(Checkpoint::HighWatermark)?,
            log_starts: dir.read_checkpoint(Checkpoint::LogStart)?,
            cleaned: dir.read_checkpoint(Checkpoint::Cleaner)?,
            offline: BTreeMap::new(),
        };
        Ok(Opening { dir, files, was_clean, known: Mutex::new(known) })
    }

    pub fn dir(&self) -> &Arc<LogDir> {
        &self.dir
    }

    /// Whether the last process stopped in order.
    pub fn was_clean(&self) -> bool {
        self.was_clean
    }

    /// Opens a partition's log, making its folder if it is new.
    pub fn open_log(
        &self,
        name: &TopicPartition,
        topic_id: TopicId,
        config: LogConfig,
    ) -> Result<Log, LogError> {
        let opened = self.try_open_log(name, topic_id, config);
        let offline = &mut self.known.lock().offline;
        match &opened {
            Ok(_) => offline.remove(name),
            Err(_) => offline.insert(name.clone(), topic_id),
        };
        opened
    }

    fn try_open_log(
        &self,
        name: &TopicPartition,
        topic_id: TopicId,
        config: LogConfig,
    ) -> Result<Log, LogError> {
        let folder = self.dir.create_partition(name, topic_id)?;
        let mut options = OpenOptions::new(config, clock::Clock.now());
        if !folder.is_new {
            let known = self.known.lock();
            let at = |offsets: &BTreeMap<_, _>| offsets.get(name).copied().unwrap_or(Offset::ZERO);
            options.recovery_point = at(&known.recovery_points);
            options.log_start = at(&known.log_starts);
            options.compacted_to = at(&known.cleaned);
            options.clean = self.was_clean;
        }
        Log::open(self.dir.disk().clone(), self.files.clone(), &folder.path, options)
    }

    /// Drops what is known of deleted partitions, before their folders are doomed: a later one
    /// with the same name must not be held to it.
    pub(crate) fn forget(&self, gone: &[TopicPartition]) -> Result<(), LogError> {
        let mut known = self.known.lock();
        for name in gone {
            known.recovery_points.remove(name);
            known.watermarks.remove(name);
            known.log_starts.remove(name);
            known.cleaned.remove(name);
            known.offline.remove(name);
        }
        self.write(&known)
    }

    /// Takes note of what `marks` gives, and writes the checkpoint files.
    fn write_checkpoints(
        &self,
        marks: impl FnOnce() -> Vec<(TopicPartition, Marks, Offset)>,
    ) -> Result<(), LogError> {
        // Locked before the marks are taken: none may be of a partition forgotten meanwhile.
        let mut known = self.known.lock();
        for (name, mark, watermark) in marks() {
            known.recovery_points.insert(name.clone(), mark.recovery_point);
            known.watermarks.insert(name.clone(), watermark);
            match mark.log_start {
                Some(start) => known.log_starts.insert(name, start),
                None => known.log_starts.remove(&name),
            };
        }
        self.write(&known)
    }

    fn write(&self, known: &Known) -> Result<(), LogError> {
        self.dir.write_checkpoint(Checkpoint::RecoveryPoint, &known.recovery_points)?;
        self.dir.write_checkpoint(Checkpoint::HighWatermark, &known.watermarks)?;
        self.dir.write_checkpoint(Checkpoint::LogStart, &known.log_starts)?;
        self.dir.write_checkpoint(Checkpoint::Cleaner, &known.cleaned)
    }

    /// Up to where a log was compacted, 0 if never.
    pub(crate) fn cleaned(&self, name: &TopicPartition) -> Offset {
        self.known.lock().cleaned.get(name).copied().unwrap_or(Offset::ZERO)
    }

    /// Takes note of a compaction.
    pub(crate) fn note_cleaned(&self, name: &TopicPartition, to: Offset) -> Result<(), LogError> {
        let mut known = self.known.lock();
        known.cleaned.insert(name.clone(), to);
        self.dir.write_checkpoint(Checkpoint::Cleaner, &known.cleaned)
    }

    /// Whether the log of this partition could not be opened since the start.
    pub(crate) fn is_offline(&self, name: &TopicPartition, topic_id: TopicId) -> bool {
        self.known.lock().offline.get(name) == Some(&topic_id)
    }

    /// The partitions of a topic whose logs could not be opened.
    pub(crate) fn offline_of(&self, topic_id: TopicId) -> Vec<TopicPartition> {
        let known = self.known.lock();
        let of_topic = known.offline.iter().filter(|(_, id)| **id == topic_id);
        of_topic.map(|(name, _)| name.clone()).collect()
    }

    fn any_offline(&self) -> bool {
        !self.known.lock().offline.is_empty()
    }
}

/// What was set for a resource.
pub fn overrides_of(image: &Image, kind: ResourceKind, name: &str) -> Overrides {
    image.configs.get(kind, name).map(|set| Overrides::clone(set)).unwrap_or_default()
}

/// What storage acts on, from the typed topic settings.
pub fn log_config(config: &TopicConfig, producer_id_expiration_ms: u64) -> LogConfig {
    let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let limit = |value: Option<u64>| value.map_or(-1, signed);
    let segment_ms = match config.cleanup_policy.compact {
        // Only closed segments are compacted.
        true => config.segment_ms.min(config.max_compaction_lag_ms),
        false => config.segment_ms,
    };
    LogConfig {
        segment_bytes: config.segment_bytes,
        segment_ms: signed(segment_ms),
        segment_jitter_ms: signed(config.segment_jitter_ms),
        index_bytes_max: config.segment_index_bytes,
        index_interval_bytes: config.index_interval_bytes,
        preallocate: config.preallocate,
        retention_ms: limit(config.retention_ms),
        retention_bytes: limit(config.retention_bytes),
        delete_old: config.cleanup_policy.delete,
        compact: config.cleanup_policy.compact,
        min_compaction_lag_ms: signed(config.min_compaction_lag_ms),
        max_compaction_lag_ms: signed(config.max_compaction_lag_ms),
        delete_retention_ms: signed(config.delete_retention_ms),
        file_delete_delay_ms: signed(config.file_delete_delay_ms),
        producer_id_expiration_ms: signed(producer_id_expiration_ms),
    }
}

impl Broker {
    /// Effective settings of a topic.
    pub(crate) fn topic_config(&self, image: &Image, topic: &str) -> TopicConfig {
        let overrides = |kind, name: &str| overrides_of(image, kind, name);
        let broker = overrides(ResourceKind::Broker, &self.node.id.to_string());
        let cluster = overrides(ResourceKind::Broker, "");
        let layers = Layers { broker: &broker, cluster: &cluster, fixed: &self.settings };
        TopicConfig::resolve(&overrides(ResourceKind::Topic, topic), &layers)
    }

    pub(crate) fn open_partition(
        &self,
        image: &Image,
        id: TopicIdPartition,
        name: &TopicPartition,
        _described: &PartitionImage,
    ) -> Result<Arc<Partition>, LogError> {
        let config = self.topic_config(image, &name.topic);
        let expiry = self.config.load().producers.id_expiration_ms;
        let log = self.opening.open_log(name, id.topic_id, log_config(&config, expiry))?;
        let queue = self.queue_for(id);
        Ok(Partition::new(
            self.node.id,
            id,
            name.clone(),
            self.opening.dir.partition_path(name),
            log,
            Arc::new(config),
            queue,
        ))
    }

    /// Dooms folders of topics that the metadata does not know: deleted while we were down.
    pub(crate) async fn remove_strays(&self, image: &Image) {
        let folders = match self.opening.dir.partitions() {
            Ok(folders) => folders,
            Err(error) => {
                tracing::error!(%error, "the data directory cannot be listed");
                return;
            }
        };
        let mut entropy = clock::entropy();
        for folder in folders {
            if self.is_ours(image, &folder) {
                continue;
            }
            tracing::info!(partition = %folder.partition, "removing the folder of a deleted topic");
            let forgotten = self.opening.forget(std::slice::from_ref(&folder.partition));
            let doomed = forgotten
                .and_then(|()| self.opening.dir.doom_partition(&folder.partition, &mut entropy));
            if let Err(error) = doomed {
                tracing::error!(partition = %folder.partition, %error, "the folder could not be renamed");
            }
        }
    }

    fn is_ours(&self, image: &Image, folder: &PartitionFolder) -> bool {
        let TopicPartition { topic, partition } = &folder.partition;
        if &**topic == crate::hosting::METADATA_TOPIC {
            return true;
        }
        let named = image.topic(topic).map(|topic| topic.id);
        let is_open = named.is_some_and(|topic_id| {
            let id = TopicIdPartition { topic_id, partition: *partition };
            self.partitions.get(id).is_some()
        });
        // Opening it has compared the ids. Of what cannot be told apart nothing is removed.
        is_open
            || !matches!(self.opening.dir.topic_of(folder), Ok(Some(topic_id))
                if image.partition_by_id(topic_id, *partition).is_none())
    }

    /// The storage thread of a partition; partitions of one topic are spread over all.
    fn queue_for(&self, id: TopicIdPartition) -> Arc<StorageQueue> {
        let index = usize::try_from(id.partition.get()).unwrap_or(0);
        let number = usize::from(id.topic_id.0.0[15]).wrapping_add(index);
        self.queues[number % self.queues.len()].clone()
    }

    /// Writes the checkpoints of all open logs.
    pub(crate) fn write_checkpoints(&self) -> Result<(), LogError> {
        self.opening.write_checkpoints(|| {
            let directory = self.partitions.load();
            let all = directory.all().chain([&self.metadata_log]);
            let marks = all.filter_map(|partition| {
                let watermark = partition.positions().high_watermark;
                Some((partition.name().clone(), partition.marks()?, watermark))
            });
            marks.collect()
        })
    }

    /// Closes every log and marks the stop as clean. Blocks.
    pub(crate) fn close_all(&self, broker_epoch: i64) {
        let directory = self.partitions.load();
        let mut all_closed = !self.opening.any_offline();
        let mut marks = Vec::new();
        for partition in directory.all().chain([&self.metadata_log]) {
            match partition.close() {
                Some(Ok(closed)) => {
                    let watermark = partition.positions().high_watermark;
                    let mark = Marks {
                        recovery_point: closed.log_end,
                        log_start: closed.start_was_moved.then_some(closed.log_start),
                    };
                    marks.push((partition.name().clone(), mark, watermark));
                }
                Some(Err(error)) => {
                    tracing::error!(partition = %partition.name(), %error, "the log could not be closed");
                    all_closed = false;
                }
                None => {}
            }
        }
        let dir = &self.opening.dir;
        let marked = dir
            .sync_all()
            .and_then(|()| self.opening.write_checkpoints(|| marks))
            .and_then(|()| if all_closed { dir.mark_clean_shutdown(broker_epoch) } else { Ok(()) });
        if let Err(error) = marked {
            tracing::error!(%error, "the stop could not be marked as clean; the next start recovers");
        }
    }

    /// Frees folders of deleted partitions whose delay is over.
    pub(crate) fn sweep_doomed(&self) -> Result<(), LogError> {
        let dir = &self.opening.dir;
        let delay = TopicConfig::default().file_delete_delay_ms;
        for path in dir.doomed()? {
            let age = path.metadata().and_then(|meta| meta.ctime_age()).unwrap_or_default();
            if age.as_millis() >= u128::from(delay) {
                dir.remove_doomed(&path)?;
            }
        }
        Ok(())
    }
}

/// What the checkpoints say of one log.
#[derive(Debug, Clone, Copy)]
pub struct Marks {
    pub recovery_point: Offset,
    /// Set if only the checkpoint knows it.
    pub log_start: Option<Offset>,
}

/// How long ago a file's name or contents were last changed.
trait ChangedAge {
    fn ctime_age(&self) -> std::io::Result<Duration>;
}

impl ChangedAge for std::fs::Metadata {
    fn ctime_age(&self) -> std::io::Result<Duration> {
        let changed = u64::try_from(self.ctime()).unwrap_or(0);
        let now = clock::Clock.now().get() / 1_000;
        Ok(Duration::from_secs(u64::try_from(now).unwrap_or(0).saturating_sub(changed)))
    }
}
