//! Reading: which bytes of which files answer a fetch. Whole batches, no payload read.
//!
//! A [`LogReader`] never waits for the writer: it takes the current [`View`] and works on that. A
//! reader at the log end is answered from memory; one that reads on where it stopped needs no
//! index lookup.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use highwater_records::HEADER_BYTES;
use highwater_types::{LeaderEpoch, Offset};
use highwater_wire::FileRange;
use parking_lot::Mutex;

use crate::epochs::{EpochEnd, EpochEntry};
use crate::error::{LogError, ReadError};
use crate::limits::{READ_HINTS, READ_RANGES_MAX, READ_RETRIES_MAX};
use crate::log::Shared;
use crate::lookup::Start;
use crate::producers::ProducerEntry;
use crate::segment::Segment;
use crate::view::View;
use crate::walk::WalkError;

/// Reads one log; cheap to clone, and safe to use from any thread.
#[derive(Debug, Clone)]
pub struct LogReader {
    pub(crate) shared: Arc<Shared>,
}

/// Whole batches of a log, as ranges of its files.
#[derive(Debug, Clone, Default)]
pub struct Slice {
    pub ranges: Vec<FileRange>,
    /// Bytes of all ranges together.
    pub len: usize,
}

impl Slice {
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// What a read asks for.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    from: Offset,
    /// Exclusive.
    limit: Offset,
    bytes_max: u64,
    min_one_batch: bool,
}

/// Where reads ended lately: `offset` begins at `position` of the segment at `base`.
#[derive(Debug, Clone, Copy)]
struct Hint {
    offset: Offset,
    base: Offset,
    position: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Hints {
    /// Newest first. Only ever tried to lock: a hint is not worth waiting for.
    recent: Mutex<[Option<Hint>; READ_HINTS]>,
}

impl Hints {
    fn find(&self, base: Offset, offset: Offset) -> Option<u64> {
        let recent = self.recent.try_lock()?;
        let mut hints = recent.iter().flatten();
        hints.find(|hint| hint.offset == offset && hint.base == base).map(|hint| hint.position)
    }

    fn note(&self, hint: Hint) {
        let Some(mut recent) = self.recent.try_lock() else { return };
        recent.rotate_right(1);
        if let Some(first) = recent.first_mut() {
            *first = Some(hint);
        }
    }

