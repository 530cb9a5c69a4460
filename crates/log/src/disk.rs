//! The one door to the file system: the [`Disk`] trait and [`OsDisk`], the real one.
//!
//! Owns how bytes reach files. Knows nothing of what the files mean. Everything else in this
//! crate goes through it, so that tests can lose unflushed writes, fill the disk or fail a call.
//! Handles are real [`File`]s, because a fetch hands them to `sendfile`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IoSlice};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::limits::WRITE_SLICES_MAX;

/// How [`Disk::open`] treats a file that is absent or present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    /// Must exist; opened for reading and writing.
    Existing,
    /// Created if absent, kept if present; reading and writing.
    Create,
    /// Created if absent, emptied if present; reading and writing.
    Truncate,
}

/// One name of a listed directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub name: String,
    pub is_dir: bool,
}

/// Everything a log asks of a file system. Calls block; an error leaves the file in any state
/// that a failed system call of that name may leave.
pub trait Disk: Send + Sync + std::fmt::Debug + 'static {
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<File>;

    /// Reads until `buf` is full or the file ends; returns the bytes read.
    fn read_at(&self, file: &File, buf: &mut [u8], position: u64) -> io::Result<usize>;

    /// Writes all of `parts`, one after the other, from `position` on. After an error any prefix
    /// may have been written.
    fn write_all_at(&self, file: &File, parts: &mut [IoSlice<'_>], position: u64)
    -> io::Result<()>;

    fn set_len(&self, file: &File, len: u64) -> io::Result<()>;

    /// Length of an open file.
    fn len(&self, file: &File) -> io::Result<u64>;

    /// Length of a file by its name.
    fn file_len(&self, path: &Path) -> io::Result<u64>;

    /// `fdatasync`: contents and length are on the medium when it returns.
    fn sync_data(&self, file: &File) -> io::Result<()>;

    /// Makes the names inside a directory durable.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;

    /// `syncfs`: everything written to the file system that holds `path` is on the medium.
    fn sync_all(&self, path: &Path) -> io::Result<()>;

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    fn remove(&self, path: &Path) -> io::Result<()>;

    fn remove_dir_all(&self, path: &Path) -> io::Result<()>;

    fn create_dir_all(&self, path: &Path) -> io::Result<()>;

    /// Names in a directory, sorted.
    fn list(&self, path: &Path) -> io::Result<Vec<Listed>>;

    /// Whole contents of a small file, at most `bytes_max`.
    fn read_small(&self, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
        let file = self.open(path, OpenMode::Existing)?;
        let len = self.len(&file)?;
        if len > bytes_max {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{len} bytes, where at most {bytes_max} make sense"),
            ));
        }
        let mut bytes = vec![0; len as usize];
        let read = self.read_at(&file, &mut bytes, 0)?;
        bytes.truncate(read);
        Ok(bytes)
    }

    /// Replaces a file in one step: readers, and a start after a crash of the process, see the old
    /// contents or the new. With `sync` also a start after a power loss.
    fn replace(&self, path: &Path, bytes: &[u8], sync: bool) -> io::Result<()> {
        let mut temporary = PathBuf::from(path).into_os_string();
        temporary.push(".tmp");
        let temporary = PathBuf::from(temporary);
        let file = self.open(&temporary, OpenMode::Truncate)?;
        self.write_all_at(&file, &mut [IoSlice::new(bytes)], 0)?;
        if sync {
            self.sync_data(&file)?;
        }
        drop(file);
        self.rename(&temporary, path)?;
        match path.parent() {
            Some(parent) if sync => self.sync_dir(parent),
            _ => Ok(()),
        }
    }
}

/// The operating system's files.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsDisk;

impl Disk for OsDisk {
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<File> {
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(mode != OpenMode::Existing)
            .truncate(mode == OpenMode::Truncate)
            .open(path)
    }

    fn read_at(&self, file: &File, buf: &mut [u8], position: u64) -> io::Result<usize> {
        let mut done = 0;
        while let Some(rest) = buf.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match file.read_at(rest, position + done as u64) {
                Ok(0) => break,
                Ok(read) => done += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    fn write_all_at(
        &self,
        file: &File,
        mut parts: &mut [IoSlice<'_>],
        mut position: u64,
    ) -> io::Result<()> {
        IoSlice::advance_slices(&mut parts, 0);
        while !parts.is_empty() {
            let some = parts.get(..parts.len().min(WRITE_SLICES_MAX)).unwrap_or_default();
            match rustix::io::pwritev(file, some, position) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    position += written as u64;
                    IoSlice::advance_slices(&mut parts, written);
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn set_len(&self, file: &File, len: u64) -> io::Result<()> {
        file.set_len(len)
    }

    fn len(&self, file: &File) -> io::Result<u64> {
        Ok(file.metadata()?.len())
    }

    fn file_len(&self, path: &Path) -> io::Result<u64> {
        Ok(fs::metadata(path)?.len())
    }

    fn sync_data(&self, file: &File) -> io::Result<()> {
        file.sync_data()
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn sync_all(&self, path: &Path) -> io::Result<()> {
        Ok(rustix::fs::syncfs(File::open(path)?)?)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Listed>> {
        let mut listed = Vec::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            // A name that is not UTF-8 is none of ours.
            let Ok(name) = entry.file_name().into_string() else { continue };
            // Known from the listing itself on the usual file systems: no call for each file.
            let is_dir = match entry.file_type() {
                Ok(kind) => kind.is_dir(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            listed.push(Listed { name, is_dir });
        }
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_all_parts_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let file = OsDisk.open(&path, OpenMode::Create).unwrap();
        let pieces: Vec<Vec<u8>> = (0..3000u32).map(|i| i.to_be_bytes().to_vec()).collect();
        let mut parts: Vec<IoSlice<'_>> = pieces.iter().map(|p| IoSlice::new(p)).collect();
        OsDisk.write_all_at(&file, &mut parts, 5).unwrap();
        let mut back = vec![0; 12_005];
        assert_eq!(OsDisk.read_at(&file, &mut back, 0).unwrap(), 12_005);
        assert_eq!(back[5..], pieces.concat()[..]);
        assert_eq!(OsDisk.read_at(&file, &mut back, 12_000).unwrap(), 5);
    }

    #[test]
    fn replace_leaves_no_temporary_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("checkpoint");
        for text in ["one", "two"] {
            OsDisk.replace(&path, text.as_bytes(), true).unwrap();
            assert_eq!(OsDisk.read_small(&path, 10).unwrap(), text.as_bytes());
        }
        assert_eq!(OsDisk.list(dir.path()).unwrap().len(), 1);
        assert!(OsDisk.read_small(&path, 2).is_err());
    }
}
