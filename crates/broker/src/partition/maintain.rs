//! What changes a partition's log beside appends: deleting records, retention, settings, closing.
//! Each runs on the partition's storage thread.

use std::path::PathBuf;
use std::sync::Arc;

use highwater_config::TopicConfig;
use highwater_log::{Closed, Log, LogConfig, LogError, LogStartError};
use highwater_types::{Offset, Timestamp};
use tokio::sync::oneshot;

use super::{Partition, flush_policy, wake};
use crate::opening::Marks;

/// Why records cannot be deleted.
#[derive(Debug)]
pub enum DeleteRefusal {
    NotLeader,
    /// Beyond the high watermark, or below 0.
    OutOfRange,
    Log(LogError),
}

impl Partition {
    /// Runs `work` on the storage thread, after the appends queued before it. `None` if the log is
    /// closed.
    pub async fn with_log<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Partition, &mut Log) -> T + Send + 'static,
    ) -> Option<T> {
        let (done, result) = oneshot::channel();
        let partition = self.clone();
        self.queue.run(move || {
            let answer = partition.log.lock().as_mut().map(|log| work(&partition, log));
            // Whoever asked may have gone.
            let _ = done.send(answer);
        });
        result.await.ok().flatten()
    }

    /// DeleteRecords: moves the log start to `to`, or to the high watermark. Gives the new start.
    ///
    /// # Errors
    /// See [`DeleteRefusal`].
    pub async fn delete_records(
        self: &Arc<Self>,
        to: Option<Offset>,
    ) -> Result<Offset, DeleteRefusal> {
        self.with_log(move |partition, log| {
            if partition.leader_epoch().is_none() {
                return Err(DeleteRefusal::NotLeader);
            }
            let watermark = partition.positions().high_watermark;
            let to = to.unwrap_or(watermark);
            if to < Offset::ZERO {
                return Err(DeleteRefusal::OutOfRange);
            }
            let start = log.set_log_start(to, watermark).map_err(|error| match error {
                LogStartError::BeyondWatermark { .. } => DeleteRefusal::OutOfRange,
                LogStartError::Storage(error) => DeleteRefusal::Log(error),
            })?;
            partition.publish_log_start(log);
            Ok(start)
        })
        .await
        .unwrap_or(Err(DeleteRefusal::NotLeader))
    }

    /// Deletes segments that are past the retention limits, and forgets producers that are silent.
    pub(crate) async fn apply_retention(self: &Arc<Self>, now: Timestamp) {
        self.with_log(move |partition, log| {
            log.expire_producers(now);
            let watermark = partition.positions().high_watermark;
            match log.apply_retention(now, watermark) {
                Ok(_) => partition.publish_log_start(log),
                Err(error) => {
                    tracing::error!(partition = %partition.name, %error, "retention failed");
                }
            }
        })
        .await;
    }

    /// Takes new topic settings.
    pub(crate) async fn update_config(
        self: &Arc<Self>,
        config: Arc<TopicConfig>,
        for_log: LogConfig,
    ) {
        self.with_log(move |partition, log| {
            log.update_config(for_log);
            let woken = partition.replica.lock().on_policy(flush_policy(&config));
            partition.config.store(config);
            wake(woken);
        })
        .await;
    }

    /// What the checkpoints are to say of the log, if it is open.
    pub(crate) fn marks(&self) -> Option<Marks> {
        let log = self.log.lock();
        let log = log.as_ref()?;
        Some(Marks {
            recovery_point: log.recovery_point(),
            log_start: self.reader.log_start_was_moved().then(|| log.log_start()),
        })
    }

    /// The folder of the log.
    pub(crate) fn dir(&self) -> PathBuf {
        self.dir.clone()
    }

    /// Closes the log in order. Blocks; nothing may be queued for it any more.
    pub(crate) fn close(&self) -> Option<Result<Closed, LogError>> {
        let log = self.log.lock().take();
        log.map(Log::close)
    }

    /// Gives the log up: its folder was renamed, the topic is deleted.
    pub(crate) fn abandon(&self, moved_to: PathBuf) {
        if let Some(log) = self.log.lock().take() {
            log.abandon(moved_to);
        }
    }

    /// Runs `work` on the storage thread, whether the log is open or not.
    pub(crate) async fn on_storage_thread(
        self: &Arc<Self>,
        work: impl FnOnce(&Partition) + Send + 'static,
    ) {
        let (done, result) = oneshot::channel();
        let partition = self.clone();
        self.queue.run(move || {
            work(&partition);
            let _ = done.send(());
        });
        let _ = result.await;
    }

    /// Tells the replica where the log now begins.
    fn publish_log_start(&self, log: &Log) {
        let woken = self.replica.lock().on_log_start(log.log_start());
        wake(woken);
    }
}
