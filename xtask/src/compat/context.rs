//! What a suite is given: its target, form and folder, and the way to start brokers.

use crate::broker::{Broker, Plan, Target};
use crate::cache::Cache;
use crate::compat::tools::Tools;
use crate::compat::verdict::{Case, Expected};
use crate::exec;
use std::path::{Path, PathBuf};

pub struct Context<'a> {
    pub suite: &'static str,
    pub target: Target,
    pub full: bool,
    /// Cases that must not run; those of `expected.txt` that are left out in this form.
    pub left_out: Vec<String>,
    pub cache: &'a Cache,
    /// Emptied when the suite starts; holds data directories and logs.
    pub folder: PathBuf,
}

impl<'a> Context<'a> {
    pub fn new(
        suite: &'static str,
        target: Target,
        full: bool,
        left_out: Vec<String>,
        cache: &'a Cache,
    ) -> Result<Context<'a>, String> {
        let folder = exec::root().join("compat/.work").join(suite);
        std::fs::remove_dir_all(&folder).ok();
        std::fs::create_dir_all(&folder).map_err(|error| exec::told(&folder, &error))?;
        Ok(Context { suite, target, full, left_out, cache, folder })
    }

    pub fn plan(&self, name: &str, settings: &[(&str, &str)]) -> Result<Plan, String> {
        Plan::new(self.target, self.cache, &self.folder.join(name), settings)
    }

    /// A running broker with a fresh data directory.
    pub fn broker(&self, name: &str, settings: &[(&str, &str)]) -> Result<Broker, String> {
        self.plan(name, settings)?.start()
    }

    /// Kafka's tools, pointed at this address.
    pub fn tools(&self, address: &str) -> Result<Tools, String> {
        Tools::start(&self.cache.kafka()?, address, &self.folder.join("tools.log"))
    }

    /// `compat/<suite>` of the project.
    pub fn source(&self) -> PathBuf {
        exec::root().join("compat").join(self.suite)
    }

    pub fn shown_folder(&self) -> String {
        let root = exec::root();
        self.folder.strip_prefix(&root).unwrap_or(&self.folder).display().to_string()
    }

    /// An ERROR or a panic in any broker's log that the suite does not expect.
    pub fn check_logs(&self, expected: &Expected) -> Result<(), String> {
        let mut wrong = Vec::new();
        for path in logs_under(&self.folder) {
            let text = std::fs::read(&path).map_err(|error| exec::told(&path, &error))?;
            let text = String::from_utf8_lossy(&text).into_owned();
            let lines = text.lines().filter(|line| is_error(line));
            wrong.extend(lines.filter(|line| !expected.allows_log_line(line)).map(str::to_owned));
        }
        if wrong.is_empty() {
            return Ok(());
        }
        let count = wrong.len();
        wrong.truncate(10);
        Err(format!("{count} lines:\n{}", wrong.join("\n")))
    }
}

fn is_error(line: &str) -> bool {
    let head = line.get(..80).unwrap_or(line);
    head.contains("ERROR") || line.contains("panicked at")
}

fn logs_under(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path().join("broker.log")).filter(|path| path.is_file()).collect()
}

pub type Check<T> = fn(&T) -> Result<(), String>;

/// Runs named checks one after another; each gets the same subject.
pub fn run_checks<T: ?Sized>(subject: &T, checks: &[(&str, Check<T>)]) -> Vec<Case> {
    checks.iter().map(|(name, check)| Case::of(name, check(subject))).collect()
}
