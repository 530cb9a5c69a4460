//! Walking a segment from batch header to batch header, without reading the records between.
//!
//! Owns the reading in chunks. Checks that headers make sense one after the other (length, magic,
//! rising offsets); does not check CRCs: recovery does.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use highwater_records::{BatchHeader, HEADER_BYTES};
use highwater_types::Offset;

use crate::disk::Disk;

/// A batch met on the way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Met {
    pub(crate) position: u64,
    pub(crate) header: BatchHeader,
}

impl Met {
    /// Position after the batch.
    pub(crate) fn end(&self) -> u64 {
        self.position + self.header.size_bytes() as u64
    }
}

/// Why a walk stopped before its end.
#[derive(Debug)]
pub(crate) enum WalkError {
    Io(io::Error),
    /// What stands at `position` is not a batch.
    Bad {
        position: u64,
        what: String,
    },
}

impl From<io::Error> for WalkError {
    fn from(error: io::Error) -> Self {
        WalkError::Io(error)
    }
}

/// Headers of the batches from a position up to the end of the valid bytes.
pub(crate) struct Walk<'a> {
    disk: &'a dyn Disk,
    file: Arc<File>,
    /// Where the next batch begins.
    position: u64,
    end: u64,
    /// No batch may begin below this offset.
    floor: i64,
    /// Nor end above this one: indexes have 31 bits for an offset.
    ceiling: i64,
    buffer: Vec<u8>,
    buffer_position: u64,
    chunk_bytes: usize,
}

impl<'a> Walk<'a> {
    /// `range` lies in the file of the segment that begins at offset `base`.
    pub(crate) fn new(
        disk: &'a dyn Disk,
        file: Arc<File>,
        base: Offset,
        range: Range<u64>,
        chunk_bytes: usize,
    ) -> Self {
        Walk {
            disk,
            file,
            position: range.start,
            end: range.end,
            floor: base.get(),
            ceiling: base.get().saturating_add(i64::from(i32::MAX)),
            buffer: Vec::new(),
            buffer_position: 0,
            chunk_bytes,
        }
    }

    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// The next batch; None at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Met>, WalkError> {
        let position = self.position;
        if position >= self.end {
            return Ok(None);
        }
        let bytes = self.header_bytes()?;
        let bad = |what: String| WalkError::Bad { position, what };
        let header = BatchHeader::parse(bytes).map_err(|error| bad(error.to_string()))?;
        let met = Met { position, header };
        if met.end() > self.end {
            let missing = met.end() - self.end;
            return Err(bad(format!("the last batch lacks {missing} bytes")));
        }
        let (base, delta) = (header.base_offset, header.last_offset_delta);
        let fits = base >= self.floor && delta >= 0 && base <= self.ceiling - i64::from(delta);
        if !fits {
            return Err(bad(format!("offsets {base} + {delta} follow {}", self.floor)));
        }
        self.floor = header.next_offset();
        self.position = met.end();
        Ok(Some(met))
    }

    /// The first `len` bytes of a batch that was met.
    pub(crate) fn read(&self, met: &Met, len: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; len.min(met.header.size_bytes())];
        let read = self.disk.read_at(&self.file, &mut bytes, met.position)?;
        bytes.truncate(read);
        Ok(bytes)
    }

    /// Calls `take` with all bytes of a batch that was met, piece by piece.
    pub(crate) fn read_through(
        &mut self,
        met: &Met,
        mut take: impl FnMut(&[u8]),
    ) -> io::Result<()> {
        let mut position = met.position;
        while position < met.end() {
            if !self.buffered(position) {
                self.fill(position)?;
            }
            let from = (position - self.buffer_position) as usize;
            let held = self.buffer.get(from..).unwrap_or_default();
            let wanted = (met.end() - position).min(held.len() as u64);
            let piece = held.get(..wanted as usize).unwrap_or_default();
            if piece.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            take(piece);
            position += wanted;
        }
        Ok(())
    }

    fn buffered(&self, position: u64) -> bool {
        let range = self.buffer_position..self.buffer_position + self.buffer.len() as u64;
        range.contains(&position)
    }

    fn header_bytes(&mut self) -> io::Result<&[u8]> {
        let wanted = (self.end - self.position).min(HEADER_BYTES as u64);
        if !(self.buffered(self.position) && self.buffered(self.position + wanted - 1)) {
            self.fill(self.position)?;
        }
        let from = (self.position - self.buffer_position) as usize;
        let held = self.buffer.get(from..).unwrap_or_default();
        Ok(held.get(..wanted as usize).unwrap_or(held))
    }

    fn fill(&mut self, position: u64) -> io::Result<()> {
        let len = (self.end - position).min(self.chunk_bytes as u64) as usize;
        self.buffer.resize(len, 0);
        self.buffer_position = position;
        let read = self.disk.read_at(&self.file, &mut self.buffer, position)?;
        self.buffer.truncate(read);
        Ok(())
    }
}
