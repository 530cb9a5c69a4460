//! A storage thread: takes what has arrived, appends it partition by partition, and tells the
//! flusher where a watermark waits for the medium.

use std::sync::Arc;
use std::thread::JoinHandle;

use highwater_log::LogDir;

use super::EndsWithTheProcess;
use super::flusher::{FlushQueue, Flusher};
use super::queue::{AppendJob, Job, StorageQueue};
use crate::clock::Clock;
use crate::partition::Partition;

/// The storage threads of one data directory.
pub struct StorageThreads {
    queues: Vec<Arc<StorageQueue>>,
    threads: Vec<JoinHandle<()>>,
    flusher: Flusher,
}

impl StorageThreads {
    /// Starts `count` threads.
    ///
    /// # Errors
    /// If the operating system gives no thread.
    pub fn start(count: usize, dir: Arc<LogDir>, clock: Clock) -> std::io::Result<StorageThreads> {
        let flusher = Flusher::start(dir)?;
        let queues: Vec<_> = (0..count.max(1)).map(|_| Arc::new(StorageQueue::default())).collect();
        let threads = queues
            .iter()
            .enumerate()
            .map(|(index, queue)| {
                let (queue, flushes) = (queue.clone(), flusher.queue());
                std::thread::Builder::new()
                    .name(format!("storage-{index}"))
                    .spawn(move || run(&queue, &flushes, clock))
            })
            .collect::<Result<_, _>>()?;
        Ok(StorageThreads { queues, threads, flusher })
    }

    /// The thread that owns everything with this number: the same number, the same thread.
    pub fn queue(&self, number: usize) -> Arc<StorageQueue> {
        self.queues[number % self.queues.len()].clone()
    }

    pub fn queues(&self) -> Vec<Arc<StorageQueue>> {
        self.queues.clone()
    }

    /// Finishes what is queued and stops.
    pub fn stop(self) {
        for queue in &self.queues {
            queue.stop();
        }
        for thread in self.threads {
            // It does not panic and live.
            let _ = thread.join();
        }
        self.flusher.stop();
    }
}

fn run(queue: &StorageQueue, flushes: &FlushQueue, clock: Clock) {
    let _end = EndsWithTheProcess;
    let mut taken = Vec::new();
    let mut groups = Groups::default();
    loop {
        queue.take_all(&mut taken);
        let mut stop = false;
        for job in taken.drain(..) {
            match job {
                Job::Append(job) => groups.add(job),
                Job::Run(work) => {
                    groups.append_all(clock);
                    flushes.add(&mut groups.to_flush);
                    work();
                }
                Job::Stop => stop = true,
            }
        }
        groups.append_all(clock);
        flushes.add(&mut groups.to_flush);
        if stop {
            return;
        }
    }
}

/// Jobs gathered by partition, each partition's in their order.
#[derive(Default)]
struct Groups {
    waiting: Vec<(Arc<Partition>, Vec<AppendJob>)>,
    to_flush: Vec<Arc<Partition>>,
}

impl Groups {
    fn add(&mut self, job: AppendJob) {
        // Few partitions are busy between two wake-ups, so a scan beats a map.
        match self.waiting.iter_mut().find(|(partition, _)| Arc::ptr_eq(partition, &job.partition))
        {
            Some((_, jobs)) => jobs.push(job),
            None => self.waiting.push((job.partition.clone(), vec![job])),
        }
    }

    fn append_all(&mut self, clock: Clock) {
        for (partition, jobs) in self.waiting.drain(..) {
            if partition.append_now(jobs, clock.now()) {
                self.to_flush.push(partition);
            }
        }
    }
}
