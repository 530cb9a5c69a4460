//! Disks that fail: one that runs full, one that loses what was not flushed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, IoSlice};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use highwater_log::{Disk, Listed, OpenMode, OsDisk};
use highwater_types::Entropy;

/// Fails when told to; otherwise the system's files. Remembers what a power loss would leave.
#[derive(Debug, Default)]
pub struct FaultyDisk {
    /// Bytes that may still be written before the disk is full; negative: no limit.
    pub room: AtomicI64,
    /// Calls that may still change a name, before all fail; negative: no limit.
    pub names_left: AtomicI64,
    pub fail_set_len: AtomicBool,
    pub fail_sync: AtomicBool,
    /// Contents as of the last flush, by inode; never flushed files are absent.
    flushed: Mutex<BTreeMap<u64, Vec<u8>>>,
}

impl FaultyDisk {
    pub fn sound() -> FaultyDisk {
        FaultyDisk {
            room: AtomicI64::new(-1),
            names_left: AtomicI64::new(-1),
            ..Default::default()
        }
    }

    fn change_name(&self) -> io::Result<()> {
        match self.names_left.load(Ordering::SeqCst) {
            0 => Err(io::ErrorKind::Other.into()),
            left if left > 0 => {
                self.names_left.store(left - 1, Ordering::SeqCst);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Leaves of each file what was flushed, and a random part of what was written since: whole
    /// pages of it or zeroes. Names stay.
    pub fn lose_power(&self, folder: &Path, entropy: &mut dyn Entropy) {
        let flushed = self.flushed.lock().unwrap();
        for listed in OsDisk.list(folder).unwrap().into_iter().filter(|listed| !listed.is_dir) {
            let path = folder.join(listed.name);
            let inode = std::fs::metadata(&path).unwrap().ino();
            let mut bytes = std::fs::read(&path).unwrap();
            let sure = flushed.get(&inode).cloned().unwrap_or_default();
            let keep = entropy.next_u64() as usize % (bytes.len() + 1);
            bytes.truncate(keep.max(sure.len()));
            // Parts that never reached the medium read as zeroes.
            for byte in bytes.iter_mut().skip(sure.len()) {
                if entropy.next_u64().is_multiple_of(97) {
                    *byte = 0;
                }
            }
            let len = sure.len().min(bytes.len());
            bytes[..len].copy_from_slice(&sure[..len]);
            std::fs::write(&path, bytes).unwrap();
        }
    }
}

impl Disk for FaultyDisk {
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<File> {
        OsDisk.open(path, mode)
    }

    fn read_at(&self, file: &File, buf: &mut [u8], position: u64) -> io::Result<usize> {
        OsDisk.read_at(file, buf, position)
    }

    fn write_all_at(
        &self,
        file: &File,
        parts: &mut [IoSlice<'_>],
        position: u64,
    ) -> io::Result<()> {
        let room = self.room.load(Ordering::SeqCst);
        let len: usize = parts.iter().map(|part| part.len()).sum();
        if room < 0 {
            return OsDisk.write_all_at(file, parts, position);
        }
        if len as i64 <= room {
            self.room.fetch_sub(len as i64, Ordering::SeqCst);
            return OsDisk.write_all_at(file, parts, position);
        }
        let all: Vec<u8> = parts.iter().flat_map(|part| part.to_vec()).collect();
        file.write_all_at(&all[..room as usize], position)?;
        self.room.store(0, Ordering::SeqCst);
        Err(io::ErrorKind::StorageFull.into())
    }

    fn set_len(&self, file: &File, len: u64) -> io::Result<()> {
        if self.fail_set_len.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::Other.into());
        }
        OsDisk.set_len(file, len)
    }

    fn len(&self, file: &File) -> io::Result<u64> {
        OsDisk.len(file)
    }

    fn file_len(&self, path: &Path) -> io::Result<u64> {
        OsDisk.file_len(path)
    }

    fn sync_data(&self, file: &File) -> io::Result<()> {
        if self.fail_sync.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::Other.into());
        }
        let mut bytes = vec![0; OsDisk.len(file)? as usize];
        let read = OsDisk.read_at(file, &mut bytes, 0)?;
        bytes.truncate(read);
        self.flushed.lock().unwrap().insert(file.metadata()?.ino(), bytes);
        Ok(())
    }

    fn sync_dir(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    fn sync_all(&self, path: &Path) -> io::Result<()> {
        OsDisk.sync_all(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.change_name()?;
        OsDisk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.change_name()?;
        let inode = std::fs::metadata(path)?.ino();
        self.flushed.lock().unwrap().remove(&inode);
        OsDisk.remove(path)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        OsDisk.remove_dir_all(path)
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        OsDisk.create_dir_all(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Listed>> {
        OsDisk.list(path)
    }
}
