//! The lock on a data directory: one process at a time, whichever broker it is.
//!
//! Two locks on the empty file `.lock`: `flock`, which also keeps apart two brokers in one
//! process, and a POSIX record lock, which is what Kafka takes.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, fcntl_lock, flock};

use crate::disk::{Disk, OpenMode};
use crate::error::LogError;

const FILE_NAME: &str = ".lock";

/// Held while it lives.
#[derive(Debug)]
pub(super) struct DirLock {
    _file: File,
}

impl DirLock {
    pub(super) fn take(disk: &dyn Disk, dir: &Path) -> Result<DirLock, LogError> {
        let path = dir.join(FILE_NAME);
        let file = disk.open(&path, OpenMode::Create).map_err(LogError::write(&path))?;
        for result in [
            flock(&file, FlockOperation::NonBlockingLockExclusive),
            fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive),
        ] {
            match result {
                Ok(()) => {}
                Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::ACCESS) => {
                    return Err(LogError::Locked {
                        path: dir.to_path_buf(),
                        holder: holder(&file),
                    });
                }
                Err(error) => return Err(LogError::Write { path, source: error.into() }),
            }
        }
        Ok(DirLock { _file: file })
    }
}

/// " by process 123 (name)", or nothing where the system does not tell.
fn holder(file: &File) -> String {
    let inode = file.metadata().map(|metadata| metadata.ino()).unwrap_or_default();
    let locks = std::fs::read_to_string("/proc/locks").unwrap_or_default();
    // 1: FLOCK  ADVISORY  WRITE 2011 fe:00:2625 0 EOF
    let pid = locks.lines().filter(|line| !line.contains("->")).find_map(|line| {
        let mut words = line.split_whitespace().skip(4);
        let pid = words.next()?;
        let (_, locked) = words.next()?.rsplit_once(':')?;
        (locked.parse() == Ok(inode) && pid != "-1").then(|| pid.to_owned())
    });
    let Some(pid) = pid else { return String::new() };
    let name = std::fs::read_to_string(PathBuf::from("/proc").join(&pid).join("comm"));
    match name {
        Ok(name) => format!(" by process {pid} ({})", name.trim()),
        Err(_) => format!(" by process {pid}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::OsDisk;

    #[test]
    fn one_holder_at_a_time_and_the_error_names_it() {
        let dir = tempfile::tempdir().unwrap();
        let held = DirLock::take(&OsDisk, dir.path()).unwrap();
        let error = DirLock::take(&OsDisk, dir.path()).unwrap_err();
        assert_eq!(error.code(), "HW0001");
        assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
        drop(held);
        DirLock::take(&OsDisk, dir.path()).unwrap();
    }
}
