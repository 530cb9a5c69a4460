//! Building batches: what the coordinators, the cleaner and the clients of ours write.

use bytes::Bytes;

use crate::{
    Attributes, BatchHeader, Compression, HEADER_BYTES, Header, LOG_OVERHEAD, MAGIC, RecordView,
    TimestampType, codec, crc, varint,
};

/// How a batch is to be built. The default: offsets from 0, no producer, not compressed.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchOptions {
    pub base_offset: i64,
    pub leader_epoch: i32,
    pub compression: Compression,
    /// As [`codec::compress`](crate::compress) takes it.
    pub level: Option<i32>,
    /// `Some(now)`: the broker's time stands for that of all records (`LogAppendTime`).
    pub log_append_time: Option<i64>,
    pub producer_id: i64,
    pub producer_epoch: i16,
    pub base_sequence: i32,
    pub is_transactional: bool,
    pub is_control: bool,
    /// From when on the batch's tombstones may be dropped; it takes the base timestamp's place.
    pub delete_horizon: Option<i64>,
}

impl Default for BatchOptions {
    fn default() -> Self {
        BatchOptions {
            base_offset: 0,
            leader_epoch: -1,
            compression: Compression::None,
            level: None,
            log_append_time: None,
            producer_id: -1,
            producer_epoch: -1,
            base_sequence: -1,
            is_transactional: false,
            is_control: false,
            delete_horizon: None,
        }
    }
}

impl BatchOptions {
    /// What rebuilds a batch like `header`, at its codec's default level.
    pub fn like(header: &BatchHeader) -> Result<BatchOptions, crate::BatchError> {
        let append_time = header.timestamp_type() == TimestampType::LogAppendTime;
        Ok(BatchOptions {
            base_offset: header.base_offset,
            leader_epoch: header.partition_leader_epoch,
            compression: header.compression()?,
            level: None,
            log_append_time: append_time.then_some(header.max_timestamp),
            producer_id: header.producer_id,
            producer_epoch: header.producer_epoch,
            base_sequence: header.base_sequence,
            is_transactional: header.is_transactional(),
            is_control: header.is_control(),
            delete_horizon: header.delete_horizon(),
        })
    }

    fn attributes(&self) -> Attributes {
        let kind = match self.log_append_time {
            Some(_) => TimestampType::LogAppendTime,
            None => TimestampType::CreateTime,
        };
        Attributes::default()
            .with_codec(self.compression)
            .with_timestamp_type(kind)
            .with_transactional(self.is_transactional)
            .with_control(self.is_control)
            .with_delete_horizon(self.delete_horizon.is_some())
    }
}

/// A record to append.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NewRecord<'a> {
    pub timestamp: i64,
    pub key: Option<&'a [u8]>,
    pub value: Option<&'a [u8]>,
    pub headers: &'a [Header<'a>],
}

/// Collects records and makes a batch of them.
#[derive(Debug, Clone)]
pub struct BatchBuilder {
    options: BatchOptions,
    /// The header's place, then the records, not yet compressed.
    plain: Vec<u8>,
    /// Set by the first record.
    base_timestamp: Option<i64>,
    max_timestamp: i64,
    record_count: i32,
    last_offset_delta: i32,
}

impl BatchBuilder {
    pub fn new(options: BatchOptions) -> BatchBuilder {
        let base_timestamp = options.delete_horizon;
        let plain = vec![0; HEADER_BYTES];
        BatchBuilder {
            options,
            plain,
            base_timestamp,
            max_timestamp: -1,
            record_count: 0,
            last_offset_delta: -1,
        }
    }

    /// Appends a record behind the last.
    pub fn append(&mut self, record: &NewRecord<'_>) {
        let headers = record.headers.iter().copied();
        let offset_delta = self.last_offset_delta.saturating_add(1);
        self.push(offset_delta, record.timestamp, record.key, record.value, headers);
    }

    /// Appends a record of another batch, keeping its offset; those between are left as a hole.
    /// Offsets must rise.
    pub fn append_kept(&mut self, record: &RecordView<'_>) {
        let offset_delta = record.offset.saturating_sub(self.options.base_offset);
        let offset_delta = i32::try_from(offset_delta).unwrap_or(i32::MAX);
        self.push(offset_delta, record.timestamp, record.key, record.value, record.headers);
    }

