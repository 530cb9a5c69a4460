//! A1: 20,000 records of 100 bytes, with the default batches and with none.

use super::Lab;

/// The text's figures give 8.5 to 10.5; less than this would mean that batches are taken apart.
const RATIO_MIN: f64 = 3.0;

pub fn check(lab: &Lab) -> Result<(), String> {
    lab.tools.ok("topics", &["--create", "--topic", "perf", "--partitions", "3"])?;
    let mut batched = 0.0f64;
    let mut single = 0.0f64;
    for _ in 0..3 {
        batched = batched.max(rate(lab, &[])?);
        single = single.max(rate(lab, &["batch.size=0", "linger.ms=0"])?);
    }
    let ratio = batched / single;
    println!("  A1: {batched:.0} records/s batched, {single:.0} without: ratio {ratio:.1}");
    if ratio >= RATIO_MIN { Ok(()) } else { Err(format!("{batched:.0} against {single:.0}")) }
}

fn rate(lab: &Lab, more: &[&str]) -> Result<f64, String> {
    let server = format!("bootstrap.servers={}", lab.tools.address);
    let args = ["--topic", "perf", "--num-records", "20000", "--record-size", "100"];
    let args = [&args[..], &["--throughput", "-1", "--command-property", &server, "acks=all"]];
    let said = lab.tools.ok("producer-perf-test", &[&args.concat()[..], more].concat())?;
    let line = said.out.lines().find(|line| line.contains("20000 records sent"));
    let line = line.ok_or_else(|| said.both())?;
    let rate = line.split(", ").nth(1).and_then(|part| part.split(' ').next());
    rate.and_then(|rate| rate.parse().ok()).ok_or_else(|| line.to_owned())
}
