//! What a broker takes that has nothing to do.

use crate::bench::cases::start;
use crate::bench::lab::Lab;
use crate::bench::measure::{Case, Limit, measure};
use crate::bench::process::Process;
use crate::broker::Target;
use std::time::{Duration, Instant};

pub const CASE: Case = Case {
    name: "idle",
    title: "Idle",
    about: "
After one topic was created and one record written: five seconds of rest, then memory (`Rss` of
`/proc/PID/smaps_rollup`) and CPU time (`/proc/PID/stat`) over the next twenty seconds. Kafka's
memory is that of a heap of 1 GB as far as it has been touched.",
    commands: "highwater serve --data-dir DIR --listen 127.0.0.1:PORT",
    measures: &[
        measure("resident_mb", "memory", "MB", Limit::AtMost(15.0)),
        measure("cpu_percent", "CPU", "% of a core", Limit::AtMost(0.2)),
    ],
    run,
};

const REST: Duration = Duration::from_secs(5);
const WATCHED: Duration = Duration::from_secs(20);

fn run(lab: &Lab<'_>, target: Target) -> Result<Vec<f64>, String> {
    let broker = lab.plan(target, &[])?.launch()?;
    start::until_acknowledged(&broker)?;
    let idle = watch(&Process::of(broker.pid()))?;
    broker.stop()?;
    Ok(vec![idle.resident_mb, idle.cpu_percent])
}

pub struct Idle {
    pub resident_mb: f64,
    pub cpu_percent: f64,
}

pub fn watch(process: &Process) -> Result<Idle, String> {
    std::thread::sleep(REST);
    let (began, before) = (Instant::now(), process.cpu()?);
    std::thread::sleep(WATCHED);
    let spent = process.cpu()?.since(before).both();
    Ok(Idle {
        resident_mb: process.resident_bytes()? as f64 / 1e6,
        cpu_percent: 100.0 * spent.as_secs_f64() / began.elapsed().as_secs_f64(),
    })
}
