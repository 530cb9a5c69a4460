//! The `.snapshot` file: producer state as of the offset in its name. Big-endian:
//!
//! ```text
//! | version: i16 = 1 | crc32c of the rest: u32 | count: i32 | count entries of 46 bytes
//! entry: id i64, epoch i16, last sequence i32, last offset i64, offset delta i32,
//!        timestamp i64, coordinator epoch i32, first offset of the open transaction i64
//! ```
//!
//! Only the newest batch of each producer is in it; the rest of the window comes from the log.

use bytes::{Buf, BufMut};
use highwater_types::{Offset, ProducerEpoch, ProducerId, Timestamp};

use super::entry::ProducerEntry;
use super::window::WindowBatch;
use crate::limits::SNAPSHOT_PRODUCERS_MAX;

const VERSION: i16 = 1;
/// Version and CRC.
const PREFIX_BYTES: usize = 6;
const ENTRY_BYTES: usize = 46;

/// Why the bytes are not a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SnapshotError {
    #[error("it is cut short")]
    Short,
    #[error("version {0} is not known")]
    Version(i16),
    #[error("its CRC does not match")]
    Crc,
    #[error("{0} producers do not fit it")]
    Count(i32),
}

pub(crate) fn encode<'a>(entries: impl Iterator<Item = &'a ProducerEntry>) -> Vec<u8> {
    let mut body = Vec::new();
    body.put_i32(0);
    let mut count = 0;
    for entry in entries {
        count += 1;
        put_entry(&mut body, entry);
    }
    if let Some(slot) = body.first_chunk_mut() {
        *slot = i32::to_be_bytes(count);
    }
    let mut bytes = Vec::with_capacity(PREFIX_BYTES + body.len());
    bytes.put_i16(VERSION);
    bytes.put_u32(crc_fast::crc32_iscsi(&body));
    bytes.put_slice(&body);
    bytes
}

fn put_entry(body: &mut Vec<u8>, entry: &ProducerEntry) {
    let newest = entry.window.newest();
    body.put_i64(entry.id.get());
    body.put_i16(entry.epoch.get());
    body.put_i32(entry.last_sequence());
    body.put_i64(newest.map_or(-1, |batch| batch.last_offset.get()));
    body.put_i32(newest.map_or(0, |batch| batch.offset_delta));
    body.put_i64(entry.last_timestamp.get());
    body.put_i32(entry.coordinator_epoch);
    body.put_i64(entry.transaction_first.unwrap_or(Offset::NONE).get());
}

pub(crate) fn decode(bytes: &[u8]) -> Result<Vec<ProducerEntry>, SnapshotError> {
    let (mut prefix, body) = bytes.split_at_checked(PREFIX_BYTES).ok_or(SnapshotError::Short)?;
    let version = prefix.get_i16();
    if version != VERSION {
        return Err(SnapshotError::Version(version));
    }
    if prefix.get_u32() != crc_fast::crc32_iscsi(body) {
        return Err(SnapshotError::Crc);
    }
    let (count, entries) = body.split_first_chunk().ok_or(SnapshotError::Short)?;
    let count = i32::from_be_bytes(*count);
    let wanted = usize::try_from(count).map_err(|_| SnapshotError::Count(count))?;
    if wanted > SNAPSHOT_PRODUCERS_MAX || entries.len() != wanted * ENTRY_BYTES {
        return Err(SnapshotError::Count(count));
    }
    Ok(entries.chunks_exact(ENTRY_BYTES).map(get_entry).collect())
}

fn get_entry(mut bytes: &[u8]) -> ProducerEntry {
    let mut entry = ProducerEntry::new(ProducerId(bytes.get_i64()));
    entry.epoch = ProducerEpoch(bytes.get_i16());
    let (last_sequence, last_offset) = (bytes.get_i32(), Offset(bytes.get_i64()));
    let offset_delta = bytes.get_i32();
    entry.last_timestamp = Timestamp(bytes.get_i64());
    entry.coordinator_epoch = bytes.get_i32();
    entry.transaction_first = Some(Offset(bytes.get_i64())).filter(|first| *first >= Offset::ZERO);
    if last_offset >= Offset::ZERO {
        let timestamp = entry.last_timestamp;
        entry.window.push(WindowBatch { last_sequence, last_offset, offset_delta, timestamp });
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_noticed() {
        let entry = ProducerEntry::new(ProducerId(7));
        let bytes = encode([entry].iter());
        assert_eq!(bytes.len(), 56);
        assert_eq!(decode(&bytes), Ok(vec![entry]));
        for len in 0..bytes.len() {
            assert!(decode(&bytes[..len]).is_err(), "{len}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut bad = bytes.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&bad).is_err(), "{bit}");
        }
    }

    #[test]
    fn no_producers_as_kafka_writes_it() {
        let bytes = [0x00, 0x01, 0x48, 0x67, 0x4b, 0xc7, 0, 0, 0, 0];
        assert_eq!(encode([].iter()), bytes);
    }
}
