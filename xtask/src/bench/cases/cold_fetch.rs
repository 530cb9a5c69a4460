//! Whether reading what only the disk holds slows a producer on another partition down.

use crate::bench::frames;
use crate::bench::lab::{self, Lab};
use crate::bench::link::{self, Link};
use crate::bench::load::{self, Latency};
use crate::bench::measure::{Case, Limit, measure};
use crate::bench::process::Process;
use crate::broker::{Broker, Target};
use crate::exec;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub const CASE: Case = Case {
    name: "cold-fetch",
    title: "Reading cold data",
    about: "
One record of 1 KB is sent every millisecond to one partition with `acks=all`, whether or not earlier
ones have been answered; latency counts from the moment a record was due, so that a broker that
stalls is charged for all that wait. For ten seconds this is all; then for ten more a consumer reads
another topic's 1 GiB, 1 MiB a fetch and 100 MiB a second, from the page cache (*warm*); then it
does so after the files were dropped from the page cache (*cold*). `read from disk` is what the
kernel says the broker read during that (`/proc/PID/io`). `acks.all.flush=never` is Kafka's default
behaviour. Producer, consumer and broker share the machine's cores, so some of the rise is theirs:
the warm rows show how much.",
    commands: "highwater serve --data-dir DIR --listen 127.0.0.1:PORT --set acks.all.flush=never",
    measures: &[
        measure("alone_p50_ms", "p50, nobody reads", "ms", Limit::None),
        measure("alone_p99_ms", "p99, nobody reads", "ms", Limit::None),
        measure("alone_max_ms", "max, nobody reads", "ms", Limit::None),
        measure("warm_p50_ms", "p50, warm", "ms", Limit::None),
        measure("warm_p99_ms", "p99, warm", "ms", Limit::None),
        measure("warm_max_ms", "max, warm", "ms", Limit::None),
        measure("cold_p50_ms", "p50, cold", "ms", Limit::None),
        measure("cold_p99_ms", "p99, cold", "ms", Limit::None),
        measure("cold_max_ms", "max, cold", "ms", Limit::None),
        measure("p99_cold_by_alone", "p99, cold by nobody reads", "", Limit::AtMost(2.0)),
        measure("p99_cold_by_warm", "p99, cold by warm", "", Limit::None),
        measure("disk_mb", "read from disk", "MB", Limit::None),
    ],
    run,
};

const READ_TOPIC: &str = "read";
const WRITTEN_TOPIC: &str = "written";
const READ_BYTES: u64 = 1 << 30;
const BATCH_RECORDS: i32 = 64;
const FETCH_BYTES_MAX: i32 = 1 << 20;
const READ_BYTES_PER_SECOND: f64 = 100.0 * 1_048_576.0;
const SENDS: u32 = 10_000;
const BETWEEN_SENDS: Duration = Duration::from_millis(1);

fn run(lab: &Lab<'_>, target: Target) -> Result<Vec<f64>, String> {
    let settings: &[_] = match target {
        Target::Highwater => &[("acks.all.flush", "never")],
        Target::Kafka => &[],
    };
    let broker = lab.broker(target, settings)?;
    let port = broker.plan().port;
    lab::prepare_memory()?;
    fill(port)?;
    lab::settle_disk()?;
    // Warms the broker up: both ways are taken for the first time.
    latency(&broker, true)?;
    let alone = latency(&broker, false)?;
    let warm = latency(&broker, true)?;
    evict(&broker.plan().data())?;
    let process = Process::of(broker.pid());
    let before = process.disk_read_bytes()?;
    let cold = latency(&broker, true)?;
    let read = process.disk_read_bytes()? - before;
    broker.stop()?;
    let mut figures: Vec<f64> = [alone, warm, cold].iter().flat_map(Latency::figures).collect();
    figures.extend([cold.p99_ms / alone.p99_ms, cold.p99_ms / warm.p99_ms, read as f64 / 1e6]);
    Ok(figures)
}

/// Latency of sends on a clock, while a consumer reads or not.
fn latency(broker: &Broker, read: bool) -> Result<Latency, String> {
    let port = broker.plan().port;
    let frame = frames::produce(WRITTEN_TOPIC, 0, &frames::batch(1, 1000));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = read.then(|| scope.spawn(|| read_until(port, &done)));
        let sent = load::send_on_a_clock(port, &frame, WRITTEN_TOPIC, SENDS, BETWEEN_SENDS);
        done.store(true, Ordering::Relaxed);
        if let Some(reader) = reader {
            reader.join().map_err(|_| "the reader panicked")??;
        }
        sent
    })
}

fn fill(port: u16) -> Result<(), String> {
    let mut link = Link::connect(port)?;
    for topic in [READ_TOPIC, WRITTEN_TOPIC] {
        link.create_topic(topic, 1)?;
    }
    let batch = frames::batch(BATCH_RECORDS, 1000);
    for _ in 0..READ_BYTES / batch.len() as u64 {
        link.produce(READ_TOPIC, 0, &batch)?;
    }
    Ok(())
}

/// Reads at an even pace, from the start again when the end is reached.
fn read_until(port: u16, done: &AtomicBool) -> Result<(), String> {
    let mut link = Link::connect(port)?;
    let (began, mut offset, mut total) = (Instant::now(), 0, 0);
    while !done.load(Ordering::Relaxed) {
        let answer = link.ask(&frames::fetch(READ_TOPIC, 0, offset, FETCH_BYTES_MAX))?;
        let records = link::fetched(&answer, READ_TOPIC)?;
        offset = frames::next_offset(records).unwrap_or(0);
        total += records.len();
        let due = Duration::from_secs_f64(total as f64 / READ_BYTES_PER_SECOND);
        std::thread::sleep(due.saturating_sub(began.elapsed()));
    }
    Ok(())
}

/// Drops the files of the read topic from the page cache.
fn evict(data: &Path) -> Result<(), String> {
    lab::settle_disk()?;
    let folder = data.join(format!("{READ_TOPIC}-0"));
    let entries = std::fs::read_dir(&folder).map_err(|error| exec::told(&folder, &error))?;
    for entry in entries.flatten() {
        let mut dd = Command::new("dd");
        dd.arg(format!("if={}", entry.path().display()));
        exec::stdout_of(dd.args(["iflag=nocache", "count=0", "status=none"]))?;
    }
    Ok(())
}
