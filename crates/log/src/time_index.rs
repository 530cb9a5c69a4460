//! The `.timeindex` file: from time to offset. Twelve bytes an entry, big-endian:
//!
//! ```text
//! | largest timestamp so far: i64 | offset - base: i32 |   offset is the last one of its batch
//! ```
//!
//! Owns the entry's form and the searches. Like every index it is a cache.

use std::fs::File;
use std::io;

use highwater_types::{Offset, Timestamp};

use crate::disk::Disk;
use crate::limits::INDEX_BLOCK_ENTRIES;

pub(crate) const ENTRY_BYTES: u32 = 12;

/// The largest timestamp of a stretch of log, and the last offset of the first batch that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TimeEntry {
    pub(crate) timestamp: Timestamp,
    pub(crate) offset: Offset,
}

impl TimeEntry {
    /// What a segment without records has.
    pub(crate) const fn none(base: Offset) -> TimeEntry {
        TimeEntry { timestamp: Timestamp::NONE, offset: base }
    }
}

pub(crate) fn encode(base: Offset, entry: TimeEntry) -> [u8; ENTRY_BYTES as usize] {
    // Fits 31 bits: a segment rolls before it would not.
    let relative = (entry.offset.get() - base.get()) as u128 & 0xffff_ffff;
    let raw = (entry.timestamp.get() as u64 as u128) << 32 | relative;
    let wide = raw.to_be_bytes();
    std::array::from_fn(|index| wide.get(index + 4).copied().unwrap_or_default())
}

fn decode(base: Offset, bytes: [u8; ENTRY_BYTES as usize]) -> TimeEntry {
    let raw = bytes.iter().fold(0u128, |raw, byte| raw << 8 | u128::from(*byte));
    TimeEntry {
        timestamp: Timestamp((raw >> 32) as i64),
        offset: base.plus((raw & 0xffff_ffff) as i64),
    }
}

/// A view of the first `entries` entries of a time index file.
pub(crate) struct TimeIndex<'a> {
    pub(crate) disk: &'a dyn Disk,
    pub(crate) file: &'a File,
    pub(crate) base: Offset,
    pub(crate) entries: u32,
}

impl TimeIndex<'_> {
    /// The last entry for which `before` holds; `before` holds for a prefix of the entries.
    pub(crate) fn last_where(
        &self,
        before: impl Fn(TimeEntry) -> bool,
    ) -> io::Result<Option<TimeEntry>> {
        let (mut low, mut high) = (0, self.entries);
        while high - low > INDEX_BLOCK_ENTRIES {
            let middle = low + (high - low) / 2;
            if before(self.entry(middle)?) { low = middle } else { high = middle }
        }
        let block = self.block(low, high - low)?;
        Ok(block.into_iter().take_while(|entry| before(*entry)).last())
    }

    /// Up to `count` entries from number `first` on.
    pub(crate) fn block(&self, first: u32, count: u32) -> io::Result<Vec<TimeEntry>> {
        let mut block = vec![0; count as usize * ENTRY_BYTES as usize];
        let position = u64::from(first) * u64::from(ENTRY_BYTES);
        let read = self.disk.read_at(self.file, &mut block, position)?;
        block.truncate(read);
        let (entries, _) = block.as_chunks::<{ ENTRY_BYTES as usize }>();
        Ok(entries.iter().map(|bytes| decode(self.base, *bytes)).collect())
    }

    pub(crate) fn entry(&self, number: u32) -> io::Result<TimeEntry> {
        self.block(number, 1)?.pop().ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    /// Entries before the zeroes that an index grown in advance ends with. Only the first entry
    /// may rightly be all zeroes (a record of 1970), and losing it loses nothing.
    pub(crate) fn without_padding(&self) -> io::Result<u32> {
        let padding = TimeEntry { timestamp: Timestamp(0), offset: self.base };
        let (mut low, mut high) = (0, self.entries);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.entry(middle)? == padding { high = middle } else { low = middle + 1 }
        }
        Ok(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{OpenMode, OsDisk};
    use std::io::IoSlice;

    #[test]
    fn entries_keep_their_value() {
        let base = Offset(7);
        for (timestamp, offset) in [(-1, 7), (0, 8), (1_764_547_200_004, i32::MAX as i64 + 7)] {
            let entry = TimeEntry { timestamp: Timestamp(timestamp), offset: Offset(offset) };
            assert_eq!(decode(base, encode(base, entry)), entry);
        }
    }

    #[test]
    fn finds_the_last_entry_before() {
        let dir = tempfile::tempdir().unwrap();
        let file = OsDisk.open(&dir.path().join("t"), OpenMode::Create).unwrap();
        let base = Offset(50);
        let all: Vec<TimeEntry> = (0..1000)
            .map(|n| TimeEntry { timestamp: Timestamp(1 + 5 * n), offset: base.plus(n) })
            .collect();
        let bytes: Vec<u8> = all.iter().flat_map(|entry| encode(base, *entry)).collect();
        OsDisk.write_all_at(&file, &mut [IoSlice::new(&bytes)], 0).unwrap();
        OsDisk.set_len(&file, 24_000).unwrap();
        let padded = TimeIndex { disk: &OsDisk, file: &file, base, entries: 2000 };
        assert_eq!(padded.without_padding().unwrap(), 1000);
        let index = TimeIndex { entries: 1000, ..padded };
        for target in [0, 1, 2, 1000, 4996, 4997, 9999] {
            let found = index.last_where(|entry| entry.timestamp.get() < target).unwrap();
            let expected = all.iter().rev().find(|entry| entry.timestamp.get() < target);
            assert_eq!(found, expected.copied(), "{target}");
        }
    }
}
