//! Where a batch lies in a segment: an index entry as a candidate, checked against the batch it
//! names, then a short walk. A broken index makes a lookup slow, never wrong.

use std::io;

use highwater_types::Offset;

use crate::offset_index::{IndexEntry, OffsetIndex};
use crate::segment::Segment;
use crate::walk::{Met, Walk, WalkError};

/// What a lookup must know of the segment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    pub(crate) interval_bytes: u32,
    /// Valid bytes.
    pub(crate) size: u64,
}

type Ask<'a> = dyn FnOnce(&OffsetIndex<'_>) -> io::Result<Option<IndexEntry>> + 'a;

impl Segment {
    /// The first batch that holds `offset` or a later one.
    pub(crate) fn locate(&self, offset: Offset, start: Start) -> Result<Option<Met>, WalkError> {
        self.locate_with(offset, start, |ask| self.with_index(start.interval_bytes, ask))
    }

    pub(crate) fn locate_with(
        &self,
        offset: Offset,
        start: Start,
        index: impl FnOnce(Box<Ask<'_>>) -> Result<Option<IndexEntry>, WalkError>,
    ) -> Result<Option<Met>, WalkError> {
        let candidate =
            index(Box::new(|view| view.last_where(|entry| entry.last_offset <= offset)))?;
        let (first, mut walk) = self.enter(candidate, start)?;
        let mut next = first;
        while let Some(met) = next {
            if met.header.last_offset() >= offset.get() {
                return Ok(Some(met));
            }
            next = walk.next()?;
        }
        Ok(None)
    }

    /// The last batch boundary not after `position`, searched from `from`, a boundary before it.
    pub(crate) fn boundary_before(
        &self,
        position: u64,
        from: u64,
        start: Start,
    ) -> Result<u64, WalkError> {
        let candidate = self.with_index(start.interval_bytes, |view| {
            view.last_where(|entry| entry.position <= position)
        })?;
        let candidate = candidate.filter(|entry| entry.position > from);
        let (mut next, mut walk) = match candidate {
            Some(_) => self.enter(candidate, start)?,
            None => {
                let mut walk = self.walk(from, start.size)?;
                (walk.next()?, walk)
            }
        };
        let mut boundary = next.map_or(from, |met| met.position);
        while let Some(met) = next.filter(|met| met.end() <= position) {
            boundary = met.end();
            next = walk.next()?;
        }
        Ok(boundary)
    }

    /// Begins a walk at an index entry if the batch there is the one it names, else at the start.
    fn enter(
        &self,
        candidate: Option<IndexEntry>,
        start: Start,
    ) -> Result<(Option<Met>, Walk<'_>), WalkError> {
        if let Some(entry) = candidate.filter(|entry| entry.position < start.size) {
            let mut walk = self.walk(entry.position, start.size)?;
            match walk.next() {
                Ok(first)
                    if first
                        .is_some_and(|met| met.header.last_offset() == entry.last_offset.get()) =>
                {
                    return Ok((first, walk));
                }
                Err(WalkError::Io(error)) => return Err(error.into()),
                _ => tracing::warn!(
                    folder = %self.place.path().display(), base = %self.base, ?entry,
                    "offset index contradicts the log, reading from the segment's start"
                ),
            }
        }
        let mut walk = self.walk(0, start.size)?;
        Ok((walk.next()?, walk))
    }
}