    fn push<'h, H>(
        &mut self,
        offset_delta: i32,
        timestamp: i64,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: H,
    ) where
        H: ExactSizeIterator<Item = Header<'h>> + Clone,
    {
        let base = *self.base_timestamp.get_or_insert(timestamp);
        let delta = timestamp.wrapping_sub(base);
        let size = body_size(offset_delta, delta, key, value, headers.clone());
        let out = &mut self.plain;
        varint::write(out, size as i64);
        out.push(0);
        varint::write(out, delta);
        varint::write(out, offset_delta.into());
        write_bytes(out, key);
        write_bytes(out, value);
        varint::write(out, headers.len() as i64);
        for header in headers {
            write_bytes(out, Some(header.name));
            write_bytes(out, header.value);
        }
        self.max_timestamp = self.max_timestamp.max(timestamp);
        self.record_count += 1;
        self.last_offset_delta = offset_delta;
    }

    /// Lets the batch end at this offset though its last records are gone (compaction).
    pub fn end_at(&mut self, last_offset: i64) {
        let delta = last_offset.saturating_sub(self.options.base_offset);
        let delta = i32::try_from(delta).unwrap_or(i32::MAX);
        self.last_offset_delta = self.last_offset_delta.max(delta);
    }

    pub fn record_count(&self) -> i32 {
        self.record_count
    }

    pub fn is_empty(&self) -> bool {
        self.record_count == 0
    }

    /// Bytes of the batch if it were built now and not compressed.
    pub fn plain_size_bytes(&self) -> usize {
        self.plain.len()
    }

    /// Bytes that [`BatchBuilder::append`] of this record would add, before compression.
    pub fn size_of_next(&self, record: &NewRecord<'_>) -> usize {
        let base = self.base_timestamp.unwrap_or(record.timestamp);
        let size = body_size(
            self.last_offset_delta.saturating_add(1),
            record.timestamp.wrapping_sub(base),
            record.key,
            record.value,
            record.headers.iter().copied(),
        );
        varint::size(size as i64) + size
    }

    /// The batch. Of one without records only the header is left; such batches are for the
    /// cleaner, which keeps a producer's last sequence that way.
    pub fn build(mut self) -> Bytes {
        if self.options.compression != Compression::None {
            let mut packed = vec![0; HEADER_BYTES];
            let records = self.plain.get(HEADER_BYTES..).unwrap_or_default();
            codec::compress(self.options.compression, self.options.level, records, &mut packed);
            self.plain = packed;
        }
        let header = self.header();
        finish(self.plain, &header)
    }

    fn header(&self) -> BatchHeader {
        let options = &self.options;
        BatchHeader {
            base_offset: options.base_offset,
            batch_length: (self.plain.len() - LOG_OVERHEAD) as i32,
            partition_leader_epoch: options.leader_epoch,
            magic: MAGIC,
            crc: 0,
            attributes: options.attributes(),
            last_offset_delta: self.last_offset_delta,
            base_timestamp: self.base_timestamp.unwrap_or(-1),
            max_timestamp: options.log_append_time.unwrap_or(self.max_timestamp),
            producer_id: options.producer_id,
            producer_epoch: options.producer_epoch,
            base_sequence: options.base_sequence,
            record_count: self.record_count,
        }
    }
}

/// What is left of a batch whose records are all gone: Kafka keeps the newest of a producer, so
/// that its sequence is not forgotten, and every offset of the batch stays accounted for.
pub fn emptied(header: &BatchHeader) -> Bytes {
    let attributes = header.attributes.with_codec(Compression::None).with_delete_horizon(false);
    let kept = BatchHeader {
        batch_length: (HEADER_BYTES - LOG_OVERHEAD) as i32,
        attributes,
        base_timestamp: -1,
        record_count: 0,
        ..*header
    };
    finish(vec![0; HEADER_BYTES], &kept)
}

/// Puts the header in front of the records and the CRC into the header.
pub(crate) fn finish(mut batch: Vec<u8>, header: &BatchHeader) -> Bytes {
    if let Some(slot) = batch.first_chunk_mut() {
        *slot = header.to_bytes();
    }
    crc::set(&mut batch);
    Bytes::from(batch)
}

fn body_size<'h>(
    offset_delta: i32,
    timestamp_delta: i64,
    key: Option<&[u8]>,
    value: Option<&[u8]>,
    headers: impl ExactSizeIterator<Item = Header<'h>>,
) -> usize {
    let attributes = 1;
    let count = varint::size(headers.len() as i64);
    let headers = headers.map(|h| size_of_bytes(Some(h.name)) + size_of_bytes(h.value));
    attributes
        + varint::size(timestamp_delta)
        + varint::size(offset_delta.into())
        + size_of_bytes(key)
        + size_of_bytes(value)
        + count
        + headers.sum::<usize>()
}

fn size_of_bytes(bytes: Option<&[u8]>) -> usize {
    bytes.map_or(1, |b| varint::size(b.len() as i64) + b.len())
}

fn write_bytes(out: &mut Vec<u8>, bytes: Option<&[u8]>) {
    match bytes {
        None => varint::write(out, -1),
        Some(bytes) => {
            varint::write(out, bytes.len() as i64);
            out.extend_from_slice(bytes);
        }
    }
}
