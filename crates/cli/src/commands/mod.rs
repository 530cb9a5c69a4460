//! The commands, one file each.

pub mod cluster;
pub mod completion;
pub mod config;
pub mod consume;
pub mod group;
pub mod log_dump;
pub mod produce;
pub mod serve;
pub mod topic;

use std::future::Future;

use crate::cli::{Cli, Command, LogCommand};
use crate::failure::Outcome;
use crate::runtime;

/// Does what was typed.
pub fn run(cli: Cli) -> Outcome {
    match cli.command {
        None => serve::run(&cli.serve),
        Some(Command::Serve(args)) => serve::run(&args),
        Some(Command::Topic(args)) => wait_for(topic::run(args)),
        Some(Command::Produce(args)) => wait_for(produce::run(args)),
        Some(Command::Consume(args)) => wait_for(consume::run(args)),
        Some(Command::Group(args)) => wait_for(group::run(args)),
        Some(Command::Config(args)) => wait_for(config::run(args)),
        Some(Command::Cluster(args)) => wait_for(cluster::run(args)),
        Some(Command::Log(LogCommand::Dump(args))) => log_dump::run(&args),
        Some(Command::Completion(args)) => completion::run(&args),
    }
}

fn wait_for(command: impl Future<Output = Outcome>) -> Outcome {
    let runtime = runtime::for_a_command()?;
    let ended = runtime.block_on(command);
    // A thread that waits for standard input is not waited for.
    runtime.shutdown_background();
    ended
}
