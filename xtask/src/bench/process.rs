//! What the kernel says about a process, read from `/proc`.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// The kernel counts CPU time for programs in hundredths of a second.
const TICKS_PER_SECOND: u64 = 100;

/// CPU time of all threads, also of those that have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cpu {
    pub user: Duration,
    pub system: Duration,
}

impl Cpu {
    pub fn both(self) -> Duration {
        self.user + self.system
    }

    pub fn since(self, before: Cpu) -> Cpu {
        Cpu { user: self.user - before.user, system: self.system - before.system }
    }
}

pub struct Process {
    folder: PathBuf,
}

impl Process {
    pub fn of(pid: u32) -> Process {
        Process { folder: PathBuf::from(format!("/proc/{pid}")) }
    }

    pub fn cpu(&self) -> Result<Cpu, String> {
        cpu_of(&self.read("stat")?).ok_or_else(|| self.odd("stat"))
    }

    /// Memory that is resident, pages of mapped files included.
    pub fn resident_bytes(&self) -> Result<u64, String> {
        let kilobytes = field(&self.read("smaps_rollup")?, "Rss:");
        Ok(kilobytes.ok_or_else(|| self.odd("smaps_rollup"))? * 1024)
    }

    /// What it had the disk read, as opposed to the page cache.
    pub fn disk_read_bytes(&self) -> Result<u64, String> {
        field(&self.read("io")?, "read_bytes:").ok_or_else(|| self.odd("io"))
    }

    pub fn open_files(&self) -> Result<usize, String> {
        Ok(self.targets()?.len())
    }

    /// Of the open files those that are in a folder.
    pub fn open_files_in(&self, folder: &Path) -> Result<usize, String> {
        Ok(self.targets()?.iter().filter(|target| target.starts_with(folder)).count())
    }

    fn targets(&self) -> Result<Vec<PathBuf>, String> {
        let path = self.folder.join("fd");
        let entries = std::fs::read_dir(&path).map_err(|error| crate::exec::told(&path, &error))?;
        Ok(entries.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok()).collect())
    }

    fn read(&self, name: &str) -> Result<String, String> {
        let path = self.folder.join(name);
        std::fs::read_to_string(&path).map_err(|error| crate::exec::told(&path, &error))
    }

    fn odd(&self, name: &str) -> String {
        format!("{}: not as expected", self.folder.join(name).display())
    }
}

/// The name in parentheses may hold anything; fields are counted from behind it.
fn cpu_of(stat: &str) -> Option<Cpu> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let time = |at: usize| {
        let ticks: u64 = fields.get(at)?.parse().ok()?;
        Some(Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND))
    };
    Some(Cpu { user: time(11)?, system: time(12)? })
}

/// The number behind a name at the start of a line.
pub fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_found_behind_any_name() {
        let stat = "71 (a) b (c) S 1 71 71 0 -1 4194560 900 0 3 0 250 75 11 12 20 0 9 0 8 7 6";
        let ms = Duration::from_millis;
        assert_eq!(cpu_of(stat), Some(Cpu { user: ms(2500), system: ms(750) }));
        assert_eq!(cpu_of("71 (a) S 1"), None);
    }

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let io = "rchar: 1\nread_bytes: 8192\ncancelled_write_bytes: 3\n";
        assert_eq!(field(io, "read_bytes:"), Some(8192));
        assert_eq!(field("Rss:               13492 kB\n", "Rss:"), Some(13492));
        assert_eq!(field(io, "write_bytes:"), None);
    }
}
