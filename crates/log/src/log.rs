//! The log of one partition: its single writer, and what the parts of the writer share.
//!
//! Owns the order of offsets: whatever is appended gets the next ones, and no offset is ever given
//! twice (HW-06). Knows nothing of roles, watermarks beyond what it is told, or threads. The
//! partition's storage thread holds the [`Log`]; everyone else holds a [`LogReader`].
//!
//! Duties of the caller:
//! 1. One [`Log`] per folder, under the lock of its [`LogDir`](crate::LogDir).
//! 2. Client batches come validated (`records::accept_produced`).
//! 3. After [`Log::flush`] write the recovery points down now and then; after the last
//!    [`Log::close`] the clean-shutdown marker.
//! 4. After HW0005 of an append or a roll the log goes on where it was, if the disk lets it. HW0007
//!    is final: opening the log again is the way back.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use arc_swap::ArcSwap;
use highwater_types::{LeaderEpoch, Offset, Timestamp};
use parking_lot::Mutex;

use crate::config::LogConfig;
use crate::deletion::Doomed;
use crate::epochs::Epochs;
use crate::error::LogError;
use crate::indexer::Indexer;
use crate::limits::TAIL_BATCHES_MAX;
use crate::names;
use crate::place::Place;
use crate::producers::Producers;
use crate::read::{Hints, LogReader};
use crate::segment::Segment;
use crate::view::{TailBatch, View};

/// What the writer and the readers of one log have in common.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) place: Arc<Place>,
    pub(crate) view: ArcSwap<View>,
    pub(crate) epochs: ArcSwap<Epochs>,
    /// Changed by the writer alone; locked for as long as a copy takes.
    pub(crate) producers: Mutex<Producers>,
    pub(crate) hints: Hints,
    /// `index.interval.bytes`, for rebuilding an index.
    pub(crate) interval_bytes: AtomicU32,
}

/// The writer's state of the active segment.
#[derive(Debug)]
pub(crate) struct Active {
    pub(crate) segment: Arc<Segment>,
    pub(crate) size: u64,
    pub(crate) indexer: Indexer,
    /// Largest timestamp of the first batch, once it is known.
    pub(crate) first_batch_time: Option<Timestamp>,
    /// When this process began to write it.
    pub(crate) created: Timestamp,
    /// Batches for [`View::tail`].
    pub(crate) tail: Vec<TailBatch>,
}

/// The single writer of one partition's log.
#[derive(Debug)]
pub struct Log {
    pub(crate) shared: Arc<Shared>,
    pub(crate) config: LogConfig,
    /// All segments, oldest first; the last one is `active.segment`.
    pub(crate) segments: Vec<Arc<Segment>>,
    pub(crate) active: Active,
    pub(crate) log_start: Offset,
    /// Offset of the next record.
    pub(crate) log_end: Offset,
    /// Everything below is on the medium. Invariant: `recovery_point <= log_end`.
    pub(crate) recovery_point: Offset,
    /// Offset of the newest producer snapshot, 0 if there is none.
    pub(crate) last_snapshot: Offset,
    /// Closed segments not flushed yet, oldest first.
    pub(crate) unflushed: Vec<Arc<Segment>>,
    /// Files were made since the folder was last flushed.
    pub(crate) names_dirty: bool,
    /// `leader-epoch-checkpoint` lacks what memory knows; nothing was appended since.
    pub(crate) unwritten_epochs: bool,
    pub(crate) doomed: VecDeque<Doomed>,
    /// Why nothing may be written any more.
    pub(crate) offline: Option<String>,
}

impl Log {
    pub fn reader(&self) -> LogReader {
        LogReader { shared: Arc::clone(&self.shared) }
    }

    pub fn log_start(&self) -> Offset {
        self.log_start
    }

    /// Offset that the next record will get (Kafka: LEO).
    pub fn log_end(&self) -> Offset {
        self.log_end
    }

    /// Up to where the log is known to be on the medium.
    pub fn recovery_point(&self) -> Offset {
        self.recovery_point
    }

