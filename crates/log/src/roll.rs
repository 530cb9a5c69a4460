//! When the active segment is closed and a new one begun, by Kafka's rules.

use std::io;
use std::sync::Arc;

use highwater_records::{BatchHeader, HEADER_BYTES};
use highwater_types::{Entropy, Offset, SplitMix, Timestamp};

use crate::config::LogConfig;
use crate::error::LogError;
use crate::indexer::{Indexer, NewEntries};
use crate::log::{Active, Log};
use crate::names;
use crate::place::Place;
use crate::segment::Segment;

impl Log {
    /// Closes the active segment and begins a new one at the log end. Does nothing if the active
    /// segment is empty.
    pub fn roll(&mut self, now: Timestamp) -> Result<(), LogError> {
        self.check_online()?;
        self.roll_at(self.log_end, now)
    }

    /// Whether a batch needs a new segment. `pending` bytes are staged for the active one.
    pub(crate) fn must_roll(
        &mut self,
        header: &BatchHeader,
        pending: u64,
        now: Timestamp,
    ) -> Result<bool, LogError> {
        let size = self.active.size + pending;
        if size == 0 {
            return Ok(false);
        }
        let config = &self.config;
        let grown = size + header.size_bytes() as u64 > u64::from(config.segment_bytes);
        let far = header.last_offset() - self.active.segment.base.get() > i64::from(i32::MAX);
        let full = self.active.indexer.is_full(config.index_bytes_max);
        Ok(grown || far || full || self.waited_too_long(header, now)?)
    }

    /// By record time: from the first batch of the segment to this one. Only where records carry
    /// no time does the clock count.
    fn waited_too_long(&mut self, header: &BatchHeader, now: Timestamp) -> Result<bool, LogError> {
        let first = match self.active.first_batch_time {
            Some(first) => Some(first),
            None => self.load_first_batch_time()?,
        };
        let waited = match first.filter(|first| first.get() >= 0) {
            Some(first) => header.max_timestamp.saturating_sub(first.get()),
            None => now.get().saturating_sub(self.active.created.get()),
        };
        let jitter = jitter_ms(&self.config, self.active.segment.base);
        Ok(waited > self.config.segment_ms.saturating_sub(jitter))
    }

    fn load_first_batch_time(&mut self) -> Result<Option<Timestamp>, LogError> {
        let segment = &self.active.segment;
        if self.active.size < HEADER_BYTES as u64 {
            return Ok(None);
        }
        let mut walk = segment
            .walk_in(0, self.active.size, HEADER_BYTES)
            .map_err(|error| segment.read_failed(error))?;
        let first = walk.next().map_err(|error| segment.damage(error))?;
        self.active.first_batch_time = first.map(|met| Timestamp(met.header.max_timestamp));
        Ok(self.active.first_batch_time)
    }

    /// As [`Log::roll`]; whatever ends below `base` is written. After an error the old segment is
    /// still the active one, and the roll may be tried again.
    pub(crate) fn roll_at(&mut self, base: Offset, now: Timestamp) -> Result<(), LogError> {
        if self.active.size == 0 {
            return Ok(());
        }
        self.close_active()?;
        self.take_snapshot()?;
        let next = match Active::create(Arc::clone(&self.shared.place), &self.config, base, now) {
            Ok(next) => next,
            Err(error) => return Err(self.take_back_segment(base, error)),
        };
        let _ = self.active.segment.newest.set(self.active.indexer.newest);
        self.unflushed.push(Arc::clone(&self.active.segment));
        self.segments.push(Arc::clone(&next.segment));
        self.active = next;
        self.names_dirty = true;
        self.publish();
        Ok(())
    }

    /// Removes what there is of a segment that could not be made: found at the next start behind
    /// later appends to the old one, it would look like a contradiction.
    fn take_back_segment(&mut self, base: Offset, error: LogError) -> LogError {
        let place = &self.shared.place;
        for suffix in [names::LOG, names::OFFSET_INDEX, names::TIME_INDEX] {
            match place.disk.remove(&place.file(base, suffix)) {
                Err(other) if other.kind() != io::ErrorKind::NotFound => {
                    return self.go_offline(error);
                }
                _ => {}
            }
        }
        error
    }

    /// Enters the largest timestamp and cuts the files to what is used.
    pub(crate) fn close_active(&mut self) -> Result<(), LogError> {
        let active = &mut self.active;
        let segment = &active.segment;
        let mut entries = NewEntries::default();
        let before = active.indexer;
        active.indexer.enter_newest(segment.base, &mut entries);
        if let Err(error) = segment.append_entries(&before, &entries) {
            active.indexer = before;
            return Err(segment.write_failed(error));
        }
        segment.publish_entries(&active.indexer);
        let closed =
            segment.trim_indexes(&active.indexer).and_then(|()| match self.config.preallocate {
                true => segment.place.disk.set_len(&*segment.log_file()?, active.size),
                false => Ok(()),
            });
        closed.map_err(|error| segment.write_failed(error))
    }
}

impl Active {
    /// Makes the files of a new segment.
    pub(crate) fn create(
        place: Arc<Place>,
        config: &LogConfig,
        base: Offset,
        now: Timestamp,
    ) -> Result<Active, LogError> {
        let segment = Segment::new(place, base, 0);
        let log_bytes = if config.preallocate { u64::from(config.segment_bytes) } else { 0 };
        segment
            .create_files(config.index_bytes_max, log_bytes)
            .map_err(|error| segment.write_failed(error))?;
        Ok(Active {
            segment: Arc::new(segment),
            size: 0,
            indexer: Indexer::new(base, config.index_interval_bytes),
            first_batch_time: None,
            created: now,
            tail: Vec::new(),
        })
    }
}

/// Spreads the rolls of many partitions; the same for a segment each time it is asked.
fn jitter_ms(config: &LogConfig, base: Offset) -> i64 {
    match config.segment_jitter_ms.min(config.segment_ms) {
        ..=0 => 0,
        max => (SplitMix::new(base.get() as u64).next_u64() % max as u64) as i64,
    }
}
