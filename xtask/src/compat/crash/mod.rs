//! `kill -9` under load: two producers of Kafka's VerifiableProducer write while the broker is
//! killed and started again, then everything acknowledged must be there.
//!
//! One producer is idempotent and retries without end: its values must be read in order and once.
//! The other sends once with acks=all: what it was told is stored must be stored where it was told.

mod account;

use crate::broker::{Broker, Plan, signal};
use crate::compat::context::Context;
use crate::compat::tools::tool_process;
use crate::compat::verdict::Case;
use crate::exec;
use account::Account;
use std::path::PathBuf;
use std::process::Child;
use std::time::{Duration, Instant};

const ROUNDS_SHORT: u32 = 8;
const ROUNDS_FULL: u32 = 100;

struct Writer {
    topic: &'static str,
    child: Child,
    out: PathBuf,
}

/// What a producer is told beyond acks=all.
const IDEMPOTENT: &str = "enable.idempotence=true\nretries=2147483647\n\
    delivery.timeout.ms=600000\nrequest.timeout.ms=5000\nretry.backoff.ms=20\n\
    reconnect.backoff.ms=20\nreconnect.backoff.max.ms=200\nmax.block.ms=600000\n";
const ONCE: &str = "enable.idempotence=false\nretries=0\ndelivery.timeout.ms=6000\n\
    request.timeout.ms=5000\nreconnect.backoff.ms=20\nreconnect.backoff.max.ms=200\n\
    max.block.ms=600000\n";

pub fn run_suite(context: &Context<'_>) -> Result<Vec<Case>, String> {
    let rounds = if context.full { ROUNDS_FULL } else { ROUNDS_SHORT };
    let broker = context.broker("broker", &[])?;
    let tools = context.tools(&broker.address())?;
    for topic in ["idempotent", "once"] {
        let create = ["--create", "--topic", topic, "--partitions", "3"];
        let small = ["--config", "segment.bytes=1048576"];
        tools.ok("topics", &[&create[..], &small].concat())?;
    }
    let address = broker.address();
    let mut writers = vec![
        start_writer(context, &address, "idempotent", IDEMPOTENT)?,
        start_writer(context, &address, "once", ONCE)?,
    ];
    await_first_records(&writers)?;
    let (broker, slowest) = kill_and_start(broker, rounds, &writers)?;
    for writer in &mut writers {
        signal(writer.child.id(), "TERM")?;
        writer.child.wait().map_err(|error| error.to_string())?;
    }
    println!("  {rounds} rounds, slowest start {} ms", slowest.as_millis());
    let mut cases = Vec::new();
    for writer in &writers {
        let account = Account::read(&writer.out)?;
        let stored = account::read_topic(&tools, writer.topic)?;
        println!("  {}: {} acknowledged, {} stored", writer.topic, account.len(), stored.len());
        let enough = account.len() > 100 * rounds as usize;
        let enough = if enough { Ok(()) } else { Err(format!("{}", account.len())) };
        let case = |what: &str, result| Case::of(&format!("{}: {what}", writer.topic), result);
        cases.push(case("enough was acknowledged to mean something", enough));
        cases.push(case("everything acknowledged is stored", account.check_stored(&stored)));
        cases.push(case("offsets are dense", account::check_dense(&stored)));
        if writer.topic == "idempotent" {
            cases.push(case("no duplicates, in order", account::check_ordered_once(&stored)));
        }
    }
    let (plan, _) = broker.stop()?;
    cases.push(Case::of("the broker starts again after all", plan.start().map(|_| ())));
    Ok(cases)
}

fn start_writer(
    context: &Context<'_>,
    address: &str,
    topic: &'static str,
    settings: &str,
) -> Result<Writer, String> {
    let config = context.folder.join(format!("{topic}.properties"));
    std::fs::write(&config, settings).map_err(|error| exec::told(&config, &error))?;
    let config = config.display().to_string();
    let throughput = if context.full { "1000" } else { "2000" };
    let args = ["--topic", topic, "--acks", "-1", "--throughput", throughput];
    let args = [&args[..], &["--command-config", &config]].concat();
    let out = context.folder.join(format!("{topic}.out"));
    let libs = context.cache.kafka()?;
    let child = tool_process(&libs, "verifiable-producer", address, &args, &out)?;
    Ok(Writer { topic, child, out })
}

impl Writer {
    fn size(&self) -> u64 {
        self.out.metadata().map_or(0, |metadata| metadata.len())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn await_first_records(writers: &[Writer]) -> Result<(), String> {
    await_growth(writers, &vec![10_000; writers.len()])
}

/// Until each writer's report is longer than given: records are acknowledged again.
fn await_growth(writers: &[Writer], sizes: &[u64]) -> Result<(), String> {
    let started = Instant::now();
    while writers.iter().zip(sizes).any(|(writer, size)| writer.size() <= *size) {
        if started.elapsed() > Duration::from_secs(60) {
            return Err("a producer got no acknowledgement for a minute".to_owned());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// Kills at moments spread over a second after records flow again.
fn kill_and_start(
    mut broker: Broker,
    rounds: u32,
    writers: &[Writer],
) -> Result<(Broker, Duration), String> {
    let mut slowest = Duration::ZERO;
    for round in 0..rounds {
        std::thread::sleep(Duration::from_millis(u64::from(round * 397 % 900)));
        let plan: Plan = broker.kill()?;
        let sizes: Vec<u64> = writers.iter().map(|writer| writer.size() + 2_000).collect();
        broker = plan.launch()?;
        slowest = slowest.max(broker.wait_until_ready()?);
        await_growth(writers, &sizes).map_err(|error| format!("round {}: {error}", round + 1))?;
    }
    Ok((broker, slowest))
}
