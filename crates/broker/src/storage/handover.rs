//! Appends on their way from a network thread to the storage threads.
//!
//! What the requests bring that are taken together from a connection is handed over together.
//! One by one, each batch would wake a storage thread, which then has that one to write and pushes
//! the network thread off its core.

use std::cell::RefCell;
use std::sync::Arc;

use super::queue::{AppendJob, Job, StorageQueue};
use crate::limits::HANDOVER_BYTES_MAX;

thread_local! {
    static HANDOVER: RefCell<Handover> = RefCell::new(Handover::default());
}

/// Adds an append. `send` must follow on this thread, without waiting for anything before.
pub(crate) fn add(queue: &Arc<StorageQueue>, job: AppendJob) {
    let bytes = job.batches.iter().map(|batch| batch.bytes.len()).sum();
    HANDOVER.with_borrow_mut(|handover| handover.add(queue, Job::Append(job), bytes));
}

/// Gives each storage thread what has been added for it on this thread.
pub(crate) fn send() {
    HANDOVER.with_borrow_mut(Handover::send);
}

#[derive(Default)]
struct Handover {
    /// Of few storage threads; kept when they are empty.
    queues: Vec<(Arc<StorageQueue>, Vec<Job>)>,
    bytes: usize,
}

impl Handover {
    fn add(&mut self, queue: &Arc<StorageQueue>, job: Job, bytes: usize) {
        match self.queues.iter_mut().find(|(known, _)| Arc::ptr_eq(known, queue)) {
            Some((_, jobs)) => jobs.push(job),
            None => self.queues.push((queue.clone(), vec![job])),
        }
        self.bytes += bytes;
        if self.bytes >= HANDOVER_BYTES_MAX {
            self.send();
        }
    }

    fn send(&mut self) {
        self.bytes = 0;
        for (queue, jobs) in &mut self.queues {
            queue.push_all(jobs.drain(..));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Job {
        Job::Run(Box::new(|| ()))
    }

    fn check(queue: &StorageQueue, arrived: usize) {
        queue.push_all([job()]);
        let mut taken = Vec::new();
        queue.take_all(&mut taken);
        assert_eq!(taken.len(), arrived + 1);
    }

    #[test]
    fn each_queue_gets_its_jobs_when_they_are_sent() {
        let (a, b) = (Arc::new(StorageQueue::default()), Arc::new(StorageQueue::default()));
        let mut handover = Handover::default();
        for queue in [&a, &b, &a] {
            handover.add(queue, job(), 1);
        }
        check(&a, 0);
        handover.send();
        check(&a, 2);
        check(&b, 1);
        handover.send();
        check(&a, 0);
    }

    #[test]
    fn many_bytes_are_sent_at_once() {
        let queue = Arc::new(StorageQueue::default());
        let mut handover = Handover::default();
        handover.add(&queue, job(), HANDOVER_BYTES_MAX - 1);
        check(&queue, 0);
        handover.add(&queue, job(), 1);
        check(&queue, 2);
        handover.add(&queue, job(), HANDOVER_BYTES_MAX - 1);
        check(&queue, 0);
    }
}
