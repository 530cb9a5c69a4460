//! One record, as a view of the bytes that hold it.
//!
//! ```text
//! size │ attributes 1 │ timestamp delta │ offset delta │ key size │ key │ value size │ value
//!      │ header count │ (name size │ name │ value size │ value)*
//! ```
//! All numbers but the attributes are zigzag varints; a size of -1 is null, and null is never the
//! same as empty.

use crate::{BatchHeader, RecordFault, varint};

/// A record of a batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordView<'a> {
    pub offset: i64,
    /// The producer's time, or the batch's under `LogAppendTime`.
    pub timestamp: i64,
    pub key: Option<&'a [u8]>,
    pub value: Option<&'a [u8]>,
    pub headers: Headers<'a>,
}

/// A header of a record. Names may repeat and be empty; their order counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header<'a> {
    /// UTF-8 by custom, which nobody enforces.
    pub name: &'a [u8],
    pub value: Option<&'a [u8]>,
}

impl<'a> Header<'a> {
    pub fn new(name: &'a str, value: Option<&'a [u8]>) -> Self {
        Header { name: name.as_bytes(), value }
    }

    /// The name, if it is UTF-8.
    pub fn name_str(&self) -> Option<&'a str> {
        std::str::from_utf8(self.name).ok()
    }
}

/// The headers of a record in their order: an iterator that can be copied to start over.
#[derive(Clone, Copy, PartialEq, Default)]
pub struct Headers<'a> {
    left: usize,
    bytes: &'a [u8],
}

impl std::fmt::Debug for Headers<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

impl<'a> Iterator for Headers<'a> {
    type Item = Header<'a>;

    /// The bytes were walked when the record was parsed, so that none is missing.
    fn next(&mut self) -> Option<Header<'a>> {
        self.left = self.left.checked_sub(1)?;
        let mut at = Fields { rest: self.bytes };
        let header = at.header().ok()?;
        self.bytes = at.rest;
        Some(header)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Headers<'_> {}

impl<'a> RecordView<'a> {
    /// Reads the record at the start of `bytes`; also gives the bytes after it.
    pub(crate) fn parse(
        bytes: &'a [u8],
        batch: &BatchHeader,
    ) -> Result<(RecordView<'a>, &'a [u8]), RecordFault> {
        let mut at = Fields { rest: bytes };
        let size = at.length()?.ok_or(RecordFault::Length(-1))?;
        let (body, rest) = at.rest.split_at_checked(size).ok_or(RecordFault::Truncated)?;
        let mut at = Fields { rest: body };
        let record = at.record(batch).map_err(|fault| match fault {
            // The fields do not fit the record's own size.
            RecordFault::Truncated => {
                RecordFault::Size { size: size as u64, used: size as u64 + 1 }
            }
            other => other,
        })?;
        if !at.rest.is_empty() {
            let used = (size - at.rest.len()) as u64;
            return Err(RecordFault::Size { size: size as u64, used });
        }
        Ok((record, rest))
    }
}

/// What has not been read yet.
struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    fn record(&mut self, batch: &BatchHeader) -> Result<RecordView<'a>, RecordFault> {
        self.byte()?;
        let timestamp_delta = self.varlong()?;
        let offset_delta = self.varint()?;
        let key = self.bytes()?;
        let value = self.bytes()?;
        let count = self.length()?.ok_or(RecordFault::Length(-1))?;
        let bytes = self.rest;
        for _ in 0..count {
            self.header()?;
        }
        Ok(RecordView {
            offset: batch.base_offset.wrapping_add(i64::from(offset_delta)),
            timestamp: batch.record_timestamp(timestamp_delta),
            key,
            value,
            headers: Headers { left: count, bytes },
        })
    }

    fn header(&mut self) -> Result<Header<'a>, RecordFault> {
        let name = self.bytes()?.ok_or(RecordFault::Length(-1))?;
        Ok(Header { name, value: self.bytes()? })
    }

    fn bytes(&mut self) -> Result<Option<&'a [u8]>, RecordFault> {
        let Some(length) = self.length()? else { return Ok(None) };
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(RecordFault::Truncated)?;
        self.rest = rest;
        Ok(Some(bytes))
    }

    /// A size or count; -1 is none.
    fn length(&mut self) -> Result<Option<usize>, RecordFault> {
        match self.varint()? {
            -1 => Ok(None),
            n => usize::try_from(n).map(Some).map_err(|_| RecordFault::Length(n.into())),
        }
    }

    fn byte(&mut self) -> Result<u8, RecordFault> {
        let (&byte, rest) = self.rest.split_first().ok_or(RecordFault::Truncated)?;
        self.rest = rest;
        Ok(byte)
    }

    fn varint(&mut self) -> Result<i32, RecordFault> {
        varint::read_i32(|| self.byte())
    }

    fn varlong(&mut self) -> Result<i64, RecordFault> {
        varint::read_i64(|| self.byte())
    }
}
