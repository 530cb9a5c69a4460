//! The `highwater` binary: the broker and the tools for it and for any Kafka.
//!
//! Owns the process: arguments, exit code, allocator. Knows nothing of what the commands do.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod cli;
mod commands;
mod failure;
mod logging;
mod output;
mod runtime;
mod session;
mod signals;
mod text;

use std::process::ExitCode;

use clap::Parser;

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    match commands::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the output has seen enough.
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("highwater: {failure}");
            failure.exit_code()
        }
    }
}
