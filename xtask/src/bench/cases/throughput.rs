//! Kafka's own producer tool, at full speed and at a given rate.

use crate::bench::lab::{self, Lab};
use crate::bench::link::Link;
use crate::bench::measure::{Case, Limit, measure};
use crate::bench::process::{Cpu, Process};
use crate::broker::{self, Broker, Target};
use crate::exec;
use std::time::Duration;

pub const CASE: Case = Case {
    name: "throughput",
    title: "Throughput",
    about: "
Kafka's ProducerPerformance, in a JVM of its own, writes records of 1 KB to 12 partitions with
`acks=all`, in batches of up to 64 KiB that wait for up to 5 ms: as fast as it can, then 100,000 a
second. Half a million records warm the broker up; then
the page cache is emptied and all free memory used once. CPU is the broker's user and system time
over the run (`/proc/PID/stat`), for a million records; most of the system time is the kernel's for
the socket and the file. At full speed a faster broker gets smaller batches: the producer sends what
it has. At 100,000 a second both get the same.

Kafka answers `acks=all` before records are on disk; `acks.all.flush=never` makes Highwater do so
too. With `auto`, its default, an answer means that the records are on disk; those rows show Kafka's
figures again, which promise less.",
    commands: "
highwater serve --data-dir DIR --listen 127.0.0.1:PORT --set acks.all.flush=never
highwater serve --data-dir DIR --listen 127.0.0.1:PORT
java -cp 'libs/*' org.apache.kafka.tools.ProducerPerformance --bootstrap-server 127.0.0.1:PORT \\
  --topic throughput --num-records 4000000 --record-size 1000 --throughput -1 \\
  --command-property acks=all --command-property batch.size=65536 --command-property linger.ms=5
java -cp 'libs/*' org.apache.kafka.tools.ProducerPerformance --bootstrap-server 127.0.0.1:PORT \\
  --topic throughput --num-records 1000000 --record-size 1000 --throughput 100000 \\
  --command-property acks=all --command-property batch.size=65536 --command-property linger.ms=5",
    measures: &[
        measure("rate", "throughput, `never`", "records/s", Limit::RatioAtLeast(1.0)),
        measure("cpu", "CPU, `never`", "s", Limit::RatioAtMost(1.0 / 3.0)),
        measure("cpu_user", "user time of it", "s", Limit::None),
        measure("cpu_system", "system time of it", "s", Limit::None),
        measure("paced_cpu", "CPU at 100,000 a second, `never`", "s", Limit::None),
        measure("paced_p99_ms", "p99 at 100,000 a second, `never`", "ms", Limit::None),
        measure("rate_auto", "throughput, `auto`", "records/s", Limit::None),
        measure("cpu_auto", "CPU, `auto`", "s", Limit::None),
        measure("cpu_user_auto", "user time of it", "s", Limit::None),
        measure("cpu_system_auto", "system time of it", "s", Limit::None),
        measure("paced_cpu_auto", "CPU at 100,000 a second, `auto`", "s", Limit::None),
        measure("paced_p99_ms_auto", "p99 at 100,000 a second, `auto`", "ms", Limit::None),
    ],
    run,
};

const TOPIC: &str = "throughput";
const PARTITIONS: i32 = 12;
const WARM_UP_RECORDS: u64 = 500_000;
const RECORDS: u64 = 4_000_000;
const PACED_RECORDS: u64 = 1_000_000;
const PACE: &str = "100000";
const FULL_SPEED: &str = "-1";

fn run(lab: &Lab<'_>, target: Target) -> Result<Vec<f64>, String> {
    match target {
        Target::Highwater => {
            let never = write(lab, target, &[("acks.all.flush", "never")])?;
            Ok([never, write(lab, target, &[])?].concat())
        }
        Target::Kafka => {
            let figures = write(lab, target, &[])?;
            Ok([figures.clone(), figures].concat())
        }
    }
}

/// One broker's figures, in the order of the measures.
fn write(lab: &Lab<'_>, target: Target, settings: &[(&str, &str)]) -> Result<Vec<f64>, String> {
    let broker = lab.broker(target, settings)?;
    Link::connect(broker.plan().port)?.create_topic(TOPIC, PARTITIONS)?;
    produce(lab, &broker, WARM_UP_RECORDS, FULL_SPEED)?;
    lab::prepare_memory()?;
    let fast = produce(lab, &broker, RECORDS, FULL_SPEED)?;
    lab::settle_disk()?;
    let paced = produce(lab, &broker, PACED_RECORDS, PACE)?;
    broker.stop()?;
    let Cpu { user, system } = fast.cpu;
    let cpu = [fast.cpu.both(), user, system].map(|time| by_million(time, RECORDS));
    let paced_cpu = by_million(paced.cpu.both(), PACED_RECORDS);
    Ok([&[fast.rate][..], &cpu, &[paced_cpu, paced.p99_ms]].concat())
}

fn by_million(time: Duration, records: u64) -> f64 {
    time.as_secs_f64() * 1e6 / records as f64
}

struct Produced {
    rate: f64,
    p99_ms: f64,
    /// The broker's.
    cpu: Cpu,
}

fn produce(
    lab: &Lab<'_>,
    broker: &Broker,
    records: u64,
    throughput: &str,
) -> Result<Produced, String> {
    let mut java = broker::java(Some(&lab.kafka()?), false);
    java.arg("org.apache.kafka.tools.ProducerPerformance");
    java.args(["--bootstrap-server", &broker.address(), "--topic", TOPIC]);
    java.args(["--num-records", &records.to_string(), "--record-size", "1000"]);
    java.args(["--throughput", throughput]);
    for property in ["acks=all", "batch.size=65536", "linger.ms=5"] {
        java.args(["--command-property", property]);
    }
    let process = Process::of(broker.pid());
    let before = process.cpu()?;
    let said = exec::stdout_of(&mut java)?;
    let cpu = process.cpu()?.since(before);
    let summary = summary(&said, records);
    let (rate, p99_ms) = summary.ok_or(format!("ProducerPerformance said:\n{said}"))?;
    Ok(Produced { rate, p99_ms, cpu })
}

/// Records a second and the 99th percentile in ms, from the last line.
fn summary(said: &str, records: u64) -> Option<(f64, f64)> {
    let line = said.lines().last()?.strip_prefix(&format!("{records} records sent, "))?;
    let rate = line.split_once(" records/sec")?.0.parse().ok()?;
    let p99 = line.split_once(" ms 99th")?.0.rsplit(' ').next()?.parse().ok()?;
    Some((rate, p99))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_the_line_about_all_records() {
        let said = "25 records sent, 5.0 records/sec (0.01 MB/sec), 1.0 ms avg latency.\n\
            100 records sent, 20.5 records/sec (0.02 MB/sec), 1.00 ms avg latency, \
            9.00 ms max latency, 1 ms 50th, 3 ms 95th, 4 ms 99th, 8 ms 99.9th.\n";
        assert_eq!(summary(said, 100), Some((20.5, 4.0)));
        assert_eq!(summary(said, 25), None);
        assert_eq!(summary("", 0), None);
    }
}
