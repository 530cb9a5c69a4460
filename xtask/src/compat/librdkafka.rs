//! librdkafka, new and old: `compat/librdkafka/check.py` on confluent-kafka, and kcat of Debian.

use crate::compat::context::Context;
use crate::compat::foreign::{MINUTE, finish, run};
use crate::compat::reports::read_checks;
use crate::compat::verdict::Case;
use std::io::Write;
use std::process::{Command, Stdio};

pub fn run_suite(context: &Context<'_>) -> Result<Vec<Case>, String> {
    let python = context.cache.python()?;
    context.cache.debian("kcat", "kcat")?;
    let broker = context.broker("broker", &[])?;
    let mut script = Command::new(python);
    script.arg(context.source().join("check.py")).arg(broker.address());
    let ran = run(context, &mut script, 5 * MINUTE)?;
    let mut cases = read_checks(&ran.output);
    let address = broker.address();
    cases.push(Case::of("kcat lists the broker and its topics", lists(&address)));
    for codec in ["none", "gzip", "snappy", "lz4", "zstd"] {
        let name = format!("kcat produces and consumes {codec}");
        cases.push(Case::of(&name, round_trip(&address, codec)));
    }
    cases.push(Case::of("kcat keeps keys, headers and partitions", keyed(&address)));
    cases.push(Case::of("kcat finds offsets by time", by_time(&address)));
    cases.push(Case::of("kcat reads from the end and from a time", from_places(&address)));
    cases.push(Case::of("kcat consumes as a group", group(&address)));
    cases.push(Case::of("kcat speaks as clients of 0.11 did", as_old_client(&address)));
    finish(context, broker, cases, &ran)
}

/// Feeds kcat and returns what it prints.
fn kcat(address: &str, args: &[&str], input: &str) -> Result<String, String> {
    let mut command = Command::new("timeout");
    command.args(["30", "kcat", "-b", address]).args(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("kcat: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes()).map_err(|error| format!("kcat: {error}"))?;
    }
    let output = child.wait_with_output().map_err(|error| format!("kcat: {error}"))?;
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(out);
    }
    let err = String::from_utf8_lossy(&output.stderr);
    Err(format!("kcat {}: {}\n{out}{err}", args.join(" "), output.status))
}

fn same(got: &str, expected: &str) -> Result<(), String> {
    if got == expected { Ok(()) } else { Err(format!("`{got}` instead of `{expected}`")) }
}

fn lists(address: &str) -> Result<(), String> {
    kcat(address, &["-P", "-t", "listed"], "one\n")?;
    let shown = kcat(address, &["-L", "-J"], "")?;
    let parts = ["\"topic\":\"listed\"", &format!("\"name\":\"{address}\""), "\"controllerid\":"];
    match parts.iter().find(|part| !shown.contains(**part)) {
        None => Ok(()),
        Some(part) => Err(format!("no {part} in {shown}")),
    }
}

fn round_trip(address: &str, codec: &str) -> Result<(), String> {
    let topic = format!("kcat-{codec}");
    let lines: String = (0..5000).map(|i| format!("{codec} line {i}\n")).collect();
    kcat(address, &["-P", "-t", &topic, "-p", "0", "-z", codec], &lines)?;
    let read = kcat(address, &["-C", "-t", &topic, "-p", "0", "-o", "beginning", "-e", "-q"], "")?;
    if read == lines { Ok(()) } else { Err(format!("{} of {} bytes", read.len(), lines.len())) }
}

fn keyed(address: &str) -> Result<(), String> {
    let produce = ["-P", "-t", "kcat-keys", "-K", ":", "-p", "2", "-H", "a=1", "-H", "a=2"];
    kcat(address, &produce, "k1:v1\nk2:v2\n")?;
    let format = ["-C", "-t", "kcat-keys", "-e", "-q", "-f", "%p %o %k %s %h\n"];
    same(&kcat(address, &format, "")?, "2 0 k1 v1 a=1,a=2\n2 1 k2 v2 a=1,a=2\n")
}

fn by_time(address: &str) -> Result<(), String> {
    kcat(address, &["-P", "-t", "kcat-time", "-p", "0"], "one\ntwo\n")?;
    let found = kcat(address, &["-Q", "-t", "kcat-time:0:-1"], "")?;
    same(found.trim(), "kcat-time [0] offset 2")?;
    let found = kcat(address, &["-Q", "-t", "kcat-time:0:1000"], "")?;
    same(found.trim(), "kcat-time [0] offset 0")
}

fn from_places(address: &str) -> Result<(), String> {
    kcat(address, &["-P", "-t", "kcat-places", "-p", "0"], "one\ntwo\nthree\n")?;
    for (place, expected) in
        [("-1", "three\n"), ("1", "two\nthree\n"), ("s@0", "one\ntwo\nthree\n")]
    {
        let args = ["-C", "-t", "kcat-places", "-p", "0", "-o", place, "-e", "-q"];
        same(&kcat(address, &args, "")?, expected)?;
    }
    Ok(())
}

fn group(address: &str) -> Result<(), String> {
    kcat(address, &["-P", "-t", "kcat-group", "-p", "0"], "one\ntwo\nthree\n")?;
    let args = ["-X", "auto.offset.reset=earliest", "-q", "-e", "-G", "kcat-g", "kcat-group"];
    same(&kcat(address, &args, "")?, "one\ntwo\nthree\n")?;
    kcat(address, &["-P", "-t", "kcat-group", "-p", "0"], "four\n")?;
    same(&kcat(address, &args, "")?, "four\n")
}

fn as_old_client(address: &str) -> Result<(), String> {
    let old = ["-X", "api.version.request=false", "-X", "broker.version.fallback=0.11.0"];
    let produce = [&old[..], &["-P", "-t", "kcat-old", "-p", "0"]].concat();
    kcat(address, &produce, "old\n")?;
    let consume = [&old[..], &["-C", "-t", "kcat-old", "-p", "0", "-e", "-q"]].concat();
    same(&kcat(address, &consume, "")?, "old\n")
}
