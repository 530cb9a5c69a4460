//! From the start of the process to the first acknowledged record.

use crate::bench::frames;
use crate::bench::lab::Lab;
use crate::bench::link::{Link, produced};
use crate::bench::measure::{Case, Limit, measure};
use crate::broker::{Broker, Target};
use std::time::Duration;

pub const CASE: Case = Case {
    name: "start",
    title: "Start",
    about:
        "
From just before the process is started to the first acknowledgement of a record, on an empty data
directory: the client tries to connect every millisecond, has the topic created by asking for it,
and produces one record of 100 bytes with `acks=all` until it is acknowledged. The client is part of
the measuring program; no JVM of a client is in the figure. Kafka's directory was formatted before.",
    commands: "highwater serve --data-dir DIR --listen 127.0.0.1:PORT",
    measures: &[measure("first_ack_ms", "first acknowledgement", "ms", Limit::AtMost(50.0))],
    run,
};

const TOPIC: &str = "first";
const START_SECONDS_MAX: u64 = 60;

fn run(lab: &Lab<'_>, target: Target) -> Result<Vec<f64>, String> {
    let broker = lab.plan(target, &[])?.launch()?;
    let taken = until_acknowledged(&broker)?;
    broker.stop()?;
    Ok(vec![taken.as_secs_f64() * 1000.0])
}

/// Tries until a record is acknowledged; the time since the launch.
pub fn until_acknowledged(broker: &Broker) -> Result<Duration, String> {
    let metadata = frames::metadata(TOPIC);
    let produce = frames::produce(TOPIC, 0, &frames::batch(1, 100));
    let mut link = None;
    while broker.launched().elapsed().as_secs() < START_SECONDS_MAX {
        match attempt(&mut link, broker.plan().port, &metadata, &produce) {
            Ok(()) => return Ok(broker.launched().elapsed()),
            Err(_) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    Err(format!("no record was acknowledged within {START_SECONDS_MAX} s"))
}

fn attempt(
    kept: &mut Option<Link>,
    port: u16,
    metadata: &[u8],
    produce: &[u8],
) -> Result<(), String> {
    let link = match kept {
        Some(link) => link,
        None => kept.insert(Link::connect(port)?),
    };
    let answer = link.ask(metadata).and_then(|_| link.ask(produce));
    match answer {
        Ok(answer) => produced(&answer, TOPIC),
        Err(message) => {
            *kept = None;
            Err(message)
        }
    }
}
