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
        self.push_all(std::iter::once(job));
    }

    pub(super) fn push_all(&self, new: impl IntoIterator<Item = Job>) {
        let mut jobs = self.jobs.lock();
        let was_empty = jobs.is_empty();
        jobs.extend(new);
        // Only the first job finds the thread asleep.
        if was_empty && !jobs.is_empty() {
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn what_arrives_together_is_taken_together_and_in_order() {
        let queue = StorageQueue::default();
        let ran = Arc::new(AtomicUsize::new(0));
        let job = |expected| {
            let ran = ran.clone();
            Job::Run(Box::new(move || assert_eq!(ran.fetch_add(1, Ordering::Relaxed), expected)))
        };
        queue.push_all([]);
        queue.push_all([job(0), job(1)]);
        queue.push(job(2));
        let mut taken = Vec::new();
        queue.take_all(&mut taken);
        for job in taken.drain(..) {
            let Job::Run(work) = job else { panic!("another job") };
            work();
        }
        assert_eq!(ran.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn a_thread_that_waits_is_woken_by_jobs_that_arrive_together() {
        let queue = Arc::new(StorageQueue::default());
        let waiting = queue.clone();
        let thread = std::thread::spawn(move || {
            let mut taken = Vec::new();
            waiting.take_all(&mut taken);
            taken.len()
        });
        queue.push_all([Job::Stop, Job::Stop]);
        assert_eq!(thread.join().unwrap(), 2);
    }
}
