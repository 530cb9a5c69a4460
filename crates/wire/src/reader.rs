//! [`Reader`]: takes the schema's types from a frame, sharing its bytes.
//!
//! Trusts nothing: every length is checked against what remains before anything is allocated,
//! and the memory of decoded arrays is counted against a budget.

use bytes::Bytes;
use highwater_types::Uuid;

use crate::limits::{STRING_BYTES_MAX, UNPACKED_BYTES_MIN, UNPACKED_PER_BYTE_MAX};
use crate::{DecodeError, Problem, Records, Str, UnknownTags};

type ReadItem<T> = fn(&mut Reader, i16) -> Result<T, DecodeError>;

/// A position in a frame.
#[derive(Debug, Clone)]
pub struct Reader {
    frame: Bytes,
    position: usize,
    /// Where reading must stop: the end of the frame, or of the tagged field being read.
    /// Invariant: `position <= end <= frame.len()`.
    end: usize,
    /// Bytes that arrays may still take.
    budget: usize,
}

/// The tagged fields of one structure, while they are being read.
pub(crate) struct Tags {
    left: u32,
    last: Option<u32>,
    /// `Reader::end` outside these fields.
    outer_end: usize,
}

impl Reader {
    pub fn new(frame: Bytes) -> Self {
        let end = frame.len();
        let budget = end.saturating_mul(UNPACKED_PER_BYTE_MAX).max(UNPACKED_BYTES_MIN);
        Reader { frame, position: 0, end, budget }
    }

    /// Bytes not yet read.
    pub fn remaining(&self) -> usize {
        self.end - self.position
    }

    pub fn position(&self) -> usize {
        self.position
    }

    /// Takes the next `len` bytes without copying them.
    pub fn take(&mut self, len: usize) -> Result<Bytes, DecodeError> {
        if len > self.remaining() {
            return Err(self.truncated(len));
        }
        let slice = self.frame.slice(self.position..self.position + len);
        self.position += len;
        Ok(slice)
    }

    /// Takes all that remains.
    pub fn rest(&mut self) -> Bytes {
        let slice = self.frame.slice(self.position..self.end);
        self.position = self.end;
        slice
    }

