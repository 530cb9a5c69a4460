//! When a batch gets an index entry: the one rule, used by append, recovery and rebuilding alike.
//!
//! A batch is entered in both indexes, before it is counted, if more than `index.interval.bytes`
//! were appended since the last entry. The first batch of a segment therefore never is. Pure.

use highwater_records::BatchHeader;
use highwater_types::{Offset, Timestamp};

use crate::offset_index::{self, IndexEntry};
use crate::time_index::{self, TimeEntry};

/// Index state of a segment that grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Indexer {
    pub(crate) interval_bytes: u32,
    pub(crate) bytes_since_entry: u64,
    pub(crate) index_entries: u32,
    pub(crate) time_entries: u32,
    /// Last entry of the time index.
    pub(crate) last_time: TimeEntry,
    /// Largest timestamp so far; not always in the index yet.
    pub(crate) newest: TimeEntry,
}

/// Entries not yet in their files, encoded.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct NewEntries {
    pub(crate) index: Vec<u8>,
    pub(crate) time: Vec<u8>,
}

impl Indexer {
    /// Of an empty segment.
    pub(crate) fn new(base: Offset, interval_bytes: u32) -> Self {
        Indexer {
            interval_bytes,
            bytes_since_entry: 0,
            index_entries: 0,
            time_entries: 0,
            last_time: TimeEntry::none(base),
            newest: TimeEntry::none(base),
        }
    }

    /// Notes a batch that begins at `position`; the header has its final offsets and times.
    pub(crate) fn on_batch(
        &mut self,
        base: Offset,
        header: &BatchHeader,
        position: u64,
        entries: &mut NewEntries,
    ) {
        let last_offset = Offset(header.last_offset());
        if header.max_timestamp > self.newest.timestamp.get() {
            let timestamp = Timestamp(header.max_timestamp);
            self.newest = TimeEntry { timestamp, offset: last_offset };
        }
        if self.bytes_since_entry > u64::from(self.interval_bytes) {
            let entry = IndexEntry { last_offset, position };
            entries.index.extend_from_slice(&offset_index::encode(base, entry));
            self.index_entries += 1;
            self.enter_newest(base, entries);
            self.bytes_since_entry = 0;
        }
        self.bytes_since_entry += header.size_bytes() as u64;
    }

    /// Enters the largest timestamp if the time index lacks it: also the last thing that happens
    /// to a segment before it is closed.
    pub(crate) fn enter_newest(&mut self, base: Offset, entries: &mut NewEntries) {
        if self.newest.timestamp > self.last_time.timestamp {
            entries.time.extend_from_slice(&time_index::encode(base, self.newest));
            self.time_entries += 1;
            self.last_time = self.newest;
        }
    }

    /// Whether either index has no room for another entry; the time index keeps one for its close.
    pub(crate) fn is_full(&self, index_bytes_max: u32) -> bool {
        self.index_entries >= index_bytes_max / offset_index::ENTRY_BYTES
            || self.time_entries + 1 >= index_bytes_max / time_index::ENTRY_BYTES
    }
}