    /// Bytes of all segments.
    pub fn size_bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.size()).sum()
    }

    pub fn config(&self) -> &LogConfig {
        &self.config
    }

    /// Takes new settings; they hold from the next append or sweep on.
    pub fn update_config(&mut self, config: LogConfig) {
        self.shared.interval_bytes.store(config.index_interval_bytes, Ordering::Relaxed);
        self.active.indexer.interval_bytes = config.index_interval_bytes;
        self.config = config;
    }

    /// Notes that this log is now written in `epoch`, before the first append in it. The file
    /// `leader-epoch-checkpoint` follows with that append, so that a start with many idle logs
    /// writes nothing; only a log that has no file gets one at once.
    pub fn begin_epoch(&mut self, epoch: LeaderEpoch) -> Result<(), LogError> {
        self.check_online()?;
        let has_file = !self.shared.epochs.load().entries().is_empty() || self.unwritten_epochs;
        self.note_epoch(epoch, self.log_end);
        if has_file { Ok(()) } else { self.write_epochs() }
    }

    /// Makes sure that the file knows the epoch of what is appended next.
    pub(crate) fn enter_epoch(&mut self, epoch: LeaderEpoch, at: Offset) -> Result<(), LogError> {
        self.note_epoch(epoch, at);
        if self.unwritten_epochs { self.write_epochs() } else { Ok(()) }
    }

    fn note_epoch(&mut self, epoch: LeaderEpoch, start: Offset) {
        let known = self.shared.epochs.load();
        if known.is_new(epoch) {
            let mut epochs = Epochs::clone(&known);
            epochs.assign(epoch, start);
            self.shared.epochs.store(Arc::new(epochs));
            self.unwritten_epochs = true;
        }
    }

    pub(crate) fn store_epochs(&mut self, epochs: Epochs) -> Result<(), LogError> {
        self.shared.epochs.store(Arc::new(epochs));
        self.write_epochs()
    }

    fn write_epochs(&mut self) -> Result<(), LogError> {
        let place = &self.shared.place;
        let path = place.join(names::EPOCHS);
        let text = self.shared.epochs.load().to_text();
        // Not flushed here: what a power loss takes is rebuilt from the batches.
        place.disk.replace(&path, text.as_bytes(), false).map_err(LogError::write(&path))?;
        self.unwritten_epochs = false;
        Ok(())
    }

    pub(crate) fn check_online(&self) -> Result<(), LogError> {
        match &self.offline {
            None => Ok(()),
            Some(why) => {
                let path = self.shared.place.path().to_path_buf();
                Err(LogError::Offline { path, why: why.clone() })
            }
        }
    }

    /// Notes a failure after which the files and this state may disagree.
    pub(crate) fn go_offline(&mut self, error: LogError) -> LogError {
        tracing::error!(code = error.code(), %error, "log goes offline");
        self.offline.get_or_insert_with(|| error.to_string());
        error
    }

    /// Shows the writer's state to the readers.
    pub(crate) fn publish(&self) {
        let old = self.shared.view.load();
        // The list of segments is shared between pictures until it changes.
        let same = old.segments.len() == self.segments.len()
            && old.segments.iter().zip(&self.segments).all(|(a, b)| Arc::ptr_eq(a, b));
        let segments =
            if same { Arc::clone(&old.segments) } else { self.segments.as_slice().into() };
        self.shared.view.store(Arc::new(View {
            segments,
            log_start: self.log_start,
            log_end: self.log_end,
            active_size: self.active.size,
            newest: self.active.indexer.newest,
            tail: self.active.tail.as_slice().into(),
        }));
    }

    /// Offset of the first open transaction's first record, or the log end.
    pub fn first_unstable(&self) -> Offset {
        self.shared.producers.lock().first_open().unwrap_or(self.log_end)
    }
}

impl Active {
    pub(crate) fn push_tail(&mut self, batch: TailBatch) {
        if self.tail.len() == TAIL_BATCHES_MAX {
            self.tail.remove(0);
        }
        self.tail.push(batch);
    }
}
