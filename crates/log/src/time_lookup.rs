//! Finding records by time, exactly: to the record, also within compressed batches.

use highwater_records::{
    BatchView, Scratch, TimedOffset, first_at_or_after, first_of_max_timestamp,
};
use highwater_types::{LeaderEpoch, Offset, Timestamp};

use crate::error::LogError;
use crate::read::LogReader;
use crate::segment::Segment;
use crate::time_index::TimeEntry;
use crate::view::View;
use crate::walk::{Met, Walk, WalkError};

/// A record found by its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedRecord {
    pub offset: Offset,
    pub timestamp: Timestamp,
    /// Epoch of the leader that wrote it.
    pub epoch: LeaderEpoch,
}

impl Segment {
    /// Largest timestamp of a closed segment, and the last offset of the first batch that has it.
    pub(crate) fn newest(&self, interval_bytes: u32) -> Result<TimeEntry, WalkError> {
        if let Some(newest) = self.newest.get() {
            return Ok(*newest);
        }
        let last = self.with_times(interval_bytes, |times| {
            times.entries.checked_sub(1).map(|last| times.entry(last)).transpose()
        })?;
        Ok(*self.newest.get_or_init(|| last.unwrap_or(TimeEntry::none(self.base))))
    }
}

impl LogReader {
    /// The first record, in offset order, whose timestamp is at least `timestamp`; None if there
    /// is none up to the log end. Reads and decompresses the batch that holds it.
    pub fn offset_for_time(&self, timestamp: Timestamp) -> Result<Option<TimedRecord>, LogError> {
        self.with_view(|view| {
            let first = view.segment_of(view.log_start);
            for (number, segment) in view.segments.iter().enumerate().skip(first) {
                let found = self
                    .search_segment(view, number, segment, timestamp)
                    .map_err(|error| segment.damage(error))?;
                if found.is_some() {
                    return Ok(found);
                }
            }
            Ok(None)
        })
    }

    fn search_segment(
        &self,
        view: &View,
        number: usize,
        segment: &Segment,
        timestamp: Timestamp,
    ) -> Result<Option<TimedRecord>, WalkError> {
        let start = self.start(view.size_of(number));
        if self.newest_in(view, number, segment)?.timestamp < timestamp {
            return Ok(None);
        }
        // Everything up to this entry is older.
        let older = segment.with_times(start.interval_bytes, |times| {
            times.last_where(|entry| entry.timestamp < timestamp)
        })?;
        let from = older.map_or(segment.base, |entry| entry.offset).max(view.log_start);
        let Some(mut met) = segment.locate(from, start)? else { return Ok(None) };
        let mut walk = segment.walk(met.end(), start.size)?;
        let mut scratch = Scratch::default();
        loop {
            if met.header.max_timestamp >= timestamp.get() {
                let (least, from) = (timestamp.get(), view.log_start.get());
                let found = with_batch(&walk, &met, |batch| {
                    first_at_or_after(batch, least, from, &mut scratch)
                })?;
                if let Some(found) = found {
                    return Ok(Some(timed(found, &met)));
                }
            }
            match walk.next()? {
                Some(next) => met = next,
                None => return Ok(None),
            }
        }
    }

    /// The first record with the largest timestamp of the log; None if no record has any.
    pub fn offset_of_max_timestamp(&self) -> Result<Option<TimedRecord>, LogError> {
        self.with_view(|view| self.max_timestamp_in(view))
    }

    fn max_timestamp_in(&self, view: &View) -> Result<Option<TimedRecord>, LogError> {
        let first = view.segment_of(view.log_start);
        let mut best: Option<(usize, TimeEntry)> = None;
        for (number, segment) in view.segments.iter().enumerate().skip(first) {
            let newest =
                self.newest_served(view, number, segment).map_err(|error| segment.damage(error))?;
            let beats = best.is_none_or(|(_, entry)| newest.timestamp > entry.timestamp);
            if beats && newest.timestamp.get() >= 0 {
                best = Some((number, newest));
            }
        }
        let Some((number, entry)) = best else { return Ok(None) };
        let Some(segment) = view.segments.get(number) else { return Ok(None) };
        self.first_of(segment, entry, view.size_of(number)).map_err(|error| segment.damage(error))
    }

    fn first_of(
        &self,
        segment: &Segment,
        entry: TimeEntry,
        size: u64,
    ) -> Result<Option<TimedRecord>, WalkError> {
        let Some(met) = segment.locate(entry.offset, self.start(size))? else { return Ok(None) };
        let walk = segment.walk(met.end(), size)?;
        let mut scratch = Scratch::default();
        let found = with_batch(&walk, &met, |batch| first_of_max_timestamp(batch, &mut scratch))?;
        Ok(found.map(|found| timed(found, &met)))
    }

    fn newest_in(
        &self,
        view: &View,
        number: usize,
        segment: &Segment,
    ) -> Result<TimeEntry, WalkError> {
        match view.is_active(number) {
            true => Ok(view.newest),
            false => segment.newest(self.start(0).interval_bytes),
        }
    }

    /// As `newest_in`, of what lies at or above the log start.
    fn newest_served(
        &self,
        view: &View,
        number: usize,
        segment: &Segment,
    ) -> Result<TimeEntry, WalkError> {
        let newest = self.newest_in(view, number, segment)?;
        if newest.offset >= view.log_start {
            return Ok(newest);
        }
        let start = self.start(view.size_of(number));
        let mut best = TimeEntry::none(segment.base);
        let Some(first) = segment.locate(view.log_start, start)? else { return Ok(best) };
        let mut walk = segment.walk(first.position, start.size)?;
        while let Some(Met { header, .. }) = walk.next()? {
            if header.max_timestamp > best.timestamp.get() {
                let timestamp = Timestamp(header.max_timestamp);
                best = TimeEntry { timestamp, offset: Offset(header.last_offset()) };
            }
        }
        Ok(best)
    }
}

fn timed(found: TimedOffset, met: &Met) -> TimedRecord {
    TimedRecord {
        offset: Offset(found.offset),
        timestamp: Timestamp(found.timestamp),
        epoch: LeaderEpoch(met.header.partition_leader_epoch),
    }
}

/// Reads a batch that was met, and looks into it.
fn with_batch<R>(
    walk: &Walk<'_>,
    met: &Met,
    look: impl FnOnce(&BatchView<'_>) -> Result<R, highwater_records::BatchError>,
) -> Result<R, WalkError> {
    let bytes = walk.read(met, usize::MAX)?;
    BatchView::parse(&bytes)
        .and_then(|batch| look(&batch))
        .map_err(|error| WalkError::Bad { position: met.position, what: error.to_string() })
}
