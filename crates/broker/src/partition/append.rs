//! The write side of a partition: appends run on its storage thread, flushes on the flusher's.

use std::sync::Arc;

use highwater_log::{BatchOutcome, FlushJob, LogError, PendingBatch};
use highwater_replication::AckOutcome;
use highwater_types::{LeaderEpoch, Offset, Timestamp};

use super::{Partition, wake};
use crate::storage::{AppendDone, AppendError, AppendJob, AppendResult, handover};

/// Where one job's batches lie in the joined list, and whom to tell.
struct Waiting {
    count: usize,
    wait_for_commit: bool,
    done: AppendDone,
}

impl Partition {
    /// Hands batches to the storage thread; `done` is called there.
    pub fn append(
        self: &Arc<Self>,
        batches: Vec<PendingBatch>,
        wait_for_commit: bool,
        done: AppendDone,
    ) {
        self.queue.append(AppendJob { partition: self.clone(), batches, wait_for_commit, done });
    }

    /// As `append`, but the thread gets it with what else the network thread gathers in its turn.
    pub fn append_in_turn(
        self: &Arc<Self>,
        batches: Vec<PendingBatch>,
        wait_for_commit: bool,
        done: AppendDone,
    ) {
        let job = AppendJob { partition: self.clone(), batches, wait_for_commit, done };
        handover::add(&self.queue, job);
    }

    /// Appends what waits for this partition with one write. Returns whether the high watermark
    /// now waits for a flush.
    pub(crate) fn append_now(&self, jobs: Vec<AppendJob>, now: Timestamp) -> bool {
        let Some(epoch) = self.leader_epoch() else {
            jobs.into_iter().for_each(|job| (job.done)(Err(AppendError::NotLeader)));
            return false;
        };
        let mut batches = Vec::with_capacity(jobs.iter().map(|job| job.batches.len()).sum());
        let mut waiting = Vec::with_capacity(jobs.len());
        for AppendJob { batches: own, wait_for_commit, done, .. } in jobs {
            waiting.push(Waiting { count: own.len(), wait_for_commit, done });
            batches.extend(own);
        }
        let failed = self.write(&mut batches, epoch, now);
        let (woken, needs_flush) = {
            let mut replica = self.replica.lock();
            let end = self.reader.log_end();
            let bytes = batches.iter().filter(|batch| is_appended(batch)).map(size).sum();
            (replica.on_appended(end, bytes), replica.needs_flush())
        };
        let mut outcomes = batches.into_iter().map(|batch| batch.outcome);
        for Waiting { count, wait_for_commit, done } in waiting {
            let own: Option<Vec<_>> = outcomes.by_ref().take(count).collect();
            match (own, &failed) {
                (Some(own), _) => self.answer(own, wait_for_commit, done),
                (None, Some(error)) => done(Err(error.clone())),
                (None, None) => done(Err(AppendError::NotLeader)),
            }
        }
        wake(woken);
        needs_flush
    }

    fn write(
        &self,
        batches: &mut [PendingBatch],
        epoch: LeaderEpoch,
        now: Timestamp,
    ) -> Option<AppendError> {
        let mut log = self.log.lock();
        let Some(log) = log.as_mut() else { return Some(AppendError::NotLeader) };
        let error = log.append(batches, epoch, now).err()?;
        tracing::error!(partition = %self.name, %error, "an append failed");
        Some(AppendError::Log(Arc::new(error)))
    }

    /// Calls `done` now, or when the last of the batches is committed.
    fn answer(&self, outcomes: Vec<BatchOutcome>, wait_for_commit: bool, done: AppendDone) {
        match outcomes.iter().filter_map(end_of).max() {
            // A duplicate waits for its first copy to be committed like any other batch.
            Some(end) if wait_for_commit => self.when_committed(
                end,
                Box::new(move |outcome| {
                    let result: AppendResult = match outcome {
                        AckOutcome::Committed => Ok(outcomes),
                        AckOutcome::NotLeader => Err(AppendError::NotLeader),
                    };
                    done(result);
                }),
            ),
            _ => done(Ok(outcomes)),
        }
    }

    /// What a flush has to do now, if anything.
    pub(crate) fn begin_flush(&self) -> Option<FlushJob> {
        let begun = self.log.lock().as_ref()?.begin_flush();
        begun.unwrap_or_else(|error| {
            self.stop_after(&error);
            None
        })
    }

    /// Lets the high watermark follow a flush. A failed one is never retried as if nothing had
    /// happened: the partition stops.
    pub(crate) fn finish_flush(&self, job: &FlushJob, ran: Result<(), LogError>) {
        let Some(finished) = self.log.lock().as_mut().map(|log| log.finish_flush(job, ran)) else {
            return;
        };
        match finished {
            Ok(end) => {
                let woken = self.replica.lock().on_flushed(end);
                wake(woken);
            }
            Err(error) => self.stop_after(&error),
        }
    }

    fn stop_after(&self, error: &LogError) {
        tracing::error!(partition = %self.name, %error, "the log could not be flushed; the partition goes offline");
        self.become_idle();
    }
}

fn is_appended(batch: &PendingBatch) -> bool {
    matches!(batch.outcome, Some(BatchOutcome::Appended { .. }))
}

fn size(batch: &PendingBatch) -> u64 {
    batch.bytes.len() as u64
}

/// The offset below which everything must be committed for the batch to be.
fn end_of(outcome: &BatchOutcome) -> Option<Offset> {
    match outcome {
        BatchOutcome::Appended { last_offset, .. }
        | BatchOutcome::Duplicate { last_offset, .. } => Some(last_offset.next()),
        _ => None,
    }
}
