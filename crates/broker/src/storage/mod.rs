//! The storage threads of a data directory: they alone append, roll and flush. Everything else in
//! the broker hands them jobs and is called back.
//!
//! Refuses to decide anything about acknowledgement: that is the replica's (`replication`).

mod flusher;
pub(crate) mod handover;
mod queue;
mod thread;

pub use queue::{AppendDone, AppendError, AppendJob, AppendResult, StorageQueue};
pub use thread::StorageThreads;

/// Held by a thread that others wait for. If the thread panics, which is a fault of ours, the
/// process ends as by `kill -9`: a start recovers, a broker that never answers again does not.
struct EndsWithTheProcess;

impl Drop for EndsWithTheProcess {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("highwater: a storage thread has failed, see above; the process ends");
            std::process::abort();
        }
    }
}
