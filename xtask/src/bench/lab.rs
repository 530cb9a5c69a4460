//! Where measurements take place: fresh folders, and brokers that have nothing but defaults.

use crate::bench::machine;
use crate::broker::{Broker, Plan, Target};
use crate::cache::Cache;
use crate::exec;
use std::path::PathBuf;
use std::process::Command;

pub struct Lab<'a> {
    cache: &'a Cache,
    folder: PathBuf,
}

impl<'a> Lab<'a> {
    pub fn new(cache: &'a Cache) -> Lab<'a> {
        Lab { cache, folder: exec::root().join("compat/.work/bench") }
    }

    /// A broker on an empty data directory, with no setting but those given.
    pub fn plan(&self, target: Target, settings: &[(&str, &str)]) -> Result<Plan, String> {
        self.clear();
        let mut plan = Plan::new(target, self.cache, &self.folder, settings)?;
        let given = settings.iter().map(|(key, value)| (key.to_string(), value.to_string()));
        plan.settings = given.collect();
        settle_disk()?;
        Ok(plan)
    }

    pub fn broker(&self, target: Target, settings: &[(&str, &str)]) -> Result<Broker, String> {
        self.plan(target, settings)?.start()
    }

    pub fn kafka(&self) -> Result<PathBuf, String> {
        self.cache.kafka()
    }

    /// Removes what the last broker left, some gigabytes maybe.
    pub fn clear(&self) {
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

/// Writes out what is waiting for the disk, so that nobody pays for another's writes.
pub fn settle_disk() -> Result<(), String> {
    exec::stdout_of(&mut Command::new("sync")).map(|_| ())
}

/// What is left of free memory when the rest is touched.
const UNTOUCHED_BYTES: u64 = 1 << 30;

const PAGE_BYTES: usize = 4096;

/// Empties the page cache where we may, and uses all free memory once. A write to a file costs
/// several times more when memory has to be reclaimed for it, or when a virtual machine gets that
/// memory from its host only now: the broker that happens on it would pay.
pub fn prepare_memory() -> Result<(), String> {
    settle_disk()?;
    // Root alone may.
    std::fs::write("/proc/sys/vm/drop_caches", "1").ok();
    let bytes = machine::memory("MemFree:").saturating_sub(UNTOUCHED_BYTES) as usize;
    let mut block = vec![0_u8; bytes];
    block.iter_mut().step_by(PAGE_BYTES).for_each(|byte| *byte = 1);
    std::hint::black_box(&block);
    Ok(())
}
