//! The 61 bytes in front of a batch's records.
//!
//! ```text
//!  0 base_offset 8 │ 8 batch_length 4 │ 12 leader_epoch 4 │ 16 magic 1 │ 17 crc 4
//! 21 attributes 2 │ 23 last_offset_delta 4 │ 27 base_timestamp 8 │ 35 max_timestamp 8
//! 43 producer_id 8 │ 51 producer_epoch 2 │ 53 base_sequence 4 │ 57 record_count 4 │ 61 records
//! ```
//! `batch_length` counts from byte 12; the CRC covers everything from byte 21 on, so base offset
//! and leader epoch can be set without touching it.

use crate::{Attributes, BatchError, Compression, TimestampType, crc};

/// Bytes in front of the records.
pub const HEADER_BYTES: usize = 61;
/// Base offset and length: the bytes that the length does not count.
pub const LOG_OVERHEAD: usize = 12;
/// The only message format there is.
pub const MAGIC: i8 = 2;

/// Smallest batch that Kafka tells from garbage: an empty record of message format 0.
const OLD_LENGTH_MIN: i32 = 14;

pub(crate) mod at {
    pub const BASE_OFFSET: usize = 0;
    pub const BATCH_LENGTH: usize = 8;
    pub const LEADER_EPOCH: usize = 12;
    pub const MAGIC: usize = 16;
    pub const CRC: usize = 17;
    pub const ATTRIBUTES: usize = 21;
    pub const LAST_OFFSET_DELTA: usize = 23;
    pub const BASE_TIMESTAMP: usize = 27;
    pub const MAX_TIMESTAMP: usize = 35;
    pub const PRODUCER_ID: usize = 43;
    pub const PRODUCER_EPOCH: usize = 51;
    pub const BASE_SEQUENCE: usize = 53;
    pub const RECORD_COUNT: usize = 57;
}

/// A batch's header, as it stands in the bytes: nothing here has been checked beyond what
/// [`BatchHeader::parse`] says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchHeader {
    pub base_offset: i64,
    /// Bytes that follow this field.
    pub batch_length: i32,
    /// -1 where unknown.
    pub partition_leader_epoch: i32,
    pub magic: i8,
    pub crc: u32,
    pub attributes: Attributes,
    /// Offset of the last record, or of the last one before compaction, relative to the base.
    pub last_offset_delta: i32,
    /// What the records' timestamp deltas are added to.
    pub base_timestamp: i64,
    pub max_timestamp: i64,
    /// -1: not an idempotent producer.
    pub producer_id: i64,
    pub producer_epoch: i16,
    pub base_sequence: i32,
    pub record_count: i32,
}

impl BatchHeader {
    /// Reads the header at the start of `bytes`, which need not hold the whole batch. The result
    /// has magic 2 and a length of at least a header; everything else is as found.
    ///
    /// # Errors
    /// `NoBatch` (no bytes), `Truncated` (not a whole header), `BadLength`, `OldMagic`,
    /// `UnknownMagic`.
    pub fn parse(bytes: &[u8]) -> Result<BatchHeader, BatchError> {
        Self::check_frame(bytes)?;
        let Some(header) = bytes.first_chunk::<HEADER_BYTES>() else {
            return Err(BatchError::Truncated { have: bytes.len(), need: HEADER_BYTES });
        };
        Ok(Self::read(header))
    }

    /// Length and magic, which must be judged before the rest of the header can be trusted to
    /// be one.
    fn check_frame(bytes: &[u8]) -> Result<(), BatchError> {
        if bytes.is_empty() {
            return Err(BatchError::NoBatch);
        }
        let Some(frame) = bytes.first_chunk::<{ at::CRC }>() else {
            return Err(BatchError::Truncated { have: bytes.len(), need: HEADER_BYTES });
        };
        let batch_length = i32::from_be_bytes(field(frame, at::BATCH_LENGTH));
        let magic = i8::from_be_bytes(field(frame, at::MAGIC));
        if batch_length < OLD_LENGTH_MIN {
            return Err(BatchError::BadLength { batch_length });
        }
        match magic {
            MAGIC if (batch_length as usize) < HEADER_BYTES - LOG_OVERHEAD => {
                Err(BatchError::BadLength { batch_length })
            }
            MAGIC => Ok(()),
            0 | 1 => Err(BatchError::OldMagic(magic)),
            _ => Err(BatchError::UnknownMagic(magic)),
        }
    }

    fn read(b: &[u8; HEADER_BYTES]) -> BatchHeader {
        BatchHeader {
            base_offset: i64::from_be_bytes(field(b, at::BASE_OFFSET)),
            batch_length: i32::from_be_bytes(field(b, at::BATCH_LENGTH)),
            partition_leader_epoch: i32::from_be_bytes(field(b, at::LEADER_EPOCH)),
            magic: i8::from_be_bytes(field(b, at::MAGIC)),
            crc: u32::from_be_bytes(field(b, at::CRC)),
            attributes: Attributes(i16::from_be_bytes(field(b, at::ATTRIBUTES))),
            last_offset_delta: i32::from_be_bytes(field(b, at::LAST_OFFSET_DELTA)),
            base_timestamp: i64::from_be_bytes(field(b, at::BASE_TIMESTAMP)),
            max_timestamp: i64::from_be_bytes(field(b, at::MAX_TIMESTAMP)),
            producer_id: i64::from_be_bytes(field(b, at::PRODUCER_ID)),
            producer_epoch: i16::from_be_bytes(field(b, at::PRODUCER_EPOCH)),
            base_sequence: i32::from_be_bytes(field(b, at::BASE_SEQUENCE)),
            record_count: i32::from_be_bytes(field(b, at::RECORD_COUNT)),
        }
    }

