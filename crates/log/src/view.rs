//! What readers see of a log: one immutable picture, replaced as a whole by the writer.

use std::sync::Arc;

use highwater_types::Offset;

use crate::segment::Segment;
use crate::time_index::TimeEntry;

/// A recently appended batch of the active segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TailBatch {
    pub(crate) base_offset: Offset,
    pub(crate) last_offset: Offset,
    pub(crate) position: u64,
}

/// ```text
///   log_start                                            log_end
///      v                                                    v
/// ..|──────── segment 0 ────────|── … ──|── active segment ─|
///                                           |····· tail ····|
/// ```
/// There is always an active segment, the last one.
#[derive(Debug, Clone)]
pub(crate) struct View {
    pub(crate) segments: Arc<[Arc<Segment>]>,
    /// Invariant: `log_start <= log_end`.
    pub(crate) log_start: Offset,
    pub(crate) log_end: Offset,
    /// Valid bytes of the active segment.
    pub(crate) active_size: u64,
    /// Largest timestamp in the active segment.
    pub(crate) newest: TimeEntry,
    /// The last batches of the active segment, without a gap up to its end.
    pub(crate) tail: Arc<[TailBatch]>,
}

impl View {
    /// Index of the segment that holds `offset`, if any does; the first if it lies before all.
    pub(crate) fn segment_of(&self, offset: Offset) -> usize {
        self.segments.partition_point(|segment| segment.base <= offset).saturating_sub(1)
    }

    pub(crate) fn is_active(&self, number: usize) -> bool {
        number + 1 == self.segments.len()
    }

    /// Valid bytes of a segment in this picture.
    pub(crate) fn size_of(&self, number: usize) -> u64 {
        match self.segments.get(number) {
            Some(segment) if !self.is_active(number) => segment.size(),
            Some(_) => self.active_size,
            None => 0,
        }
    }

    /// First offset that lies after a segment.
    pub(crate) fn end_of(&self, number: usize) -> Offset {
        self.segments.get(number + 1).map_or(self.log_end, |next| next.base)
    }

    /// The first batch of the tail that holds `offset` or a later one, if the tail reaches back
    /// that far.
    pub(crate) fn tail_from(&self, number: usize, offset: Offset) -> Option<TailBatch> {
        let oldest = self.tail.first().filter(|_| self.is_active(number))?;
        if offset < oldest.base_offset {
            return None;
        }
        let at = self.tail.partition_point(|batch| batch.last_offset < offset);
        self.tail.get(at).copied()
    }

    /// The last batch boundary in the tail not after `position`, if the tail reaches back that far.
    pub(crate) fn tail_boundary(&self, number: usize, position: u64) -> Option<u64> {
        let oldest = self.tail.first().filter(|_| self.is_active(number))?;
        if position < oldest.position {
            return None;
        }
        if position >= self.active_size {
            return Some(self.active_size);
        }
        let at = self.tail.partition_point(|batch| batch.position <= position);
        at.checked_sub(1).and_then(|at| self.tail.get(at)).map(|batch| batch.position)
    }
}
