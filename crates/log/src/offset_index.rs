//! The `.index` file: from offset to position. Eight bytes an entry, big-endian:
//!
//! ```text
//! | offset - base: i32 | position: i32 |   offset is the last one of the batch at position
//! ```
//!
//! Owns the entry's form and the searches. An index is a cache of the `.log` file: what a search
//! gives is a candidate that the caller checks against the batch it names.

use std::fs::File;
use std::io;

use highwater_types::Offset;

use crate::disk::Disk;
use crate::limits::INDEX_BLOCK_ENTRIES;

pub(crate) const ENTRY_BYTES: u32 = 8;

/// One entry, with the offset made absolute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    pub(crate) last_offset: Offset,
    pub(crate) position: u64,
}

pub(crate) fn encode(base: Offset, entry: IndexEntry) -> [u8; ENTRY_BYTES as usize] {
    // Both fit 31 bits: a segment rolls before either would not.
    let relative = (entry.last_offset.get() - base.get()) as u64;
    (relative << 32 | entry.position & 0xffff_ffff).to_be_bytes()
}

fn decode(base: Offset, bytes: [u8; ENTRY_BYTES as usize]) -> IndexEntry {
    let raw = u64::from_be_bytes(bytes);
    IndexEntry { last_offset: base.plus((raw >> 32) as i64), position: raw & 0xffff_ffff }
}

/// A view of the first `entries` entries of an index file.
pub(crate) struct OffsetIndex<'a> {
    pub(crate) disk: &'a dyn Disk,
    pub(crate) file: &'a File,
    pub(crate) base: Offset,
    pub(crate) entries: u32,
}

impl OffsetIndex<'_> {
    /// The last entry for which `before` holds; `before` holds for a prefix of the entries.
    pub(crate) fn last_where(
        &self,
        before: impl Fn(IndexEntry) -> bool,
    ) -> io::Result<Option<IndexEntry>> {
        let (mut low, mut high) = (0, self.entries);
        while high - low > INDEX_BLOCK_ENTRIES {
            let middle = low + (high - low) / 2;
            if before(self.entry(middle)?) { low = middle } else { high = middle }
        }
        let mut block = vec![0; ((high - low) * ENTRY_BYTES) as usize];
        let position = u64::from(low) * u64::from(ENTRY_BYTES);
        let read = self.disk.read_at(self.file, &mut block, position)?;
        block.truncate(read);
        let (entries, _) = block.as_chunks::<{ ENTRY_BYTES as usize }>();
        let held = entries.iter().map(|bytes| decode(self.base, *bytes));
        Ok(held.take_while(|entry| before(*entry)).last())
    }

    pub(crate) fn entry(&self, number: u32) -> io::Result<IndexEntry> {
        let mut bytes = [0; ENTRY_BYTES as usize];
        let position = u64::from(number) * u64::from(ENTRY_BYTES);
        if self.disk.read_at(self.file, &mut bytes, position)? < bytes.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(decode(self.base, bytes))
    }

    /// Entries before the zeroes that an index grown in advance ends with. Position 0 is never
    /// named: the first batch of a segment gets no entry.
    pub(crate) fn without_padding(&self) -> io::Result<u32> {
        let (mut low, mut high) = (0, self.entries);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.entry(middle)?.position == 0 { high = middle } else { low = middle + 1 }
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
    fn finds_the_last_entry_before() {
        let dir = tempfile::tempdir().unwrap();
        let file = OsDisk.open(&dir.path().join("i"), OpenMode::Create).unwrap();
        let base = Offset(1000);
        let all: Vec<IndexEntry> = (1..=3000)
            .map(|n| IndexEntry { last_offset: base.plus(10 * n), position: 100 * n as u64 })
            .collect();
        let bytes: Vec<u8> = all.iter().flat_map(|entry| encode(base, *entry)).collect();
        OsDisk.write_all_at(&file, &mut [IoSlice::new(&bytes)], 0).unwrap();
        OsDisk.set_len(&file, 100_000).unwrap();
        let padded = OffsetIndex { disk: &OsDisk, file: &file, base, entries: 12_500 };
        assert_eq!(padded.without_padding().unwrap(), 3000);
        let index = OffsetIndex { entries: 3000, ..padded };
        for target in [0, 1000, 1009, 1010, 1011, 5555, 30_999, 31_000, 99_999] {
            let found = index.last_where(|entry| entry.last_offset <= Offset(target)).unwrap();
            let expected = all.iter().rev().find(|entry| entry.last_offset.get() <= target);
            assert_eq!(found, expected.copied(), "{target}");
        }
    }
}
