//! The two indexes of a segment as files: looked at on first use, rebuilt when they are broken.
//!
//! Indexes are caches of the `.log` file. Absent, cut, zeroed or contradictory ones are rebuilt
//! from the batches of that one segment, with a line in the log; they never stop a start.

use std::io::{self, IoSlice};
use std::sync::atomic::Ordering;

use highwater_types::Offset;

use crate::disk::OpenMode;
use crate::indexer::{Indexer, NewEntries};
use crate::limits::SCAN_CHUNK_BYTES;
use crate::lookup::Start;
use crate::names;
use crate::offset_index::{self, OffsetIndex};
use crate::segment::{NOT_LOADED, Segment};
use crate::time_index::{self, TimeEntry, TimeIndex};
use crate::walk::WalkError;

/// Restarts begin counting the index interval anew, so a sound index may have gaps of several.
const SOUND_GAP_INTERVALS: u64 = 4;

/// Time entries read at a time while their order is checked.
const CHECK_BLOCK_ENTRIES: u32 = 4096;

impl Segment {
    /// Calls `ask` with the offset index, checked before its first use.
    pub(crate) fn with_index<R>(
        &self,
        interval_bytes: u32,
        ask: impl FnOnce(&OffsetIndex<'_>) -> io::Result<R>,
    ) -> Result<R, WalkError> {
        self.load_indexes(interval_bytes)?;
        Ok(ask(&self.index_view(&*self.index_file()?))?)
    }

    /// Calls `ask` with the time index, checked before its first use.
    pub(crate) fn with_times<R>(
        &self,
        interval_bytes: u32,
        ask: impl FnOnce(&TimeIndex<'_>) -> io::Result<R>,
    ) -> Result<R, WalkError> {
        self.load_indexes(interval_bytes)?;
        let file = self.time_file()?;
        Ok(ask(&self.time_view(&file, self.time_entries.load(Ordering::Acquire)))?)
    }

    pub(crate) fn index_view<'a>(&'a self, file: &'a std::fs::File) -> OffsetIndex<'a> {
        let entries = self.index_entries.load(Ordering::Acquire);
        OffsetIndex { disk: &*self.place.disk, file, base: self.base, entries }
    }

    fn time_view<'a>(&'a self, file: &'a std::fs::File, entries: u32) -> TimeIndex<'a> {
        TimeIndex { disk: &*self.place.disk, file, base: self.base, entries }
    }

    /// Looks at the index files if nobody did since the start; rebuilds both if either is broken.
    pub(crate) fn load_indexes(&self, interval_bytes: u32) -> Result<(), WalkError> {
        if self.time_entries.load(Ordering::Acquire) != NOT_LOADED {
            return Ok(());
        }
        let _one_at_a_time = self.repair.lock();
        if self.time_entries.load(Ordering::Acquire) != NOT_LOADED {
            return Ok(());
        }
        if self.is_gone() {
            return Err(io::Error::from(io::ErrorKind::NotFound).into());
        }
        match self.check_files(interval_bytes) {
            Ok(()) => Ok(()),
            Err(WalkError::Io(error))
                if !matches!(
                    error.kind(),
                    io::ErrorKind::NotFound
                        | io::ErrorKind::InvalidData
                        | io::ErrorKind::UnexpectedEof
                ) =>
            {
                Err(error.into())
            }
            Err(broken) => {
                let what = match broken {
                    WalkError::Io(error) => error.to_string(),
                    WalkError::Bad { what, .. } => what,
                };
                let path = self.place.file(self.base, names::OFFSET_INDEX);
                tracing::warn!(path = %path.display(), what, "index is rebuilt from the batches");
                self.rebuild_indexes(interval_bytes).map(|_| ())
            }
        }
    }

    /// Counts are set only if both files are sound.
    fn check_files(&self, interval_bytes: u32) -> Result<(), WalkError> {
        let broken = |what: &str| WalkError::Io(io::Error::new(io::ErrorKind::InvalidData, what));
        let disk = &*self.place.disk;
        let (index_file, time_file) = (self.index_file()?, self.time_file()?);
        let (index_len, time_len) = (disk.len(&index_file)?, disk.len(&time_file)?);
        let index_entries = entries_in(index_len, offset_index::ENTRY_BYTES)
            .ok_or_else(|| broken("the offset index ends within an entry"))?;
        let time_entries = entries_in(time_len, time_index::ENTRY_BYTES)
            .ok_or_else(|| broken("the time index ends within an entry"))?;
        let index =
            OffsetIndex { disk, file: &index_file, base: self.base, entries: index_entries };
        let times = self.time_view(&time_file, time_entries);
        if index.without_padding()? != index_entries || times.without_padding()? != time_entries {
            return Err(broken("it was never cut to its entries"));
        }
        self.check_offset_index(&index, interval_bytes)?;
        let newest = check_time_index(&times, self.base)?;
        if time_entries == 0 && self.has_times()? {
            return Err(broken("the time index is empty"));
        }
        self.index_entries.store(index_entries, Ordering::Release);
        self.check_newest(newest, interval_bytes)?;
        self.time_entries.store(time_entries, Ordering::Release);
        Ok(())
    }

    /// Whether the first batch has a time, so that the time index of a closed segment has an entry.
    fn has_times(&self) -> Result<bool, WalkError> {
        let first = self.walk(0, self.size())?.next()?;
        Ok(first.is_some_and(|met| met.header.max_timestamp >= 0))
    }

    /// The last entry must name a batch, and no further entry may be due behind it.
    fn check_offset_index(
        &self,
        index: &OffsetIndex<'_>,
        interval_bytes: u32,
    ) -> Result<(), WalkError> {
        let last = match index.entries.checked_sub(1) {
            Some(last) => Some(index.entry(last)?),
            None => None,
        };
        let start = last.map_or(0, |entry| entry.position);
        let bad = |what: &str| WalkError::Bad { position: start, what: what.to_owned() };
        if start > self.size() {
            return Err(bad("the offset index points past the log"));
        }
        let mut walk = self.walk(start, self.size())?;
        let first = walk.next()?;
        if let Some(entry) = last {
            let named = first.map(|met| Offset(met.header.last_offset()));
            if named != Some(entry.last_offset) {
                return Err(bad("the offset index contradicts the log"));
            }
        }
        let gap_max = SOUND_GAP_INTERVALS * u64::from(interval_bytes);
        while walk.position() - start <= gap_max {
            if walk.next()?.is_none() {
                return Ok(());
            }
        }
        if walk.position() < self.size() {
            return Err(bad("the offset index lacks entries"));
        }
        Ok(())
    }

    /// The largest timestamp must be that of the batch it names.
    fn check_newest(&self, newest: TimeEntry, interval_bytes: u32) -> Result<(), WalkError> {
        if newest.timestamp.get() < 0 {
            return Ok(());
        }
        let start = Start { interval_bytes, size: self.size() };
        let named = self.locate_with(newest.offset, start, |ask| {
            let file = self.index_file()?;
            Ok(ask(&self.index_view(&file))?)
        })?;
        if named.map(|met| met.header.max_timestamp) == Some(newest.timestamp.get()) {
            return Ok(());
        }
        let what = "the time index contradicts the log".to_owned();
        Err(WalkError::Bad { position: 0, what })
    }

    /// Builds both index files anew from the batches, and returns their state.
    pub(crate) fn rebuild_indexes(&self, interval_bytes: u32) -> Result<Indexer, WalkError> {
        let mut indexer = Indexer::new(self.base, interval_bytes);
        let mut entries = NewEntries::default();
        let mut walk = self.walk_in(0, self.size(), SCAN_CHUNK_BYTES)?;
        while let Some(met) = walk.next()? {
            indexer.on_batch(self.base, &met.header, met.position, &mut entries);
        }
        let newest = indexer.newest;
        indexer.enter_newest(self.base, &mut entries);
        self.replace_indexes(&indexer, &entries)?;
        indexer.newest = newest;
        Ok(indexer)
    }

    pub(crate) fn replace_indexes(
        &self,
        indexer: &Indexer,
        entries: &NewEntries,
    ) -> io::Result<()> {
        let disk = &*self.place.disk;
        self.close_indexes();
        disk.replace(&self.place.file(self.base, names::OFFSET_INDEX), &entries.index, false)?;
        disk.replace(&self.place.file(self.base, names::TIME_INDEX), &entries.time, false)?;
        self.close_indexes();
        self.index_entries.store(indexer.index_entries, Ordering::Release);
        self.time_entries.store(indexer.time_entries, Ordering::Release);
        Ok(())
    }

    /// Makes the files of a new, empty segment.
    pub(crate) fn create_files(&self, index_bytes_max: u32, log_bytes: u64) -> io::Result<()> {
        let disk = &*self.place.disk;
        let log = disk.open(&self.place.file(self.base, names::LOG), OpenMode::Truncate)?;
        if log_bytes > 0 {
            disk.set_len(&log, log_bytes)?;
        }
        for suffix in [names::OFFSET_INDEX, names::TIME_INDEX] {
            disk.open(&self.place.file(self.base, suffix), OpenMode::Truncate)?;
        }
        self.index_entries.store(0, Ordering::Release);
        self.time_entries.store(0, Ordering::Release);
        self.grow_indexes(index_bytes_max)
    }

    /// Gives the index files of the active segment their full length, in advance.
    pub(crate) fn grow_indexes(&self, index_bytes_max: u32) -> io::Result<()> {
        let whole = |entry_bytes: u32| u64::from(index_bytes_max / entry_bytes * entry_bytes);
        let disk = &*self.place.disk;
        disk.set_len(&*self.index_file()?, whole(offset_index::ENTRY_BYTES))?;
        disk.set_len(&*self.time_file()?, whole(time_index::ENTRY_BYTES))
    }

    /// Cuts the index files to their entries.
    pub(crate) fn trim_indexes(&self, indexer: &Indexer) -> io::Result<()> {
        let disk = &*self.place.disk;
        let len = |entries: u32, bytes: u32| u64::from(entries) * u64::from(bytes);
        let index_len = len(indexer.index_entries, offset_index::ENTRY_BYTES);
        disk.set_len(&*self.index_file()?, index_len)?;
        let time_len = len(indexer.time_entries, time_index::ENTRY_BYTES);
        disk.set_len(&*self.time_file()?, time_len)
    }

    /// Appends entries to the files. `before` is the state without them.
    pub(crate) fn append_entries(&self, before: &Indexer, entries: &NewEntries) -> io::Result<()> {
        let disk = &*self.place.disk;
        if !entries.index.is_empty() {
            let position = u64::from(before.index_entries) * u64::from(offset_index::ENTRY_BYTES);
            let mut parts = [IoSlice::new(&entries.index)];
            disk.write_all_at(&*self.index_file()?, &mut parts, position)?;
        }
        if !entries.time.is_empty() {
            let position = u64::from(before.time_entries) * u64::from(time_index::ENTRY_BYTES);
            let mut parts = [IoSlice::new(&entries.time)];
            disk.write_all_at(&*self.time_file()?, &mut parts, position)?;
        }
        Ok(())
    }

    /// Lets readers see the entries up to this state.
    pub(crate) fn publish_entries(&self, indexer: &Indexer) {
        self.index_entries.store(indexer.index_entries, Ordering::Release);
        self.time_entries.store(indexer.time_entries, Ordering::Release);
    }
}

fn entries_in(len: u64, entry_bytes: u32) -> Option<u32> {
    let entry_bytes = u64::from(entry_bytes);
    len.is_multiple_of(entry_bytes).then(|| u32::try_from(len / entry_bytes).ok())?
}

/// Entries must rise.
fn check_time_index(times: &TimeIndex<'_>, base: Offset) -> Result<TimeEntry, WalkError> {
    let bad = |what: &str| WalkError::Bad { position: 0, what: what.to_owned() };
    let mut last = TimeEntry::none(base);
    let mut number = 0;
    while number < times.entries {
        for entry in times.block(number, CHECK_BLOCK_ENTRIES.min(times.entries - number))? {
            if entry.timestamp <= last.timestamp || entry.offset < last.offset {
                return Err(bad("the time index does not rise"));
            }
            last = entry;
            number += 1;
        }
    }
    Ok(last)
}
