//! A2: a consumer reads three records and is killed before it commits; after its session has
//! expired, the one that takes its place starts where `auto.offset.reset` says.

use super::Lab;
use crate::compat::tools::tool_process;
use std::time::{Duration, Instant};

const RECORDS: &str = "扣款 order:1024\n扣款 order:1025\n扣款 order:1026\n";

pub fn check(lab: &Lab, reset: &str) -> Result<(), String> {
    let (topic, group) = (format!("pay-{reset}"), format!("pay-group-{reset}"));
    lab.tools.ok("topics", &["--create", "--topic", &topic, "--partitions", "1"])?;
    let reset_property = format!("auto.offset.reset={reset}");
    // The client's own default in the full form, a short one otherwise.
    let session = if lab.full { 45_000u64 } else { 6_000 };
    let session_property = format!("session.timeout.ms={session}");
    let properties = [&reset_property, "auto.commit.interval.ms=60000", &session_property];
    let mut args = vec!["--topic", &topic, "--group", &group];
    for property in properties {
        args.extend(["--command-property", property]);
    }
    let out = lab.folder.join(format!("first-{reset}.out"));
    let mut first = tool_process(&lab.libs, "console-consumer", &lab.tools.address, &args, &out)?;
    let read = await_records(lab, &topic, &group, &out);
    first.kill().map_err(|error| error.to_string())?;
    first.wait().map_err(|error| error.to_string())?;
    read?;
    let said = lab.tools.ok("consumer-groups", &["--describe", "--group", &group])?;
    let row = said.out.lines().find(|line| line.contains(&topic)).unwrap_or_default().to_owned();
    let words: Vec<&str> = row.split_whitespace().collect();
    if words.get(3..6) != Some(&["-", "3", "-"]) {
        return Err(format!("after the kill: {}", said.out));
    }
    std::thread::sleep(Duration::from_millis(session + 2_000));
    let timeout = ["--timeout-ms", "6000"];
    let second = lab.tools.begin("console-consumer", &[&args[..], &timeout].concat(), "")?;
    let second = lab.tools.wait(second)?;
    let expected = if reset == "earliest" { RECORDS } else { "" };
    if second.out == expected { Ok(()) } else { Err(format!("the second read {:?}", second.out)) }
}

/// Produces once the consumer owns its partition, and waits until it has read everything.
fn await_records(lab: &Lab, topic: &str, group: &str, out: &std::path::Path) -> Result<(), String> {
    let started = Instant::now();
    let ready = || -> Result<bool, String> {
        let args = ["--describe", "--group", group, "--members"];
        let running = lab.tools.begin("consumer-groups", &args, "")?;
        let said = lab.tools.wait(running)?;
        Ok(said.out.lines().any(|l| l.starts_with(group) && l.trim_end().ends_with('1')))
    };
    while !ready()? {
        if started.elapsed() > Duration::from_secs(30) {
            return Err("the first consumer got no partition".to_owned());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    // Its position must be known before the records come.
    std::thread::sleep(Duration::from_secs(2));
    lab.tools.fed("console-producer", &["--topic", topic], RECORDS)?;
    loop {
        let text = std::fs::read_to_string(out).unwrap_or_default();
        if text == RECORDS {
            return Ok(());
        }
        if started.elapsed() > Duration::from_secs(45) {
            return Err(format!("the first consumer read {text:?}"));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}
