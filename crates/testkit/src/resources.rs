//! What a process uses, as Linux counts it.

use std::fs;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resources {
    /// Resident memory, bytes.
    pub resident: u64,
    pub open_files: usize,
    pub threads: u64,
}

impl Resources {
    pub fn of(pid: u32) -> Resources {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("the process lives");
        let files = fs::read_dir(format!("/proc/{pid}/fd")).expect("the process lives");
        Resources {
            resident: field(&status, "VmRSS:") * 1024,
            open_files: files.count(),
            threads: field(&status, "Threads:"),
        }
    }
}

fn field(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|rest| rest.split_whitespace().next());
    number.and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{name} in {status}"))
}
