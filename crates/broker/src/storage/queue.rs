//! The queue before a storage thread. Workers push and never block; the thread takes everything
//! that has arrived at once, which is what makes one write and one flush serve many requests.
//!
//! Its length is bounded by the broker-wide byte budget for requests in flight.

use std::sync::Arc;

use highwater_log::{BatchOutcome, LogError, PendingBatch};
use parking_lot::{Condvar, Mutex};

use crate::partition::Partition;

/// Why nothing was appended.
#[derive(Debug, Clone)]
pub enum AppendError {
    /// This broker does not lead the partition, or stopped leading while the append waited.
    NotLeader,
    /// The log refused: the environment failed, or the partition is offline.
    Log(Arc<LogError>),
}

/// One outcome per batch of the job, in order.
pub type AppendResult = Result<Vec<BatchOutcome>, AppendError>;

/// Called once, on a storage thread: it must not block.
pub type AppendDone = Box<dyn FnOnce(AppendResult) + Send>;

/// Batches for one partition and whom to tell.
pub struct AppendJob {
    pub partition: Arc<Partition>,
    pub batches: Vec<PendingBatch>,
    /// Call back when the records are committed rather than when they are appended.
    pub wait_for_commit: bool,
    pub done: AppendDone,
}

pub(super) enum Job {
    Append(AppendJob),
    /// Anything rare; runs after the appends that were queued before it.
    Run(Box<dyn FnOnce() + Send>),
    Stop,
}

/// What is handed to one storage thread.
#[derive(Default)]
pub struct StorageQueue {
    jobs: Mutex<Vec<Job>>,
    arrived: Condvar,
}

impl StorageQueue {
    pub fn append(&self, job: AppendJob) {
        self.push(Job::Append(job));
    }

    /// Runs `work` on the storage thread, after everything queued before it.
    pub fn run(&self, work: impl FnOnce() + Send + 'static) {
        self.push(Job::Run(Box::new(work)));
    }

    pub(super) fn stop(&self) {
        self.push(Job::Stop);
    }

    fn push(&self, job: Job) {
        let mut jobs = self.jobs.lock();
        jobs.push(job);
        // Only the first job finds the thread asleep.
        if jobs.len() == 1 {
            self.arrived.notify_one();
        }
    }

    /// Swaps everything that has arrived into `taken` (which is empty), waiting for the first.
    pub(super) fn take_all(&self, taken: &mut Vec<Job>) {
        let mut jobs = self.jobs.lock();
        while jobs.is_empty() {
            self.arrived.wait(&mut jobs);
        }
        std::mem::swap(&mut *jobs, taken);
    }
}
