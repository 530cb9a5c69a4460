//! What runs by the clock: retention, checkpoints, snapshots of the metadata, folders that wait
//! for their deletion.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval_at};

use crate::limits::{DOOMED_SWEEP_INTERVAL, SNAPSHOT_CHECK_INTERVAL};
use crate::metadata_log;
use crate::{Broker, cleaner};

/// Starts the tasks; they end when they are aborted.
pub fn start(broker: &Arc<Broker>) -> Vec<JoinHandle<()>> {
    let logs = broker.config.load().logs.clone();
    let mut tasks = vec![
        every(broker, Duration::from_millis(logs.retention_check_interval_ms), retention),
        every(broker, Duration::from_millis(logs.flush_offset_checkpoint_interval_ms), checkpoints),
        every(broker, DOOMED_SWEEP_INTERVAL, sweep),
        every(broker, SNAPSHOT_CHECK_INTERVAL, snapshot),
    ];
    tasks.extend(cleaner::start(broker));
    tasks
}

fn every<F>(broker: &Arc<Broker>, period: Duration, work: fn(Arc<Broker>) -> F) -> JoinHandle<()>
where
    F: Future<Output = ()> + Send + 'static,
{
    let broker = broker.clone();
    tokio::spawn(async move {
        let period = period.max(Duration::from_millis(1));
        let mut ticks = interval_at(tokio::time::Instant::now() + period, period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            work(broker.clone()).await;
        }
    })
}

async fn retention(broker: Arc<Broker>) {
    let partitions: Vec<_> = broker.partitions.load().all().cloned().collect();
    for partition in partitions {
        partition.apply_retention(broker.clock.now()).await;
    }
}

async fn checkpoints(broker: Arc<Broker>) {
    let written = tokio::task::spawn_blocking(move || broker.write_checkpoints()).await;
    if let Ok(Err(error)) = written {
        tracing::error!(%error, "the checkpoints could not be written");
    }
}

/// Frees what deleted topics and segments left behind, once its delay is over.
async fn sweep(broker: Arc<Broker>) {
    let swept = tokio::task::spawn_blocking(move || broker.sweep_doomed()).await;
    if let Ok(Err(error)) = swept {
        tracing::error!(%error, "the folder of a deleted partition could not be removed");
    }
}

/// Keeps the metadata log small.
async fn snapshot(broker: Arc<Broker>) {
    metadata_log::maybe_snapshot(&broker).await;
}