    pub(crate) fn clear(&self) {
        *self.recent.lock() = Default::default();
    }
}

/// Failures that a newer view may mend.
pub(crate) trait GoneSegment {
    fn is_gone_segment(&self) -> bool;
}

impl GoneSegment for LogError {
    fn is_gone_segment(&self) -> bool {
        matches!(self, LogError::Read { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

impl GoneSegment for ReadError {
    fn is_gone_segment(&self) -> bool {
        matches!(self, ReadError::Storage(error) if error.is_gone_segment())
    }
}

impl LogReader {
    /// First offset that is served.
    pub fn log_start(&self) -> Offset {
        self.shared.view.load().log_start
    }

    /// Offset that the next record will get.
    pub fn log_end(&self) -> Offset {
        self.shared.view.load().log_end
    }

    /// Bytes of all segments.
    pub fn size_bytes(&self) -> u64 {
        let view = self.shared.view.load();
        (0..view.segments.len()).map(|number| view.size_of(number)).sum()
    }

    /// Whether the log start lies above the first segment's base, so that only the checkpoint
    /// knows it.
    pub fn log_start_was_moved(&self) -> bool {
        let view = self.shared.view.load();
        view.segments.first().is_some_and(|first| first.base < view.log_start)
    }

    pub fn segment_count(&self) -> usize {
        self.shared.view.load().segments.len()
    }

    /// The epoch of the last leader that wrote here, and where it began.
    pub fn latest_epoch(&self) -> Option<EpochEntry> {
        self.shared.epochs.load().latest()
    }

    /// Epoch of the record at an offset.
    pub fn epoch_of(&self, offset: Offset) -> Option<LeaderEpoch> {
        self.shared.epochs.load().epoch_of(offset)
    }

    pub fn epochs(&self) -> Vec<EpochEntry> {
        self.shared.epochs.load().entries().to_vec()
    }

    /// Where an epoch ends (Kafka: OffsetForLeaderEpoch); None if it is not known here.
    pub fn end_offset_for_epoch(&self, epoch: LeaderEpoch) -> Option<EpochEnd> {
        self.shared.epochs.load().end_of(epoch, self.log_end())
    }

    /// All producers with state here, by id.
    pub fn producers(&self) -> Vec<ProducerEntry> {
        self.shared.producers.lock().iter().copied().collect()
    }

    /// The batches from the one that holds `from` on, up to `bytes_max`, all of whose records lie
    /// below `limit`. With `min_one_batch` the first is given even if it alone is larger. Where
    /// compaction left a gap at `from` the batches begin behind it.
    ///
    /// # Errors
    /// `OutOfRange` if `from` is below the log start or above the log end.
    pub fn read(
        &self,
        from: Offset,
        bytes_max: usize,
        limit: Offset,
        min_one_batch: bool,
    ) -> Result<Slice, ReadError> {
        self.with_view(|view| {
            let (start, end) = (view.log_start, view.log_end);
            if from < start || from > end {
                return Err(ReadError::OutOfRange { offset: from, start, end });
            }
            let wanted =
                Wanted { from, limit: limit.min(end), bytes_max: bytes_max as u64, min_one_batch };
            Ok(self.read_view(view, wanted)?)
        })
    }

    /// Calls `look` with the current view, again if a segment in it has gone meanwhile.
    pub(crate) fn with_view<T, E: GoneSegment>(
        &self,
        look: impl Fn(&View) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut tries = 1;
        loop {
            match look(&self.shared.view.load_full()) {
                Err(error) if error.is_gone_segment() && tries < READ_RETRIES_MAX => tries += 1,
                result => return result,
            }
        }
    }

    fn read_view(&self, view: &View, wanted: Wanted) -> Result<Slice, LogError> {
        let mut slice = Slice::default();
        if wanted.from >= wanted.limit {
            return Ok(slice);
        }
        let first = view.segment_of(wanted.from);
        for (number, segment) in view.segments.iter().enumerate().skip(first) {
            if segment.base >= wanted.limit || slice.ranges.len() == READ_RANGES_MAX {
                break;
            }
            let stop = self
                .read_segment(view, number, segment, wanted, &mut slice)
                .map_err(|error| segment.damage(error))?;
            if stop {
                break;
            }
        }
        Ok(slice)
    }

    /// Adds a segment's part to the slice; true if the slice is complete.
    fn read_segment(
        &self,
        view: &View,
        number: usize,
        segment: &Segment,
        wanted: Wanted,
        slice: &mut Slice,
    ) -> Result<bool, WalkError> {
        let size = view.size_of(number);
        let Some(start) = self.position(view, number, segment, wanted.from, true)? else {
            return Ok(false);
        };
        let stop = match wanted.limit < view.end_of(number) {
            true => self.position(view, number, segment, wanted.limit, false)?.unwrap_or(size),
            false => size,
        };
        let budget = wanted.bytes_max.saturating_sub(slice.len as u64);
        let mut end = stop.min(start + budget);
        if end < stop {
            end = self.boundary(view, number, segment, start, end)?.min(stop);
        }
        if end <= start && start < stop && slice.is_empty() && wanted.min_one_batch {
            let first = segment.walk_in(start, size, HEADER_BYTES)?.next()?;
            end = first.map_or(start, |met| met.end()).min(stop);
        }
        if end > start {
            let len = (end - start) as usize;
            slice.ranges.push(FileRange { file: segment.log_file()?, position: start, len });
            slice.len += len;
        }
        if end == size && view.is_active(number) {
            self.note(segment, view.log_end, end);
        } else if end > start && end < stop {
            self.note_boundary(segment, end, size)?;
        }
        Ok(end < size)
    }

    /// Where the first batch that holds `offset` or a later one begins.
    fn position(
        &self,
        view: &View,
        number: usize,
        segment: &Segment,
        offset: Offset,
        hinted: bool,
    ) -> Result<Option<u64>, WalkError> {
        let size = view.size_of(number);
        if offset <= segment.base {
            return Ok((size > 0).then_some(0));
        }
        if let Some(batch) = view.tail_from(number, offset) {
            return Ok(Some(batch.position));
        }
        if hinted && let Some(position) = self.shared.hints.find(segment.base, offset) {
            return Ok((position < size).then_some(position));
        }
        Ok(segment.locate(offset, self.start(size))?.map(|met| met.position))
    }

    /// The last batch boundary not after `position`.
    fn boundary(
        &self,
        view: &View,
        number: usize,
        segment: &Segment,
        from: u64,
        position: u64,
    ) -> Result<u64, WalkError> {
        if let Some(boundary) = view.tail_boundary(number, position) {
            return Ok(boundary.max(from));
        }
        segment.boundary_before(position, from, self.start(view.size_of(number)))
    }

    pub(crate) fn start(&self, size: u64) -> Start {
        Start { interval_bytes: self.shared.interval_bytes.load(Ordering::Relaxed), size }
    }

    fn note(&self, segment: &Segment, offset: Offset, position: u64) {
        self.shared.hints.note(Hint { offset, base: segment.base, position });
    }

    /// The reader will come back for the offset after the last batch given.
    fn note_boundary(&self, segment: &Segment, end: u64, size: u64) -> Result<(), WalkError> {
        let next = segment.walk_in(end, size, HEADER_BYTES)?.next()?;
        if let Some(met) = next {
            self.note(segment, Offset(met.header.base_offset), end);
        }
        Ok(())
    }
}
