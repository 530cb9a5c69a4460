//! [`Writer`]: puts the schema's types into a run of segments.
//!
//! Everything but records is gathered in one buffer. Records of some size are passed on as they
//! are, in memory or in a file, between two pieces of it.

use bytes::{BufMut, Bytes, BytesMut};
use highwater_types::Uuid;

use crate::limits::{RECORDS_COPIED_BELOW_BYTES, STRING_BYTES_MAX};
use crate::{EncodeError, Records, Segment, Str, UnknownTag, UnknownTags};

type WriteItem<T> = fn(&T, &mut Writer, i16) -> Result<(), EncodeError>;

#[derive(Debug, Default)]
pub struct Writer {
    done: Vec<Segment>,
    buffer: BytesMut,
}

/// The tagged fields of one structure, while they are being written.
pub(crate) struct Tags<'a> {
    /// Not yet written; known and unknown ones go out in one rising order.
    unknown: &'a [UnknownTag],
    last: Option<u32>,
    /// Where the content of the open field begins in the buffer.
    content: usize,
}

impl Writer {
    pub fn new() -> Self {
        Writer::default()
    }

    pub fn with_capacity(bytes: usize) -> Self {
        Writer { done: Vec::new(), buffer: BytesMut::with_capacity(bytes) }
    }

