//! Kafka 4.4.0's own command-line tools, each used as an operator would, their output read.
//!
//! Owns the order: a running broker first, then the data directory of the stopped one.

mod cluster;
mod configs;
mod dump;
mod groups;
mod records;
mod topics;
mod workload;

use crate::broker::Broker;
use crate::compat::context::{Context, run_checks};
use crate::compat::tools::Tools;
use crate::compat::verdict::Case;
use std::path::PathBuf;
use std::time::Duration;

/// A running broker, and the tools that talk to it.
pub struct Bench {
    pub tools: Tools,
    pub broker: Broker,
    pub folder: PathBuf,
    pub libs: PathBuf,
}

type Check = (&'static str, fn(&Bench) -> Result<(), String>);

pub fn run_suite(context: &Context<'_>) -> Result<Vec<Case>, String> {
    let broker = context.broker("broker", &[])?;
    let tools = context.tools(&broker.address())?;
    let libs = context.cache.kafka()?;
    let bench = Bench { tools, broker, folder: context.folder.clone(), libs };
    let mut cases = Vec::new();
    let parts: [&[Check]; 6] = [
        cluster::CHECKS,
        topics::CHECKS,
        configs::CHECKS,
        records::CHECKS,
        groups::CHECKS,
        workload::CHECKS,
    ];
    for checks in parts {
        cases.extend(run_checks(&bench, checks));
    }
    let (stopped, took) = bench.broker.stop()?;
    let limit = Duration::from_secs(if stopped.libs.is_some() { 30 } else { 1 });
    let in_time = if took <= limit { Ok(()) } else { Err(format!("it took {took:?}")) };
    cases.push(Case::of("the broker stops within a second of SIGTERM", in_time));
    let data = stopped.data();
    cases.extend(dump::run(&bench.tools, &data));
    Ok(cases)
}

/// Lines as words, to compare tables whatever their padding.
pub fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split_whitespace().collect()).collect()
}

/// The row whose first words are these.
pub fn row_of<'a>(text: &'a str, start: &[&str]) -> Result<Vec<&'a str>, String> {
    let found = rows(text).into_iter().find(|row| row.starts_with(start));
    found.ok_or_else(|| format!("no line starts with {start:?}:\n{text}"))
}

pub fn same<T: PartialEq + std::fmt::Debug>(got: T, expected: T) -> Result<(), String> {
    if got == expected { Ok(()) } else { Err(format!("{got:?} instead of {expected:?}")) }
}

/// Whether `holds` becomes true within ten seconds.
pub fn soon(what: &str, mut holds: impl FnMut() -> Result<bool, String>) -> Result<(), String> {
    for _ in 0..100 {
        if holds()? {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Err(format!("not within ten seconds: {what}"))
}