    /// The header as bytes, `crc` and `batch_length` as they stand.
    pub fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let mut b = [0; HEADER_BYTES];
        put(&mut b, at::BASE_OFFSET, self.base_offset.to_be_bytes());
        put(&mut b, at::BATCH_LENGTH, self.batch_length.to_be_bytes());
        put(&mut b, at::LEADER_EPOCH, self.partition_leader_epoch.to_be_bytes());
        put(&mut b, at::MAGIC, self.magic.to_be_bytes());
        put(&mut b, at::CRC, self.crc.to_be_bytes());
        put(&mut b, at::ATTRIBUTES, self.attributes.0.to_be_bytes());
        put(&mut b, at::LAST_OFFSET_DELTA, self.last_offset_delta.to_be_bytes());
        put(&mut b, at::BASE_TIMESTAMP, self.base_timestamp.to_be_bytes());
        put(&mut b, at::MAX_TIMESTAMP, self.max_timestamp.to_be_bytes());
        put(&mut b, at::PRODUCER_ID, self.producer_id.to_be_bytes());
        put(&mut b, at::PRODUCER_EPOCH, self.producer_epoch.to_be_bytes());
        put(&mut b, at::BASE_SEQUENCE, self.base_sequence.to_be_bytes());
        put(&mut b, at::RECORD_COUNT, self.record_count.to_be_bytes());
        b
    }

    /// The header with the CRC of itself in front of `payload`: to write a changed header and
    /// untouched records without joining them first.
    #[must_use]
    pub fn with_crc_over(self, payload: &[u8]) -> BatchHeader {
        let crc = crc::of_parts(self.to_bytes().get(at::ATTRIBUTES..).unwrap_or_default(), payload);
        BatchHeader { crc, ..self }
    }

    /// Bytes of the whole batch.
    pub fn size_bytes(&self) -> usize {
        self.batch_length as usize + LOG_OVERHEAD
    }

    /// Offset of the last record (where compaction removed it: the one it had).
    pub fn last_offset(&self) -> i64 {
        self.base_offset.wrapping_add(i64::from(self.last_offset_delta))
    }

    /// Offset of whatever comes after the batch.
    pub fn next_offset(&self) -> i64 {
        self.last_offset().wrapping_add(1)
    }

    /// Sequence of the last record, wrapping after `i32::MAX`; -1 without a producer.
    pub fn last_sequence(&self) -> i32 {
        if self.base_sequence < 0 {
            return -1;
        }
        let past = i64::from(self.base_sequence) + i64::from(self.last_offset_delta);
        (past % (i64::from(i32::MAX) + 1)) as i32
    }

    pub fn compression(&self) -> Result<Compression, BatchError> {
        self.attributes.codec()
    }

    pub fn timestamp_type(&self) -> TimestampType {
        self.attributes.timestamp_type()
    }

    pub fn is_control(&self) -> bool {
        self.attributes.is_control()
    }

    pub fn is_transactional(&self) -> bool {
        self.attributes.is_transactional()
    }

    pub fn has_producer(&self) -> bool {
        self.producer_id >= 0
    }

    /// The time from which compaction may drop the tombstones and markers of the batch.
    pub fn delete_horizon(&self) -> Option<i64> {
        self.attributes.has_delete_horizon().then_some(self.base_timestamp)
    }

    /// The time of a record with this delta.
    pub(crate) fn record_timestamp(&self, delta: i64) -> i64 {
        match self.timestamp_type() {
            TimestampType::LogAppendTime => self.max_timestamp,
            TimestampType::CreateTime => self.base_timestamp.wrapping_add(delta),
        }
    }
}

/// The `N` bytes at `start`; the offsets of [`at`] all lie within the arrays they are used on,
/// and were it not so, zeros would be read rather than the process stopped.
fn field<const N: usize>(bytes: &[u8], start: usize) -> [u8; N] {
    bytes.get(start..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; N])
}

pub(crate) fn put<const N: usize>(bytes: &mut [u8], start: usize, value: [u8; N]) {
    if let Some(slot) = bytes.get_mut(start..).and_then(|rest| rest.first_chunk_mut()) {
        *slot = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_last_sequence(base_sequence: i32, last_offset_delta: i32, expected: i32) {
        let batch = crate::emptied(&BatchHeader {
            base_sequence,
            last_offset_delta,
            ..BatchHeader::read(&[0; HEADER_BYTES])
        });
        let mut bytes = batch.to_vec();
        put(&mut bytes, at::MAGIC, MAGIC.to_be_bytes());
        assert_eq!(BatchHeader::parse(&bytes).unwrap().last_sequence(), expected);
    }

    #[test]
    fn sequences_wrap() {
        check_last_sequence(0, 0, 0);
        check_last_sequence(7, 2, 9);
        check_last_sequence(-1, 2, -1);
        check_last_sequence(i32::MAX, 0, i32::MAX);
        check_last_sequence(i32::MAX, 1, 0);
        check_last_sequence(i32::MAX - 1, 3, 1);
    }

    #[test]
    fn offsets_of_any_bytes_do_not_overflow() {
        let header = BatchHeader {
            base_offset: i64::MAX,
            last_offset_delta: i32::MAX,
            ..BatchHeader::read(&[0; HEADER_BYTES])
        };
        assert!(header.last_offset() < 0 && header.next_offset() < 0);
    }
}