    /// Bytes written so far, those in files included.
    pub fn len(&self) -> usize {
        self.done.iter().map(Segment::len).sum::<usize>() + self.buffer.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What was written, in order, no segment empty.
    pub fn finish(mut self) -> Vec<Segment> {
        self.seal();
        self.done
    }

    /// What was written in one piece; `None` if some of it is in a file.
    pub fn into_bytes(mut self) -> Option<Bytes> {
        if self.done.is_empty() {
            return Some(self.buffer.freeze());
        }
        self.seal();
        Records { segments: self.done }.to_bytes()
    }

    fn seal(&mut self) {
        if !self.buffer.is_empty() {
            self.done.push(Segment::Bytes(self.buffer.split().freeze()));
        }
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        self.buffer.put_slice(bytes);
    }

    pub fn bool(&mut self, value: bool) {
        self.buffer.put_u8(value.into());
    }

    pub fn i8(&mut self, value: i8) {
        self.buffer.put_i8(value);
    }

    pub fn i16(&mut self, value: i16) {
        self.buffer.put_i16(value);
    }

    pub fn u16(&mut self, value: u16) {
        self.buffer.put_u16(value);
    }

    pub fn i32(&mut self, value: i32) {
        self.buffer.put_i32(value);
    }

    pub fn u32(&mut self, value: u32) {
        self.buffer.put_u32(value);
    }

    pub fn i64(&mut self, value: i64) {
        self.buffer.put_i64(value);
    }

    pub fn f64(&mut self, value: f64) {
        self.buffer.put_f64(value);
    }

    pub fn uuid(&mut self, value: Uuid) {
        self.buffer.put_slice(&value.0);
    }

    pub fn uvarint(&mut self, mut value: u32) {
        while value > 0x7f {
            self.buffer.put_u8(value as u8 | 0x80);
            value >>= 7;
        }
        self.buffer.put_u8(value as u8);
    }

    fn compact_length(&mut self, length: Option<usize>) -> Result<(), EncodeError> {
        let length = length.map_or(0, |l| l + 1);
        self.uvarint(i32::try_from(length).map_err(|_| EncodeError::TooLong(length))? as u32);
        Ok(())
    }

    fn wide_length(&mut self, flexible: bool, length: Option<usize>) -> Result<(), EncodeError> {
        if flexible {
            return self.compact_length(length);
        }
        self.i32(match length {
            None => -1,
            Some(length) => i32::try_from(length).map_err(|_| EncodeError::TooLong(length))?,
        });
        Ok(())
    }

    pub fn string(&mut self, flexible: bool, text: &str) -> Result<(), EncodeError> {
        if text.len() > STRING_BYTES_MAX {
            return Err(EncodeError::TooLong(text.len()));
        }
        if flexible {
            self.compact_length(Some(text.len()))?;
        } else {
            self.i16(text.len() as i16);
        }
        self.raw(text.as_bytes());
        Ok(())
    }

    pub fn nullable_string(
        &mut self,
        flexible: bool,
        text: &Option<Str>,
    ) -> Result<(), EncodeError> {
        match text {
            Some(text) => return self.string(flexible, text),
            None if flexible => self.uvarint(0),
            None => self.i16(-1),
        }
        Ok(())
    }

    pub fn bytes(&mut self, flexible: bool, bytes: &[u8]) -> Result<(), EncodeError> {
        self.wide_length(flexible, Some(bytes.len()))?;
        self.raw(bytes);
        Ok(())
    }

    pub fn nullable_bytes(
        &mut self,
        flexible: bool,
        bytes: &Option<Bytes>,
    ) -> Result<(), EncodeError> {
        match bytes {
            Some(bytes) => self.bytes(flexible, bytes),
            None => self.wide_length(flexible, None),
        }
    }

    pub fn records(&mut self, flexible: bool, records: &Records) -> Result<(), EncodeError> {
        self.wide_length(flexible, Some(records.len()))?;
        for segment in &records.segments {
            match segment {
                Segment::Bytes(bytes) if bytes.len() < RECORDS_COPIED_BELOW_BYTES => {
                    self.raw(bytes)
                }
                segment if segment.is_empty() => {}
                segment => {
                    self.seal();
                    self.done.push(segment.clone());
                }
            }
        }
        Ok(())
    }

    pub fn nullable_records(
        &mut self,
        flexible: bool,
        records: &Option<Records>,
    ) -> Result<(), EncodeError> {
        match records {
            Some(records) => self.records(flexible, records),
            None => self.wide_length(flexible, None),
        }
    }

    pub(crate) fn array<T>(
        &mut self,
        flexible: bool,
        version: i16,
        items: &[T],
        write: WriteItem<T>,
    ) -> Result<(), EncodeError> {
        self.wide_length(flexible, Some(items.len()))?;
        items.iter().try_for_each(|item| write(item, self, version))
    }

    pub(crate) fn nullable_array<T>(
        &mut self,
        flexible: bool,
        version: i16,
        items: &Option<Vec<T>>,
        write: WriteItem<T>,
    ) -> Result<(), EncodeError> {
        match items {
            Some(items) => self.array(flexible, version, items, write),
            None => self.wide_length(flexible, None),
        }
    }

    pub(crate) fn nullable<T>(
        &mut self,
        version: i16,
        value: &Option<T>,
        write: WriteItem<T>,
    ) -> Result<(), EncodeError> {
        self.i8(if value.is_some() { 1 } else { -1 });
        value.as_ref().map_or(Ok(()), |value| write(value, self, version))
    }

    /// Among tagged fields the marker is a varint instead, and absent is 0.
    pub(crate) fn nullable_tagged<T>(
        &mut self,
        version: i16,
        value: &Option<T>,
        write: WriteItem<T>,
    ) -> Result<(), EncodeError> {
        self.uvarint(value.is_some().into());
        value.as_ref().map_or(Ok(()), |value| write(value, self, version))
    }

    pub(crate) fn only_unknown_tags(&mut self, unknown: &UnknownTags) -> Result<(), EncodeError> {
        let tags = self.begin_tags(0, unknown)?;
        self.end_tags(tags)
    }

    /// `known` says how many known fields will follow.
    pub(crate) fn begin_tags<'a>(
        &mut self,
        known: usize,
        unknown: &'a UnknownTags,
    ) -> Result<Tags<'a>, EncodeError> {
        let unknown = unknown.as_slice();
        self.uvarint((known + unknown.len()) as u32);
        Ok(Tags { unknown, last: None, content: 0 })
    }

    pub(crate) fn begin_tag(&mut self, tags: &mut Tags<'_>, tag: u32) -> Result<(), EncodeError> {
        self.unknown_while(tags, |unknown| unknown < tag)?;
        self.tag_number(tags, tag)?;
        tags.content = self.buffer.len();
        Ok(())
    }

    /// Puts the length before the content that has been written since `begin_tag`. The content is
    /// in the buffer in one piece: only records leave it, and they are never tagged.
    pub(crate) fn end_tag(&mut self, tags: &Tags<'_>) -> Result<(), EncodeError> {
        let length = self.buffer.len() - tags.content;
        let head_at = self.buffer.len();
        self.uvarint(u32::try_from(length).map_err(|_| EncodeError::TooLong(length))?);
        let head = self.buffer.len() - head_at;
        if let Some(moved) = self.buffer.get_mut(tags.content..) {
            moved.rotate_right(head);
        }
        Ok(())
    }

    pub(crate) fn end_tags(&mut self, mut tags: Tags<'_>) -> Result<(), EncodeError> {
        self.unknown_while(&mut tags, |_| true)
    }

    fn unknown_while(
        &mut self,
        tags: &mut Tags<'_>,
        wanted: impl Fn(u32) -> bool,
    ) -> Result<(), EncodeError> {
        while let Some((first, rest)) = tags.unknown.split_first().filter(|(t, _)| wanted(t.tag)) {
            self.tag_number(tags, first.tag)?;
            self.uvarint(first.data.len() as u32);
            self.raw(&first.data);
            tags.unknown = rest;
        }
        Ok(())
    }

    fn tag_number(&mut self, tags: &mut Tags<'_>, tag: u32) -> Result<(), EncodeError> {
        if tags.last.replace(tag).is_some_and(|last| tag <= last) {
            return Err(EncodeError::TagOrder(tag));
        }
        self.uvarint(tag);
        Ok(())
    }
}
