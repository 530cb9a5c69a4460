//! Group commit: one thread for a data directory flushes what watermarks wait for. Whatever is
//! appended while it flushes, in any partition, is covered by its next flush, and the storage
//! threads go on meanwhile.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use highwater_log::{FlushJob, LogDir, LogError};
use parking_lot::{Condvar, Mutex};

use super::EndsWithTheProcess;
use crate::limits::FDATASYNC_FILES_MAX;
use crate::partition::Partition;

/// Partitions whose watermark waits for a flush.
#[derive(Default)]
pub(super) struct FlushQueue {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
}

#[derive(Default)]
struct Waiting {
    partitions: Vec<Arc<Partition>>,
    is_stopping: bool,
}

impl FlushQueue {
    /// Takes over all of `partitions`.
    pub(super) fn add(&self, partitions: &mut Vec<Arc<Partition>>) {
        if partitions.is_empty() {
            return;
        }
        let mut waiting = self.waiting.lock();
        if waiting.partitions.is_empty() {
            self.arrived.notify_one();
        }
        waiting.partitions.append(partitions);
    }

    /// Everything that waits, once; None when there will be nothing more.
    fn take(&self) -> Option<Vec<Arc<Partition>>> {
        let mut waiting = self.waiting.lock();
        while waiting.partitions.is_empty() {
            if waiting.is_stopping {
                return None;
            }
            self.arrived.wait(&mut waiting);
        }
        let mut taken = std::mem::take(&mut waiting.partitions);
        drop(waiting);
        taken.sort_unstable_by_key(Arc::as_ptr);
        taken.dedup_by(|a, b| Arc::ptr_eq(a, b));
        Some(taken)
    }

    fn stop(&self) {
        self.waiting.lock().is_stopping = true;
        self.arrived.notify_one();
    }
}

/// The thread that flushes.
pub(super) struct Flusher {
    queue: Arc<FlushQueue>,
    thread: JoinHandle<()>,
}

impl Flusher {
    pub(super) fn start(dir: Arc<LogDir>) -> io::Result<Flusher> {
        let queue = Arc::new(FlushQueue::default());
        let taking = queue.clone();
        let thread = std::thread::Builder::new().name("flusher".into()).spawn(move || {
            let _end = EndsWithTheProcess;
            while let Some(partitions) = taking.take() {
                flush(&dir, partitions);
            }
        })?;
        Ok(Flusher { queue, thread })
    }

    pub(super) fn queue(&self) -> Arc<FlushQueue> {
        self.queue.clone()
    }

    /// Finishes what waits and stops.
    pub(super) fn stop(self) {
        self.queue.stop();
        // It does not panic and live.
        let _ = self.thread.join();
    }
}

fn flush(dir: &LogDir, partitions: Vec<Arc<Partition>>) {
    let jobs: Vec<(Arc<Partition>, FlushJob)> = partitions
        .into_iter()
        .filter_map(|partition| {
            let job = partition.begin_flush()?;
            Some((partition, job))
        })
        .collect();
    let files: usize = jobs.iter().map(|(_, job)| job.file_count()).sum();
    if files <= FDATASYNC_FILES_MAX {
        for (partition, job) in jobs {
            partition.finish_flush(&job, job.run());
        }
        return;
    }
    let failed = dir.sync_all().err();
    for (partition, job) in jobs {
        let ran = match &failed {
            None => Ok(()),
            Some(error) => Err(for_another(dir, error)),
        };
        partition.finish_flush(&job, ran);
    }
}

/// The failure of a flush that several logs shared.
fn for_another(dir: &LogDir, error: &LogError) -> LogError {
    let source = match error {
        LogError::Write { source, .. } => io::Error::new(source.kind(), source.to_string()),
        other => io::Error::other(other.to_string()),
    };
    LogError::Write { path: dir.path().to_path_buf(), source }
}
