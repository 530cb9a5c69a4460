//! Kafka's own producer tool at full speed.

use crate::bench::lab::{self, Lab};
use crate::bench::link::Link;
use crate::bench::measure::{Case, Limit, measure};
use crate::bench::process::Process;
use crate::broker::{self, Target};
use crate::exec;

pub const CASE: Case = Case {
    name: "throughput",
    title: "Throughput",
    about: "
Kafka's ProducerPerformance, in a JVM of its own, writes records of 1 KB to 12 partitions with
`acks=all`; half a million records before each measured run warm the broker up, then the page cache is
emptied and all memory used once. CPU is the broker's
user and system time over the run (`/proc/PID/stat`); most of the system time is the kernel's for
writing files and reading the socket, which costs any broker much the same. Kafka answers `acks=all` before records are on
disk; `acks.all.flush=never` makes Highwater do the same. With `auto`, its default, an answer means
that the records are on disk; those rows show Kafka's figures again, which promise less.",
    commands: "
highwater serve --data-dir DIR --listen 127.0.0.1:PORT --set acks.all.flush=never
highwater serve --data-dir DIR --listen 127.0.0.1:PORT
java -cp 'libs/*' org.apache.kafka.tools.ProducerPerformance --bootstrap-server 127.0.0.1:PORT \\
  --topic throughput --num-records 4000000 --record-size 1000 --throughput -1 \\
  --command-property acks=all",
    measures: &[
        measure("rate", "throughput, `never`", "records/s", Limit::RatioAtLeast(1.0)),
        measure("cpu", "CPU per million records, `never`", "s", Limit::RatioAtMost(1.0 / 3.0)),
        measure("cpu_user", "user time of it", "s", Limit::None),
        measure("cpu_system", "system time of it", "s", Limit::None),
        measure("rate_auto", "throughput, `auto`", "records/s", Limit::None),
        measure("cpu_auto", "CPU per million records, `auto`", "s", Limit::None),
        measure("cpu_user_auto", "user time of it", "s", Limit::None),
        measure("cpu_system_auto", "system time of it", "s", Limit::None),
    ],
    run,
};

const TOPIC: &str = "throughput";
const PARTITIONS: i32 = 12;
const RECORDS: u64 = 4_000_000;
const WARM_UP_RECORDS: u64 = 500_000;

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

/// Records a second, and CPU seconds for a million records: all, user time and system time.
fn write(lab: &Lab<'_>, target: Target, settings: &[(&str, &str)]) -> Result<Vec<f64>, String> {
    let broker = lab.broker(target, settings)?;
    Link::connect(broker.plan().port)?.create_topic(TOPIC, PARTITIONS)?;
    produce(lab, &broker.address(), WARM_UP_RECORDS)?;
    lab::prepare_memory()?;
    let process = Process::of(broker.pid());
    let before = process.cpu()?;
    let rate = produce(lab, &broker.address(), RECORDS)?;
    let spent = process.cpu()?.since(before);
    broker.stop()?;
    let by_million = [spent.both(), spent.user, spent.system];
    let by_million = by_million.map(|time| time.as_secs_f64() * 1e6 / RECORDS as f64);
    Ok([&[rate][..], &by_million].concat())
}

fn produce(lab: &Lab<'_>, address: &str, records: u64) -> Result<f64, String> {
    let mut java = broker::java(Some(&lab.kafka()?), false);
    java.arg("org.apache.kafka.tools.ProducerPerformance");
    java.args(["--bootstrap-server", address, "--topic", TOPIC]);
    java.args(["--num-records", &records.to_string(), "--record-size", "1000"]);
    java.args(["--throughput", "-1", "--command-property", "acks=all"]);
    let said = exec::stdout_of(&mut java)?;
    rate_of(&said, records).ok_or(format!("ProducerPerformance said:\n{said}"))
}

/// From the last line, which sums up.
fn rate_of(said: &str, records: u64) -> Option<f64> {
    let line = said.lines().last()?.strip_prefix(&format!("{records} records sent, "))?;
    line.split_once(" records/sec")?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_in_the_line_about_all_records() {
        let said = "25 records sent, 5.0 records/sec (0.01 MB/sec), 1.0 ms avg latency.\n\
            100 records sent, 20.5 records/sec (0.02 MB/sec), 1.00 ms avg latency, 1 ms 50th.\n";
        assert_eq!(rate_of(said, 100), Some(20.5));
        assert_eq!(rate_of(said, 200), None);
        assert_eq!(rate_of("", 0), None);
    }
}
