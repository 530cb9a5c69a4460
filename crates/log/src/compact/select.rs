//! Which part of a log may be compacted, and whether that is worth the work.

use std::sync::Arc;

use highwater_types::{Offset, Timestamp};

use super::job::CompactionJob;
use crate::error::LogError;
use crate::log::Log;
use crate::segment::Segment;

/// What compaction of a log could do now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cleanable {
    /// Bytes below the point where the last compaction ended.
    pub clean_bytes: u64,
    /// Bytes above it that may be compacted.
    pub dirty_bytes: u64,
    /// Records have waited for longer than `max.compaction.lag.ms`.
    pub is_overdue: bool,
}

impl Cleanable {
    /// The share of the log that compaction would read for new keys, 0 to 1.
    pub fn dirty_ratio(&self) -> f64 {
        let all = self.clean_bytes + self.dirty_bytes;
        if all == 0 { 0.0 } else { self.dirty_bytes as f64 / all as f64 }
    }
}

/// Closed segments from the log start to `limit`, of which those from `clean_to` on are dirty.
struct Plan {
    cleanable: Cleanable,
    segments: usize,
    clean_to: Offset,
    limit: Offset,
}

impl Log {
    /// What there is to compact; None if nothing. `clean_to` is where the last compaction ended,
    /// `committed` the first offset that may still change: the last stable offset, at most the
    /// high watermark.
    ///
    /// # Errors
    /// If the log is offline or a segment cannot be read.
    pub fn cleanable(
        &self,
        clean_to: Offset,
        committed: Offset,
        now: Timestamp,
    ) -> Result<Option<Cleanable>, LogError> {
        Ok(self.plan(clean_to, committed, now)?.map(|plan| plan.cleanable))
    }

    /// Begins what [`Log::cleanable`] speaks of.
    ///
    /// # Errors
    /// As there.
    pub fn begin_compaction(
        &self,
        clean_to: Offset,
        committed: Offset,
        now: Timestamp,
    ) -> Result<Option<CompactionJob>, LogError> {
        let Some(plan) = self.plan(clean_to, committed, now)? else { return Ok(None) };
        let segments = self.segments.get(..plan.segments).unwrap_or_default().to_vec();
        Ok(Some(CompactionJob::new(self, segments, plan.clean_to, plan.limit, now)?))
    }

    fn plan(
        &self,
        clean_to: Offset,
        committed: Offset,
        now: Timestamp,
    ) -> Result<Option<Plan>, LogError> {
        self.check_online()?;
        let first = self.segments.first().map_or(self.log_end, |segment| segment.base);
        // A checkpoint beyond the closed segments is of a log that was truncated since.
        let clean_to = match clean_to > self.active.segment.base {
            true => first,
            false => clean_to.max(first),
        };
        let limit = self.cleanable_limit(clean_to, committed, now)?;
        if clean_to >= limit {
            return Ok(None);
        }
        let closed = self.segments.partition_point(|segment| segment.base < limit);
        let segments = self.segments.get(..closed).unwrap_or_default();
        // A segment that was clean only in part counts as dirty.
        let ends = segments.iter().skip(1).map(|next| next.base).chain([limit]);
        let clean = ends.take_while(|end| *end <= clean_to).count();
        let bytes = |part: &[Arc<Segment>]| part.iter().map(|segment| segment.size()).sum::<u64>();
        let (before, dirty) = segments.split_at_checked(clean).unwrap_or((segments, &[]));
        let is_overdue = match dirty.first() {
            Some(oldest) => self.oldest_age(oldest, now)? > self.config.max_compaction_lag_ms,
            None => false,
        };
        let cleanable =
            Cleanable { clean_bytes: bytes(before), dirty_bytes: bytes(dirty), is_overdue };
        Ok(Some(Plan { cleanable, segments: closed, clean_to, limit }))
    }

    /// First offset that may not be compacted yet; where a segment begins, or `clean_to`.
    fn cleanable_limit(
        &self,
        clean_to: Offset,
        committed: Offset,
        now: Timestamp,
    ) -> Result<Offset, LogError> {
        let committed = committed.min(self.first_unstable());
        let mut limit = clean_to;
        let ends = self.segments.iter().skip(1).map(|next| next.base);
        for (segment, end) in self.segments.iter().zip(ends) {
            if end <= clean_to {
                continue;
            }
            // The producers of an open transaction may still abort what lies before a marker.
            if end > committed || self.is_too_young(segment, now)? {
                break;
            }
            limit = end;
        }
        Ok(limit)
    }

    fn is_too_young(&self, segment: &Arc<Segment>, now: Timestamp) -> Result<bool, LogError> {
        let lag = self.config.min_compaction_lag_ms;
        if lag <= 0 {
            return Ok(false);
        }
        Ok(self.newest_of(segment)?.get() > now.get().saturating_sub(lag))
    }

    /// How long ago the first batch of a segment was written.
    fn oldest_age(&self, segment: &Arc<Segment>, now: Timestamp) -> Result<i64, LogError> {
        if self.config.max_compaction_lag_ms == i64::MAX {
            return Ok(0);
        }
        let mut walk =
            segment.walk(0, segment.size()).map_err(|error| segment.read_failed(error))?;
        let first = walk.next().map_err(|error| segment.damage(error))?;
        let time = match first.map(|met| met.header.max_timestamp).filter(|time| *time >= 0) {
            Some(time) => time,
            None => self.newest_of(segment)?.get(),
        };
        Ok(now.get().saturating_sub(time))
    }
}
