//! Changing a stored batch in place: the fields that the broker sets.
//!
//! The bytes must begin with a whole batch and hold nothing else (what [`BatchView`] accepts);
//! shorter ones are left as they are.
//!
//! [`BatchView`]: crate::BatchView

use crate::header::{at, put};
use crate::{Attributes, BatchHeader, HEADER_BYTES, TimestampType, crc};

/// Sets base offset and leader epoch, which the CRC does not cover.
pub fn assign(batch: &mut [u8], base_offset: i64, leader_epoch: i32) {
    if batch.len() < HEADER_BYTES {
        return;
    }
    put(batch, at::BASE_OFFSET, base_offset.to_be_bytes());
    put(batch, at::LEADER_EPOCH, leader_epoch.to_be_bytes());
}

/// Marks the batch as timed by the broker. The records keep their deltas.
pub fn log_append_time(batch: &mut [u8], timestamp: i64) {
    times(batch, TimestampType::LogAppendTime, timestamp);
}

/// Marks the batch as timed by its producer, with this maximum: what a client left wrong is put
/// right.
pub fn max_timestamp(batch: &mut [u8], timestamp: i64) {
    times(batch, TimestampType::CreateTime, timestamp);
}

/// Sets both; the CRC is computed anew only if either changes.
fn times(batch: &mut [u8], kind: TimestampType, max_timestamp: i64) {
    let Ok(header) = BatchHeader::parse(batch) else { return };
    if header.timestamp_type() == kind && header.max_timestamp == max_timestamp {
        return;
    }
    let Attributes(attributes) = header.attributes.with_timestamp_type(kind);
    put(batch, at::ATTRIBUTES, attributes.to_be_bytes());
    put(batch, at::MAX_TIMESTAMP, max_timestamp.to_be_bytes());
    crc::set(batch);
}
