//! One segment: a stretch of the log in one `.log` file, with its two indexes.
//!
//! Shared by the writer and all readers. Only the writer changes the active segment; a closed one
//! never changes. Owns the open files and the walk; what stands in the indexes is `indexes.rs`,
//! where a batch lies is `lookup.rs`.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use highwater_types::Offset;
use parking_lot::Mutex;

use crate::disk::OpenMode;
use crate::error::LogError;
use crate::fd_cache::FileSlot;
use crate::limits::WALK_CHUNK_BYTES;
use crate::names;
use crate::place::Place;
use crate::time_index::TimeEntry;
use crate::walk::{Walk, WalkError};

/// Entry counts of an index that nobody has looked at since the start.
pub(crate) const NOT_LOADED: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct Segment {
    /// Offset of the first batch, and the name of the files.
    pub(crate) base: Offset,
    pub(crate) place: Arc<Place>,
    log: Arc<FileSlot>,
    index: Arc<FileSlot>,
    times: Arc<FileSlot>,
    /// Valid bytes of the `.log` file. Readers of the active segment take it from their view.
    size: AtomicU64,
    /// Valid entries, or `NOT_LOADED`. Written after the entries themselves (release).
    pub(crate) index_entries: AtomicU32,
    pub(crate) time_entries: AtomicU32,
    /// Largest timestamp, once the segment is closed and anyone asked.
    pub(crate) newest: OnceLock<TimeEntry>,
    /// Its files have lost their names, which other files may have now.
    is_gone: AtomicBool,
    /// Held while indexes are looked at for the first time, or rebuilt, and while it goes.
    pub(crate) repair: Mutex<()>,
}

impl Segment {
    pub(crate) fn new(place: Arc<Place>, base: Offset, size: u64) -> Segment {
        Segment {
            base,
            place,
            log: Arc::default(),
            index: Arc::default(),
            times: Arc::default(),
            size: AtomicU64::new(size),
            index_entries: AtomicU32::new(NOT_LOADED),
            time_entries: AtomicU32::new(NOT_LOADED),
            newest: OnceLock::new(),
            is_gone: AtomicBool::new(false),
            repair: Mutex::new(()),
        }
    }

    pub(crate) fn size(&self) -> u64 {
        self.size.load(Ordering::Acquire)
    }

    pub(crate) fn set_size(&self, size: u64) {
        self.size.store(size, Ordering::Release);
    }

    pub(crate) fn log_file(&self) -> io::Result<Arc<File>> {
        self.file(&self.log, names::LOG)
    }

    pub(crate) fn index_file(&self) -> io::Result<Arc<File>> {
        self.file(&self.index, names::OFFSET_INDEX)
    }

    pub(crate) fn time_file(&self) -> io::Result<Arc<File>> {
        self.file(&self.times, names::TIME_INDEX)
    }

    fn file(&self, slot: &Arc<FileSlot>, suffix: &str) -> io::Result<Arc<File>> {
        let file = self.place.open(slot, self.base, suffix)?;
        // Looked at after opening: a file opened before the names changed is the right one.
        match self.is_gone() {
            false => Ok(file),
            true => {
                slot.close();
                Err(io::ErrorKind::NotFound.into())
            }
        }
    }

    /// Whether the segment was taken out of the log. Whoever still has it in a [`View`] gets
    /// `NotFound` for its files, and looks at the newer view.
    ///
    /// [`View`]: crate::view::View
    pub(crate) fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Acquire)
    }

    /// Called before the files are renamed, and after a view without the segment was published.
    pub(crate) fn retire(&self) {
        let _no_index_is_written = self.repair.lock();
        self.is_gone.store(true, Ordering::Release);
        self.close_files();
    }

    /// Opens all files under other names and keeps them open until [`Segment::close_files`].
    pub(crate) fn hold(&self, path: impl Fn(&str) -> PathBuf) -> io::Result<()> {
        let slots = [
            (&self.log, names::LOG),
            (&self.index, names::OFFSET_INDEX),
            (&self.times, names::TIME_INDEX),
        ];
        for (slot, suffix) in slots {
            slot.hold(self.place.disk.open(&path(suffix), OpenMode::Existing)?);
        }
        Ok(())
    }

    /// About how many entries its offset index has, without looking.
    pub(crate) fn index_entries_hint(&self, interval_bytes: u32) -> u64 {
        match self.index_entries.load(Ordering::Acquire) {
            NOT_LOADED => self.size() / u64::from(interval_bytes.max(1)),
            entries => u64::from(entries),
        }
    }

    /// Closes the index files, because they are replaced.
    pub(crate) fn close_indexes(&self) {
        self.index.close();
        self.times.close();
    }

    pub(crate) fn close_files(&self) {
        self.log.close();
        self.close_indexes();
    }

    /// Headers from `start`, a batch boundary, to `end`.
    pub(crate) fn walk(&self, start: u64, end: u64) -> io::Result<Walk<'_>> {
        self.walk_in(start, end, WALK_CHUNK_BYTES)
    }

    pub(crate) fn walk_in(&self, start: u64, end: u64, chunk: usize) -> io::Result<Walk<'_>> {
        Ok(Walk::new(&*self.place.disk, self.log_file()?, self.base, start..end, chunk))
    }

    /// A walk's failure as the coded error that names this file.
    pub(crate) fn damage(&self, error: WalkError) -> LogError {
        let path = self.place.file(self.base, names::LOG);
        match error {
            WalkError::Io(source) => LogError::Read { path, source },
            WalkError::Bad { position, what } => LogError::Damaged { path, position, what },
        }
    }

    pub(crate) fn read_failed(&self, source: io::Error) -> LogError {
        LogError::Read { path: self.place.file(self.base, names::LOG), source }
    }

    pub(crate) fn write_failed(&self, source: io::Error) -> LogError {
        LogError::Write { path: self.place.file(self.base, names::LOG), source }
    }
}
