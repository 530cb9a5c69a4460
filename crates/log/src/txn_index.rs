//! The `.txnindex` file: aborted transactions of a segment. 34 bytes an entry, big-endian:
//!
//! ```text
//! | version: i16 = 0 | producer id | first offset | last offset | last stable offset |   i64 each
//! ```
//!
//! The file exists only where a transaction was aborted.

use std::io::{self, IoSlice};

use bytes::{Buf, BufMut};
use highwater_types::{Offset, ProducerId};

use crate::disk::OpenMode;
use crate::limits::TEXT_FILE_BYTES_MAX;
use crate::log::Log;
use crate::names;
use crate::producers::CompletedTransaction;
use crate::segment::Segment;

const ENTRY_BYTES: usize = 34;
const VERSION: i16 = 0;

/// An aborted transaction of a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AbortedTransaction {
    pub producer: ProducerId,
    pub first_offset: Offset,
    /// Offset of the marker.
    pub last_offset: Offset,
    /// First offset that was still undecided when the marker was written.
    pub last_stable_offset: Offset,
}

pub(crate) fn encode(aborted: &AbortedTransaction) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(ENTRY_BYTES);
    bytes.put_i16(VERSION);
    bytes.put_i64(aborted.producer.get());
    bytes.put_i64(aborted.first_offset.get());
    bytes.put_i64(aborted.last_offset.get());
    bytes.put_i64(aborted.last_stable_offset.get());
    bytes
}

fn decode(mut bytes: &[u8]) -> Option<AbortedTransaction> {
    (bytes.len() == ENTRY_BYTES && bytes.get_i16() == VERSION).then(|| AbortedTransaction {
        producer: ProducerId(bytes.get_i64()),
        first_offset: Offset(bytes.get_i64()),
        last_offset: Offset(bytes.get_i64()),
        last_stable_offset: Offset(bytes.get_i64()),
    })
}

impl Segment {
    pub(crate) fn append_aborted(&self, aborted: &AbortedTransaction) -> io::Result<()> {
        let disk = &*self.place.disk;
        let path = self.place.file(self.base, names::TXN_INDEX);
        let file = disk.open(&path, OpenMode::Create)?;
        let position = disk.len(&file)? / ENTRY_BYTES as u64 * ENTRY_BYTES as u64;
        disk.write_all_at(&file, &mut [IoSlice::new(&encode(aborted))], position)
    }

    /// Aborted transactions whose marker lies in this segment, in the order of the markers.
    pub(crate) fn aborted(&self) -> io::Result<Vec<AbortedTransaction>> {
        let path = self.place.file(self.base, names::TXN_INDEX);
        match self.place.disk.read_small(&path, TEXT_FILE_BYTES_MAX) {
            Ok(bytes) => Ok(bytes.chunks_exact(ENTRY_BYTES).map_while(decode).collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Keeps only transactions that were ended before `end`.
    pub(crate) fn truncate_aborted(&self, end: Offset) -> io::Result<()> {
        let aborted = self.aborted()?;
        let kept = aborted.iter().filter(|aborted| aborted.last_offset < end);
        let bytes: Vec<u8> = kept.flat_map(encode).collect();
        if bytes.len() == aborted.len() * ENTRY_BYTES {
            return Ok(());
        }
        let path = self.place.file(self.base, names::TXN_INDEX);
        match bytes.is_empty() {
            true => self.place.disk.remove(&path),
            false => self.place.disk.replace(&path, &bytes, false),
        }
    }
}

impl Log {
    /// Enters a transaction that an abort marker has just ended. A failure costs a reader's
    /// filter, not a record; it is reported and the log goes offline.
    pub(crate) fn note_aborted(&mut self, transaction: &CompletedTransaction) {
        let first_open = self.shared.producers.lock().first_open();
        let aborted = AbortedTransaction {
            producer: transaction.producer,
            first_offset: transaction.first_offset,
            last_offset: transaction.last_offset,
            last_stable_offset: first_open.unwrap_or(transaction.last_offset.next()),
        };
        if let Err(error) = self.active.segment.append_aborted(&aborted) {
            let error = self.active.segment.write_failed(error);
            self.go_offline(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_keep_their_value() {
        let aborted = AbortedTransaction {
            producer: ProducerId(1),
            first_offset: Offset(6),
            last_offset: Offset(8),
            last_stable_offset: Offset(7),
        };
        let bytes = encode(&aborted);
        assert_eq!(decode(&bytes), Some(aborted));
        assert_eq!(decode(&bytes[..33]), None);
    }
}
