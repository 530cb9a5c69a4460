//! The storage threads of a data directory: they alone append, roll and flush. Everything else in
//! the broker hands them jobs and is called back.
//!
//! Refuses to decide anything about acknowledgement: that is the replica's (`replication`).

mod flusher;
mod queue;
mod thread;

pub use queue::{AppendDone, AppendError, AppendJob, AppendResult, Handover, StorageQueue};
pub use thread::StorageThreads;
