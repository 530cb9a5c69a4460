//! Compaction in the background: which log is next, how fast it may go, and what is noted after.
//! How a log is compacted is the log's own affair.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use highwater_log::{Cleanable, CompactionError, Effort};
use highwater_types::TopicIdPartition;
use parking_lot::Mutex;
use tokio::task::JoinHandle;

use crate::Broker;
use crate::partition::Partition;

/// What the cleaner's tasks share.
#[derive(Default)]
struct Desk {
    /// One of them works on it.
    taken: BTreeSet<TopicIdPartition>,
    /// Compaction failed in a way that would repeat; said once, and left alone until the next
    /// start.
    given_up: BTreeSet<TopicIdPartition>,
}

/// Starts as many tasks as `log.cleaner.threads`; they end when they are aborted.
pub fn start(broker: &Arc<Broker>) -> Vec<JoinHandle<()>> {
    let logs = broker.config.load().logs.clone();
    let count = if logs.cleaner_enable { logs.cleaner_threads } else { 0 };
    let desk = Arc::new(Mutex::new(Desk::default()));
    (0..count).map(|_| tokio::spawn(run(broker.clone(), desk.clone()))).collect()
}

async fn run(broker: Arc<Broker>, desk: Arc<Mutex<Desk>>) {
    loop {
        let backoff = broker.config.load().logs.cleaner_backoff_ms;
        tokio::time::sleep(Duration::from_millis(backoff.max(1))).await;
        while let Some(partition) = take_dirtiest(&broker, &desk).await {
            let result = compact(&broker, &partition).await;
            let mut desk = desk.lock();
            desk.taken.remove(&partition.id());
            if let Err(error) = result {
                desk.given_up.insert(partition.id());
                tracing::error!(partition = %partition.name(), %error, "the log is not compacted any more, until the next start");
            }
        }
    }
}

/// The log with the largest dirty share among those due, marked as taken.
async fn take_dirtiest(broker: &Arc<Broker>, desk: &Mutex<Desk>) -> Option<Arc<Partition>> {
    let partitions: Vec<_> = broker.partitions.load().all().cloned().collect();
    let mut best: Option<(f64, Arc<Partition>)> = None;
    for partition in partitions {
        if !partition.config().cleanup_policy.compact || is_off_limits(desk, &partition) {
            continue;
        }
        let Some(cleanable) = look(broker, &partition).await else { continue };
        let ratio = cleanable.dirty_ratio();
        let is_due = cleanable.is_overdue || ratio > partition.config().min_cleanable_dirty_ratio;
        if is_due && best.as_ref().is_none_or(|(most, _)| ratio > *most) {
            best = Some((ratio, partition));
        }
    }
    let (_, partition) = best?;
    desk.lock().taken.insert(partition.id()).then_some(partition)
}

fn is_off_limits(desk: &Mutex<Desk>, partition: &Partition) -> bool {
    let desk = desk.lock();
    desk.taken.contains(&partition.id()) || desk.given_up.contains(&partition.id())
}

async fn look(broker: &Arc<Broker>, partition: &Arc<Partition>) -> Option<Cleanable> {
    let (clean_to, now) = (broker.opening.cleaned(partition.name()), broker.clock.now());
    let seen = partition
        .with_log(move |partition, log| {
            log.cleanable(clean_to, partition.last_stable_offset(), now)
        })
        .await?;
    // A log that is offline has said so.
    seen.ok().flatten()
}

async fn compact(broker: &Arc<Broker>, partition: &Arc<Partition>) -> Result<(), CompactionError> {
    let (clean_to, now) = (broker.opening.cleaned(partition.name()), broker.clock.now());
    let begun = partition
        .with_log(move |partition, log| {
            log.begin_compaction(clean_to, partition.last_stable_offset(), now)
        })
        .await;
    let Some(job) = begun.transpose()?.flatten() else { return Ok(()) };
    let logs = broker.config.load().logs.clone();
    let effort = Effort {
        key_bytes_max: logs.cleaner_dedupe_buffer_bytes / u64::from(logs.cleaner_threads.max(1)),
        key_load: logs.cleaner_dedupe_buffer_load,
    };
    let pace = pace(broker.clone());
    let begun_at = Instant::now();
    let worked = tokio::task::spawn_blocking(move || job.run(&effort, pace)).await;
    let compacted = match worked {
        Ok(Ok(compacted)) => compacted,
        Ok(Err(CompactionError::Stopped)) => return Ok(()),
        Ok(Err(error)) => return Err(error),
        // A stop, or a panic that the panic hook has reported.
        Err(_) => return Ok(()),
    };
    let (clean_to, before, after) =
        (compacted.clean_to, compacted.bytes_before, compacted.bytes_after);
    let Some(finished) =
        partition.with_log(move |_, log| log.finish_compaction(compacted, now)).await
    else {
        return Ok(());
    };
    finished?;
    let (noting, name) = (broker.clone(), partition.name().clone());
    let noted =
        tokio::task::spawn_blocking(move || noting.opening.note_cleaned(&name, clean_to)).await;
    if let Ok(noted) = noted {
        noted?;
    }
    tracing::debug!(
        partition = %partition.name(), before, after, %clean_to,
        ms = begun_at.elapsed().as_millis() as u64, "log compacted"
    );
    Ok(())
}

/// Holds compaction to `log.cleaner.io.max.bytes.per.second`, and ends it when the broker stops.
fn pace(broker: Arc<Broker>) -> impl FnMut(u64) -> ControlFlow<()> {
    let share = f64::from(broker.config.load().logs.cleaner_threads.max(1));
    let (mut due, mut unpaid) = (Instant::now(), 0_u64);
    move |bytes| {
        unpaid += bytes;
        if unpaid < PACE_BYTES {
            return ControlFlow::Continue(());
        }
        let rate = broker.config.load().logs.cleaner_io_bytes_per_second_max / share;
        let cost = Duration::try_from_secs_f64(unpaid as f64 / rate.max(1.0));
        due += cost.unwrap_or(Duration::ZERO);
        unpaid = 0;
        loop {
            if broker.is_stopping.load(Ordering::Acquire) {
                return ControlFlow::Break(());
            }
            let now = Instant::now();
            let wait = due.saturating_duration_since(now).min(STOP_CHECK_INTERVAL);
            if wait.is_zero() {
                // What was not used before is not saved up.
                due = due.max(now);
                return ControlFlow::Continue(());
            }
            std::thread::sleep(wait);
        }
    }
}

/// Bytes of work between two looks at the clock.
const PACE_BYTES: u64 = 256 * 1024;

/// How long a throttled compaction may overlook that the broker stops.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(50);