    fn array_of<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let unread = self.frame.get(self.position..self.end).unwrap_or_default();
        match unread.first_chunk::<N>() {
            Some(chunk) => {
                self.position += N;
                Ok(*chunk)
            }
            None => Err(self.truncated(N)),
        }
    }

    pub fn bool(&mut self) -> Result<bool, DecodeError> {
        Ok(self.i8()? != 0)
    }

    pub fn i8(&mut self) -> Result<i8, DecodeError> {
        Ok(i8::from_be_bytes(self.array_of()?))
    }

    pub fn i16(&mut self) -> Result<i16, DecodeError> {
        Ok(i16::from_be_bytes(self.array_of()?))
    }

    pub fn u16(&mut self) -> Result<u16, DecodeError> {
        Ok(u16::from_be_bytes(self.array_of()?))
    }

    pub fn i32(&mut self) -> Result<i32, DecodeError> {
        Ok(i32::from_be_bytes(self.array_of()?))
    }

    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        Ok(u32::from_be_bytes(self.array_of()?))
    }

    pub fn i64(&mut self) -> Result<i64, DecodeError> {
        Ok(i64::from_be_bytes(self.array_of()?))
    }

    pub fn f64(&mut self) -> Result<f64, DecodeError> {
        Ok(f64::from_be_bytes(self.array_of()?))
    }

    pub fn uuid(&mut self) -> Result<Uuid, DecodeError> {
        Ok(Uuid(self.array_of()?))
    }

    /// Seven bits a byte, lowest first, at most five bytes; bits above 32 are lost, as in Kafka.
    pub fn uvarint(&mut self) -> Result<u32, DecodeError> {
        let mut value = 0u32;
        for shift in [0, 7, 14, 21, 28] {
            let [byte] = self.array_of()?;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.error(Problem::BadVarint))
    }

    /// `None` for null (-1).
    fn length(&self, length: i64) -> Result<Option<usize>, DecodeError> {
        match usize::try_from(length) {
            Ok(length) => Ok(Some(length)),
            Err(_) if length == -1 => Ok(None),
            Err(_) => Err(self.error(Problem::BadLength(length))),
        }
    }

    fn compact_length(&mut self) -> Result<Option<usize>, DecodeError> {
        let length = i64::from(self.uvarint()?) - 1;
        self.length(length)
    }

    fn wide_length(&mut self, flexible: bool) -> Result<Option<usize>, DecodeError> {
        if flexible {
            return self.compact_length();
        }
        let length = self.i32()?.into();
        self.length(length)
    }

    pub fn nullable_string(&mut self, flexible: bool) -> Result<Option<Str>, DecodeError> {
        let length = if flexible {
            self.compact_length()?
        } else {
            let length = self.i16()?.into();
            self.length(length)?
        };
        match length {
            None => Ok(None),
            Some(length) if length > STRING_BYTES_MAX => {
                Err(self.error(Problem::BadLength(length as i64)))
            }
            Some(length) => self.take(length).map(|bytes| Some(Str::from_wire(bytes))),
        }
    }

    pub fn string(&mut self, flexible: bool) -> Result<Str, DecodeError> {
        self.nullable_string(flexible)?.ok_or_else(|| self.error(Problem::UnexpectedNull))
    }

    pub fn nullable_bytes(&mut self, flexible: bool) -> Result<Option<Bytes>, DecodeError> {
        match self.wide_length(flexible)? {
            None => Ok(None),
            Some(length) => self.take(length).map(Some),
        }
    }

    pub fn bytes(&mut self, flexible: bool) -> Result<Bytes, DecodeError> {
        self.nullable_bytes(flexible)?.ok_or_else(|| self.error(Problem::UnexpectedNull))
    }

    pub fn nullable_records(&mut self, flexible: bool) -> Result<Option<Records>, DecodeError> {
        Ok(self.nullable_bytes(flexible)?.map(Records::from))
    }

    pub fn records(&mut self, flexible: bool) -> Result<Records, DecodeError> {
        self.bytes(flexible).map(Records::from)
    }

    /// An array whose items take at least `item_bytes_min` bytes each.
    pub(crate) fn nullable_array<T>(
        &mut self,
        flexible: bool,
        item_bytes_min: usize,
        version: i16,
        read: ReadItem<T>,
    ) -> Result<Option<Vec<T>>, DecodeError> {
        let Some(count) = self.count(flexible, item_bytes_min, size_of::<T>())? else {
            return Ok(None);
        };
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(read(self, version)?);
        }
        Ok(Some(items))
    }

    pub(crate) fn array<T>(
        &mut self,
        flexible: bool,
        item_bytes_min: usize,
        version: i16,
        read: ReadItem<T>,
    ) -> Result<Vec<T>, DecodeError> {
        self.nullable_array(flexible, item_bytes_min, version, read)?
            .ok_or_else(|| self.error(Problem::UnexpectedNull))
    }

    /// How many items follow. Kafka refuses a count above the bytes that remain, also of items
    /// that take none; we refuse whatever could not be true.
    fn count(
        &mut self,
        flexible: bool,
        item_bytes_min: usize,
        item_size: usize,
    ) -> Result<Option<usize>, DecodeError> {
        let Some(count) = self.wide_length(flexible)? else { return Ok(None) };
        let remaining = self.remaining();
        if count.saturating_mul(item_bytes_min.max(1)) > remaining {
            return Err(self.error(Problem::TooManyEntries { claimed: count, remaining }));
        }
        match self.budget.checked_sub(count.saturating_mul(item_size)) {
            Some(left) => self.budget = left,
            None => return Err(self.error(Problem::OverBudget)),
        }
        Ok(Some(count))
    }

    /// A structure behind a byte that says whether it is there: 1 or -1, but Kafka looks at the
    /// sign alone.
    pub(crate) fn nullable<T>(
        &mut self,
        version: i16,
        read: ReadItem<T>,
    ) -> Result<Option<T>, DecodeError> {
        match self.i8()? {
            ..0 => Ok(None),
            0.. => read(self, version).map(Some),
        }
    }

    /// Among tagged fields the marker is a varint instead, and absent is 0.
    pub(crate) fn nullable_tagged<T>(
        &mut self,
        version: i16,
        read: ReadItem<T>,
    ) -> Result<Option<T>, DecodeError> {
        match self.uvarint()? {
            0 => Ok(None),
            _ => read(self, version).map(Some),
        }
    }

    pub(crate) fn begin_tags(&mut self) -> Result<Tags, DecodeError> {
        let left = self.uvarint()?;
        Ok(Tags { left, last: None, outer_end: self.end })
    }

    /// Reads the head of the next tagged field and narrows the reader to its content.
    pub(crate) fn next_tag(&mut self, tags: &mut Tags) -> Result<Option<u32>, DecodeError> {
        let Some(left) = tags.left.checked_sub(1) else { return Ok(None) };
        tags.left = left;
        let tag = self.uvarint()?;
        if let Some(after) = tags.last.replace(tag).filter(|last| tag <= *last) {
            return Err(self.error(Problem::TagOrder { tag, after }));
        }
        let length = self.uvarint()? as usize;
        if length > self.remaining() {
            return Err(self.truncated(length));
        }
        self.end = self.position + length;
        Ok(Some(tag))
    }

    /// Widens the reader again; the field must have been read to its end.
    pub(crate) fn end_tag(&mut self, tags: &Tags) -> Result<(), DecodeError> {
        if self.position != self.end {
            return Err(self.error(Problem::TagLength { tag: tags.last.unwrap_or_default() }));
        }
        self.end = tags.outer_end;
        Ok(())
    }

    /// The tagged fields of a structure that knows none.
    pub(crate) fn unknown_tags(&mut self) -> Result<UnknownTags, DecodeError> {
        let mut unknown = UnknownTags::default();
        let mut tags = self.begin_tags()?;
        while let Some(tag) = self.next_tag(&mut tags)? {
            unknown.push(tag, self.rest());
            self.end_tag(&tags)?;
        }
        Ok(unknown)
    }

    #[cold]
    pub(crate) fn error(&self, problem: Problem) -> DecodeError {
        DecodeError { problem, position: self.position }
    }

    #[cold]
    fn truncated(&self, needed: usize) -> DecodeError {
        self.error(Problem::Truncated { needed, remaining: self.remaining() })
    }
}
