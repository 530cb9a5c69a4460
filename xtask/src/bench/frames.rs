//! The four requests that a measurement sends, as bytes, in old versions that both brokers serve.
//!
//! Encoded here rather than by the project's own crates: a frame is made before the clock starts
//! and sent as often as wanted, and a fault of those crates cannot hide in a measurement.

use std::time::{SystemTime, UNIX_EPOCH};

const PRODUCE: (i16, i16) = (0, 3);
const FETCH: (i16, i16) = (1, 4);
const METADATA: (i16, i16) = (3, 4);
const CREATE_TOPICS: (i16, i16) = (19, 2);

const TIMEOUT_MS: i32 = 30_000;

/// Where the correlation id is in a frame: behind length, key and version.
const CORRELATION: std::ops::Range<usize> = 8..12;

/// Where a batch's checksum ends; what it covers follows.
const CHECKED_FROM: usize = 21;

/// Asks for a topic, which also creates it.
pub fn metadata(topic: &str) -> Vec<u8> {
    request(METADATA, |out| {
        count(out, 1);
        string(out, topic);
        out.push(1);
    })
}

pub fn create_topic(topic: &str, partitions: i32) -> Vec<u8> {
    request(CREATE_TOPICS, |out| {
        count(out, 1);
        string(out, topic);
        out.extend(partitions.to_be_bytes());
        out.extend(1_i16.to_be_bytes());
        // No assignments, no settings.
        count(out, 0);
        count(out, 0);
        out.extend(TIMEOUT_MS.to_be_bytes());
        out.push(0);
    })
}

/// Sends a batch with acks=all.
pub fn produce(topic: &str, partition: i32, batch: &[u8]) -> Vec<u8> {
    request(PRODUCE, |out| {
        out.extend((-1_i16).to_be_bytes());
        out.extend((-1_i16).to_be_bytes());
        out.extend(TIMEOUT_MS.to_be_bytes());
        count(out, 1);
        string(out, topic);
        count(out, 1);
        out.extend(partition.to_be_bytes());
        count(out, batch.len());
        out.extend(batch);
    })
}

pub fn fetch(topic: &str, partition: i32, offset: i64, bytes_max: i32) -> Vec<u8> {
    request(FETCH, |out| {
        out.extend((-1_i32).to_be_bytes());
        // Wait half a second for one byte.
        out.extend(500_i32.to_be_bytes());
        out.extend(1_i32.to_be_bytes());
        out.extend(bytes_max.to_be_bytes());
        out.push(0);
        count(out, 1);
        string(out, topic);
        count(out, 1);
        out.extend(partition.to_be_bytes());
        out.extend(offset.to_be_bytes());
        out.extend(bytes_max.to_be_bytes());
    })
}

pub fn set_correlation(frame: &mut [u8], id: i32) {
    frame[CORRELATION].copy_from_slice(&id.to_be_bytes());
}

/// A batch of records that are `value_bytes` long and have no key, of no producer.
pub fn batch(records: i32, value_bytes: usize) -> Vec<u8> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let mut batch = Vec::new();
    batch.extend(0_i64.to_be_bytes());
    batch.extend([0; 4]);
    batch.extend((-1_i32).to_be_bytes());
    batch.push(2);
    batch.extend([0; 4]);
    batch.extend(0_i16.to_be_bytes());
    batch.extend((records - 1).to_be_bytes());
    batch.extend((now as i64).to_be_bytes());
    batch.extend((now as i64).to_be_bytes());
    batch.extend((-1_i64).to_be_bytes());
    batch.extend((-1_i16).to_be_bytes());
    batch.extend((-1_i32).to_be_bytes());
    batch.extend(records.to_be_bytes());
    let value: Vec<u8> = (0..value_bytes).map(|at| b'A' + (at * 7 % 26) as u8).collect();
    for delta in 0..records {
        let mut record = vec![0];
        varint(&mut record, 0);
        varint(&mut record, delta.into());
        varint(&mut record, -1);
        varint(&mut record, value.len() as i64);
        record.extend(&value);
        varint(&mut record, 0);
        varint(&mut batch, record.len() as i64);
        batch.extend(record);
    }
    let length = (batch.len() - 12) as i32;
    batch[8..12].copy_from_slice(&length.to_be_bytes());
    let checksum = crc32c(&batch[CHECKED_FROM..]);
    batch[CHECKED_FROM - 4..CHECKED_FROM].copy_from_slice(&checksum.to_be_bytes());
    batch
}

/// The offset behind the last whole batch of a fetch's records; `None` if there is none.
pub fn next_offset(mut records: &[u8]) -> Option<i64> {
    let mut next = None;
    while let (Some(base), Some(length), Some(last)) =
        (int::<8>(records, 0), int::<4>(records, 8), int::<4>(records, 23))
    {
        let Some(rest) = records.get(12 + i32::from_be_bytes(length) as usize..) else { break };
        next = Some(i64::from_be_bytes(base) + i64::from(i32::from_be_bytes(last)) + 1);
        records = rest;
    }
    next
}

pub fn int<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

fn request((key, version): (i16, i16), body: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut frame = vec![0; 4];
    frame.extend(key.to_be_bytes());
    frame.extend(version.to_be_bytes());
    frame.extend([0; 4]);
    string(&mut frame, "bench");
    body(&mut frame);
    let length = (frame.len() - 4) as i32;
    frame[..4].copy_from_slice(&length.to_be_bytes());
    frame
}

/// The length before an array or before bytes.
fn count(out: &mut Vec<u8>, count: usize) {
    out.extend((count as i32).to_be_bytes());
}

fn string(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as i16).to_be_bytes());
    out.extend(text.as_bytes());
}

fn varint(out: &mut Vec<u8>, value: i64) {
    let mut left = ((value << 1) ^ (value >> 63)) as u64;
    while left >= 0x80 {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

fn crc32c(bytes: &[u8]) -> u32 {
    const REVERSED: u32 = 0x82f6_3b78;
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ REVERSED } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_castagnolis() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn numbers_of_variable_length_are_in_zigzag() {
        let of = |value| {
            let mut out = Vec::new();
            varint(&mut out, value);
            out
        };
        assert_eq!([of(0), of(-1), of(1), of(-64)], [vec![0], vec![1], vec![2], vec![127]]);
        assert_eq!(of(300), vec![0xd8, 0x04]);
    }

    #[test]
    fn the_next_offset_is_behind_the_last_whole_batch() {
        let mut second = batch(5, 10);
        second[..8].copy_from_slice(&3_i64.to_be_bytes());
        let both = [batch(3, 10), second].concat();
        assert_eq!(next_offset(&both), Some(8));
        assert_eq!(next_offset(&both[..both.len() - 1]), Some(3));
        assert_eq!(next_offset(&both[..30]), None);
        assert_eq!(next_offset(&[]), None);
    }

    #[test]
    fn a_frame_counts_what_follows_its_length() {
        let mut frame = metadata("t");
        set_correlation(&mut frame, 7);
        assert_eq!(frame[..4], 23_i32.to_be_bytes());
        let head = [0, 3, 0, 4, 0, 0, 0, 7, 0, 5, b'b', b'e', b'n', b'c', b'h'];
        assert_eq!(frame[4..19], head);
        assert_eq!(frame[19..], [0, 0, 0, 1, 0, 1, b't', 1]);
    }
}
