//! The tools that put load on a broker, and the client compatibility test.

use super::{Bench, Check, same};
use crate::compat::tools::tool_process;
use std::time::{Duration, Instant};

pub const CHECKS: &[Check] = &[
    ("producer-perf-test and consumer-perf-test: every record", perf),
    ("verifiable-producer and verifiable-consumer: every record", verifiable),
    ("client-compatibility-test", compatibility),
];

fn perf(bench: &Bench) -> Result<(), String> {
    bench.tools.ok("topics", &["--create", "--topic", "w-perf", "--partitions", "3"])?;
    let server = format!("bootstrap.servers={}", bench.tools.address);
    let args = ["--topic", "w-perf", "--num-records", "50000", "--record-size", "100"];
    let args = [&args[..], &["--throughput", "-1", "--command-property", &server]].concat();
    let said = bench.tools.ok("producer-perf-test", &[&args[..], &["acks=all"]].concat())?;
    said.has(&["50000 records sent"])?;
    let args = ["--topic", "w-perf", "--num-records", "50000", "--timeout", "20000"];
    let said = bench.tools.ok("consumer-perf-test", &args)?;
    let line = said.out.lines().last().unwrap_or_default();
    same(line.split(", ").nth(4).unwrap_or_default(), "50000")
}

fn verifiable(bench: &Bench) -> Result<(), String> {
    bench.tools.ok("topics", &["--create", "--topic", "w-verify", "--partitions", "3"])?;
    let args = ["--topic", "w-verify", "--max-messages", "10000", "--acks", "-1"];
    let out = run_alone(bench, "verifiable-producer", &args)?;
    same(out.matches("producer_send_success").count(), 10000)?;
    same(out.matches("producer_send_error").count(), 0)?;
    let more = ["--group-id", "w-group", "--reset-policy", "earliest", "--max-messages", "10000"];
    let args = [&["--topic", "w-verify"], &more[..]].concat();
    let out = run_alone(bench, "verifiable-consumer", &args)?;
    let consumed: u64 = out
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|event| event["name"] == "records_consumed")
        .filter_map(|event| event["count"].as_u64())
        .sum();
    same(consumed, 10000)?;
    if out.contains("offsets_committed") { Ok(()) } else { Err("no commit".to_owned()) }
}

fn run_alone(bench: &Bench, tool: &str, args: &[&str]) -> Result<String, String> {
    let out = bench.folder.join(format!("{tool}.out"));
    let mut child = tool_process(&bench.libs, tool, &bench.tools.address, args, &out)?;
    let started = Instant::now();
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if started.elapsed() > Duration::from_secs(60) {
            child.kill().ok();
            child.wait().ok();
            return Err(format!("{tool} did not end in a minute"));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    std::fs::read_to_string(&out).map_err(|error| crate::exec::told(&out, &error))
}

/// What a Kafka of today can do, each told to the test and tried by it.
fn compatibility(bench: &Bench) -> Result<(), String> {
    let args = [
        "--offsets-for-times-supported",
        "true",
        "--cluster-id-supported",
        "true",
        // Brokers before 0.10.1 alone could not send a record over the fetch limit.
        "--expect-record-too-large-exception",
        "false",
        "--num-cluster-nodes",
        "1",
        "--create-topics-supported",
        "true",
        "--describe-acls-supported",
        "true",
        "--describe-configs-supported",
        "true",
        "--idempotent-producer-supported",
        "true",
        "--topic",
        "w-compat",
    ];
    bench.tools.ok("topics", &["--create", "--topic", "w-compat", "--partitions", "1"])?;
    let said = bench.tools.ok("client-compatibility-test", &args)?;
    if said.both().contains("FAIL") { Err(said.both()) } else { Ok(()) }
}
