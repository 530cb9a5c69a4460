//! The async runtimes: one with a thread for each core to serve, a single thread for tools.

use std::io;
use std::thread::available_parallelism;

use tokio::runtime::{Builder, Runtime};

pub fn for_serving() -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(available_parallelism().map_or(1, usize::from))
        .thread_name("hw-worker")
        .enable_all()
        .build()
}

pub fn for_a_command() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}
