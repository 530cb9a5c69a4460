//! Experiments from a text on message queues that was measured on Kafka 4.4.0, run again: batching,
//! a consumer that is killed, lag, keys after partitions are added, and the files of a partition.
//!
//! The texts' figures are the expectation wherever they do not depend on the machine.

mod batching;
mod killed_consumer;
mod lag;
mod listing;
mod repartition;

use crate::compat::context::Context;
use crate::compat::tools::Tools;
use crate::compat::verdict::Case;
use std::path::PathBuf;

/// A broker's tools, and what else an experiment needs.
pub struct Lab {
    pub tools: Tools,
    pub libs: PathBuf,
    pub folder: PathBuf,
    pub full: bool,
}

pub fn run_suite(context: &Context<'_>) -> Result<Vec<Case>, String> {
    let broker = context.broker("broker", &[])?;
    let data = broker.plan().data();
    let tools = context.tools(&broker.address())?;
    let libs = context.cache.kafka()?;
    let lab = Lab { tools, libs, folder: context.folder.clone(), full: context.full };
    let mut cases = vec![
        Case::of("A1: batches make producing several times faster", batching::check(&lab)),
        Case::of("A3: lag of a group that stopped, and a fourth member idle", lag::check(&lab)),
        Case::of("A5: where keys go after partitions are added", repartition::check(&lab)),
        Case::of("files of a partition while the broker runs", listing::check_live(&lab, &data)),
    ];
    for reset in ["earliest", "latest"] {
        let name = format!("A2: a consumer killed before its first commit, {reset}");
        cases.push(Case::of(&name, killed_consumer::check(&lab, reset)));
    }
    broker.stop()?;
    cases.push(Case::of("batches of the listed segments", listing::check_batches(&lab, &data)));
    cases.push(Case::of("index entries around offset 20000", listing::check_index(&lab, &data)));
    Ok(cases)
}
