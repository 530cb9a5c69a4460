//! The files that a compaction writes: a segment under names of its own, until it is swapped in.

use std::fs::File;
use std::io::{self, IoSlice};
use std::path::PathBuf;
use std::sync::Arc;

use highwater_records::BatchHeader;
use highwater_types::Offset;

use crate::disk::OpenMode;
use crate::error::LogError;
use crate::indexer::{Indexer, NewEntries};
use crate::limits::SCAN_CHUNK_BYTES;
use crate::names;
use crate::place::Place;
use crate::segment::Segment;
use crate::txn_index::{self, AbortedTransaction};

/// A segment as it is being written, then as it waits to be swapped in.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) place: Arc<Place>,
    pub(crate) base: Offset,
    pub(crate) indexer: Indexer,
    log: File,
    /// Written to the file so far, and what follows.
    written: u64,
    buffer: Vec<u8>,
    entries: NewEntries,
    aborted: Vec<u8>,
}

impl Output {
    /// Begins files beside those of `first`, the oldest segment to be replaced.
    pub(crate) fn create(first: &Segment, interval_bytes: u32) -> Result<Output, LogError> {
        let place = Arc::clone(&first.place);
        let path = cleaned(&place, first.base, names::LOG);
        let log = place.disk.open(&path, OpenMode::Truncate).map_err(LogError::write(&path))?;
        Ok(Output {
            place,
            base: first.base,
            indexer: Indexer::new(first.base, interval_bytes),
            log,
            written: 0,
            buffer: Vec::new(),
            entries: NewEntries::default(),
            aborted: Vec::new(),
        })
    }

    pub(crate) fn size(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Appends a batch, which may be nothing, and the aborted transaction that its marker ends.
    pub(crate) fn write(
        &mut self,
        batch: &[u8],
        aborted: Option<AbortedTransaction>,
    ) -> Result<(), LogError> {
        if let Ok(header) = BatchHeader::parse(batch) {
            let position = self.size();
            self.indexer.on_batch(self.base, &header, position, &mut self.entries);
        }
        if let Some(aborted) = aborted {
            self.aborted.extend(txn_index::encode(&aborted));
        }
        self.buffer.extend_from_slice(batch);
        if self.buffer.len() >= SCAN_CHUNK_BYTES {
            self.drain().map_err(|source| self.failed(source))?;
        }
        Ok(())
    }

    /// Writes what is left, and puts everything on the medium.
    pub(crate) fn finish(&mut self) -> Result<(), LogError> {
        self.indexer.enter_newest(self.base, &mut self.entries);
        self.finish_files().map_err(|source| self.failed(source))
    }

    fn finish_files(&mut self) -> io::Result<()> {
        self.drain()?;
        let disk = &*self.place.disk;
        disk.sync_data(&self.log)?;
        let mut companions = vec![
            (names::OFFSET_INDEX, &self.entries.index),
            (names::TIME_INDEX, &self.entries.time),
        ];
        if !self.aborted.is_empty() {
            companions.push((names::TXN_INDEX, &self.aborted));
        }
        for (suffix, bytes) in companions {
            let file = disk.open(&cleaned(&self.place, self.base, suffix), OpenMode::Truncate)?;
            disk.write_all_at(&file, &mut [IoSlice::new(bytes)], 0)?;
            disk.sync_data(&file)?;
        }
        Ok(())
    }

    fn drain(&mut self) -> io::Result<()> {
        let mut parts = [IoSlice::new(&self.buffer)];
        self.place.disk.write_all_at(&self.log, &mut parts, self.written)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    fn failed(&self, source: io::Error) -> LogError {
        LogError::Write { path: cleaned(&self.place, self.base, names::LOG), source }
    }

    /// Removes the files; what cannot be removed now goes at the next open.
    pub(crate) fn discard(&self) {
        for suffix in names::SEGMENT_FILES {
            crate::deletion::remove(&self.place, &cleaned(&self.place, self.base, suffix));
        }
    }
}

/// The name of a file that compaction is writing.
pub(crate) fn cleaned(place: &Place, base: Offset, suffix: &str) -> PathBuf {
    place.join(&format!("{}{}", names::file(base, suffix), names::CLEANED))
}
