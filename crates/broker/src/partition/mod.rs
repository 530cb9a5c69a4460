//! One partition on this broker: its log, its replica, and the storage thread that owns its
//! writes.
//!
//! Who may touch what: the log is written on its storage thread alone (the lock around it is
//! contended only when the flusher looks in, for a moment); the replica is behind a short lock of its own; readers use the lock-free
//! [`LogReader`].

mod append;
mod directory;
mod maintain;
mod read;

use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwap;
use highwater_config::TopicConfig;
use highwater_log::{Log, LogReader};
use highwater_replication::{AckOutcome, FlushPolicy, Positions, Replica, Woken};
use highwater_types::{BrokerId, LeaderEpoch, Offset, TopicIdPartition, TopicPartition};
use parking_lot::Mutex;

use crate::fetch::FetchWait;
use crate::storage::StorageQueue;

pub use directory::PartitionDirectory;
pub use maintain::DeleteRefusal;
pub use read::{ReadAnswer, ReadRefusal, ReadRequest};

type AckWaiter = Box<dyn FnOnce(AckOutcome) + Send>;

/// One partition replica and its log.
pub struct Partition {
    id: TopicIdPartition,
    name: TopicPartition,
    /// Where the log lies while the partition is not deleted.
    dir: PathBuf,
    queue: Arc<StorageQueue>,
    /// Locked by the storage thread, and by the flusher for moments; `None` once it is closed.
    log: Mutex<Option<Log>>,
    reader: LogReader,
    replica: Mutex<Replica<AckWaiter, Arc<FetchWait>>>,
    config: ArcSwap<TopicConfig>,
}

impl Partition {
    pub fn new(
        local: BrokerId,
        id: TopicIdPartition,
        name: TopicPartition,
        dir: PathBuf,
        log: Log,
        config: Arc<TopicConfig>,
        queue: Arc<StorageQueue>,
    ) -> Arc<Partition> {
        let reader = log.reader();
        let end = reader.log_end();
        // A log that has been opened counts as flushed: recovery reads what is on disk, and what
        // survived a crash of the process alone is written back by the operating system.
        let at = Positions {
            log_start: reader.log_start(),
            high_watermark: end,
            flushed: end,
            log_end: end,
        };
        Arc::new(Partition {
            id,
            name,
            dir,
            queue,
            reader,
            replica: Mutex::new(Replica::new(local, flush_policy(&config), at)),
            log: Mutex::new(Some(log)),
            config: ArcSwap::new(config),
        })
    }

    pub fn id(&self) -> TopicIdPartition {
        self.id
    }

    pub fn name(&self) -> &TopicPartition {
        &self.name
    }

    /// Direct access for readers: never blocks on the writer.
    pub fn reader(&self) -> &LogReader {
        &self.reader
    }

    pub fn config(&self) -> Arc<TopicConfig> {
        self.config.load_full()
    }

    pub fn positions(&self) -> Positions {
        self.replica.lock().positions()
    }

    /// The epoch in which this broker leads the partition, if it does.
    pub fn leader_epoch(&self) -> Option<LeaderEpoch> {
        self.replica.lock().leader_epoch()
    }

    /// Offset after the last record that a read_committed consumer may see. Without transactions
    /// nothing is ever open, so it is the high watermark.
    pub fn last_stable_offset(&self) -> Offset {
        self.positions().high_watermark
    }

    /// Leads from `epoch` on: first notes in the log where the epoch begins, then takes writes.
    pub async fn lead(self: &Arc<Self>, epoch: LeaderEpoch, isr: Vec<BrokerId>) {
        let begun = self.with_log(move |_, log| log.begin_epoch(epoch)).await;
        match begun {
            Some(Ok(())) => self.become_leader(epoch, isr),
            Some(Err(error)) => {
                tracing::error!(partition = %self.name, %error, "the partition cannot be led; it is offline");
                self.become_idle();
            }
            None => {}
        }
    }

    /// Leads from `epoch` on.
    pub fn become_leader(&self, epoch: LeaderEpoch, isr: Vec<BrokerId>) {
        let woken = self.replica.lock().become_leader(epoch, isr);
        wake(woken);
    }

    /// Stops leading; everything that waits here is answered.
    pub fn become_idle(&self) {
        let woken = self.replica.lock().become_idle();
        wake(woken);
    }

    /// Calls `then` once everything below `end` is committed, or cannot be any more.
    pub fn when_committed(&self, end: Offset, then: AckWaiter) {
        let decided = self.replica.lock().wait_for_ack(end, then);
        if let Err((then, outcome)) = decided {
            then(outcome);
        }
    }

    /// Registers a waiting fetch. `None` if something moved since `seen`: look again instead.
    pub fn wait_for_data(&self, seen: Positions, needs: u64, wait: &Arc<FetchWait>) -> Option<u64> {
        self.replica.lock().wait_for_data(seen, needs, wait.clone()).ok()
    }

    pub fn stop_waiting(&self, waiter: u64) {
        self.replica.lock().stop_waiting(waiter);
    }
}

/// The replica's word for the setting.
fn flush_policy(config: &TopicConfig) -> FlushPolicy {
    match config.acks_all_flush {
        highwater_config::FlushPolicy::Auto => FlushPolicy::Auto,
        highwater_config::FlushPolicy::Always => FlushPolicy::Always,
        highwater_config::FlushPolicy::Never => FlushPolicy::Never,
    }
}

/// Carries out what a replica decided. Call it without holding any lock.
fn wake(woken: Woken<AckWaiter, Arc<FetchWait>>) {
    for (then, outcome) in woken.acks {
        then(outcome);
    }
    for fetch in woken.fetches {
        fetch.wake();
    }
}
