//! The machine and the programs that a report is about.

use crate::bench::process;
use crate::exec;
use std::process::Command;

pub struct Machine {
    pub processors: usize,
    pub processor: String,
    pub memory_bytes: u64,
    pub kernel: String,
    pub date: String,
    /// Of the last minute, when measuring began: other work disturbs.
    pub load: String,
    pub java: String,
    pub commit: String,
}

impl Machine {
    pub fn here() -> Machine {
        let first = |path: &str| read(path).lines().next().unwrap_or_default().to_owned();
        let cpus = read("/proc/cpuinfo");
        let model = cpus.lines().find_map(|line| line.strip_prefix("model name"));
        let model = model.unwrap_or("unknown").trim_start_matches([' ', '\t', ':']);
        let load = first("/proc/loadavg").split(' ').next().unwrap_or_default().to_owned();
        Machine {
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            processor: model.to_owned(),
            memory_bytes: memory("MemTotal:"),
            kernel: format!("Linux {}", first("/proc/sys/kernel/osrelease")),
            date: said(Command::new("date").args(["-u", "+%Y-%m-%d %H:%M UTC"])),
            load,
            java: java(),
            commit: said(Command::new("git").current_dir(exec::root()).args([
                "rev-parse",
                "--short",
                "HEAD",
            ])),
        }
    }
}

/// Bytes of a line of `/proc/meminfo`; 0 without such a line.
pub fn memory(line: &str) -> u64 {
    process::field(&read("/proc/meminfo"), line).unwrap_or(0) * 1024
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn said(command: &mut Command) -> String {
    exec::stdout_of(command).map_or("unknown".to_owned(), |text| text.trim().to_owned())
}

fn java() -> String {
    let text = said(Command::new("java").arg("--version"));
    text.lines().next().unwrap_or_default().to_owned()
}
