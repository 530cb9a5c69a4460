//! A bounded set of open files, shared by all logs of a process.
//!
//! Each file has a [`FileSlot`]; a hit is one atomic load and takes no lock, so partitions do not
//! meet here. Only a miss takes the lock, opens, and closes files not used since the last sweep
//! (second chance). Whoever still holds the `Arc<File>` of a closed slot keeps reading.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use arc_swap::ArcSwapOption;
use parking_lot::Mutex;

/// Where one file's handle stands while it is open.
#[derive(Debug, Default)]
pub(crate) struct FileSlot {
    file: ArcSwapOption<File>,
    /// Set on use, cleared by the sweep. Relaxed: a lost mark costs one re-open.
    used: AtomicBool,
}

impl FileSlot {
    /// Puts in a handle that no sweep closes, only [`FileSlot::close`]: for a file whose name is
    /// about to change.
    pub(crate) fn hold(&self, file: File) {
        self.file.store(Some(Arc::new(file)));
    }

    /// Forgets the handle; the next use opens the file again.
    pub(crate) fn close(&self) {
        self.file.store(None);
    }
}

/// Bounds how many slots hold a file.
#[derive(Debug)]
pub struct FdCache {
    capacity: usize,
    /// Slots that hold or held a file, oldest first.
    open: Mutex<VecDeque<Weak<FileSlot>>>,
}

impl FdCache {
    /// `capacity` below 4 is taken as 4: one append uses three files at once.
    pub fn new(capacity: usize) -> Arc<FdCache> {
        Arc::new(FdCache { capacity: capacity.max(4), open: Mutex::default() })
    }

    /// The open file of `slot`; calls `open` if it is not open now.
    pub(crate) fn get(
        &self,
        slot: &Arc<FileSlot>,
        open: impl FnOnce() -> io::Result<File>,
    ) -> io::Result<Arc<File>> {
        if let Some(file) = slot.file.load_full() {
            if !slot.used.load(Ordering::Relaxed) {
                slot.used.store(true, Ordering::Relaxed);
            }
            return Ok(file);
        }
        // Opened outside the lock: a slow disk must not hold up other partitions.
        let opened = Arc::new(open()?);
        let mut ring = self.open.lock();
        if let Some(file) = slot.file.load_full() {
            return Ok(file);
        }
        slot.used.store(true, Ordering::Relaxed);
        slot.file.store(Some(Arc::clone(&opened)));
        self.make_room(&mut ring);
        ring.push_back(Arc::downgrade(slot));
        Ok(opened)
    }

    fn make_room(&self, ring: &mut VecDeque<Weak<FileSlot>>) {
        // Two rounds: the first clears every mark, so the second finds one to close.
        let mut steps = 2 * ring.len();
        while ring.len() >= self.capacity && steps > 0 {
            steps -= 1;
            let Some(oldest) = ring.pop_front() else { return };
            let Some(slot) = oldest.upgrade() else { continue };
            if slot.file.load().is_none() {
                continue;
            }
            if slot.used.swap(false, Ordering::Relaxed) {
                ring.push_back(oldest);
            } else {
                slot.close();
            }
        }
    }

    /// Slots that hold a file now.
    pub fn open_files(&self) -> usize {
        let ring = self.open.lock();
        ring.iter().filter_map(Weak::upgrade).filter(|slot| slot.file.load().is_some()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_more_open_than_the_capacity_and_the_used_ones_stay() {
        let dir = tempfile::tempdir().unwrap();
        let cache = FdCache::new(8);
        let slots: Vec<_> = (0..100).map(|_| Arc::new(FileSlot::default())).collect();
        let mut opened = 0;
        for (index, slot) in slots.iter().enumerate() {
            for slot in [slot, &slots[0]] {
                cache
                    .get(slot, || {
                        opened += 1;
                        File::create(dir.path().join(index.to_string()))
                    })
                    .unwrap();
            }
            assert!(cache.open_files() <= 8);
        }
        assert!(opened <= 120, "the file in use was opened again and again: {opened}");
    }

    #[test]
    fn a_failed_open_leaves_the_slot_empty() {
        let cache = FdCache::new(8);
        let slot = Arc::new(FileSlot::default());
        assert!(cache.get(&slot, || Err(io::ErrorKind::NotFound.into())).is_err());
        assert_eq!(cache.open_files(), 0);
    }
}
