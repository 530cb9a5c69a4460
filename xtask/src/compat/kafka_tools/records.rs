//! The console producer and consumer.

use super::{Bench, Check, same};

pub const CHECKS: &[Check] = &[
    ("console: lines go in and come out in order", lines),
    ("console: keys, headers, partitions and offsets are shown", keys_and_headers),
    ("console: every codec", codecs),
    ("console: from an offset of one partition", from_offset),
    ("console: a topic is made when first used", auto_create),
    ("console: as a group, read_committed", grouped),
];

fn consume(bench: &Bench, topic: &str, count: &str, more: &[&str]) -> Result<String, String> {
    let args = ["--topic", topic, "--max-messages", count, "--timeout-ms", "15000"];
    Ok(bench.tools.ok("console-consumer", &[&args[..], more].concat())?.out)
}

fn lines(bench: &Bench) -> Result<(), String> {
    let text: String = (0..5000).map(|i| format!("line {i}\n")).collect();
    bench.tools.ok("topics", &["--create", "--topic", "r-lines", "--partitions", "1"])?;
    bench.tools.fed("console-producer", &["--topic", "r-lines"], &text)?;
    let read = consume(bench, "r-lines", "5000", &["--from-beginning"])?;
    if read == text { Ok(()) } else { Err(format!("{} lines came", read.lines().count())) }
}

fn keys_and_headers(bench: &Bench) -> Result<(), String> {
    bench.tools.ok("topics", &["--create", "--topic", "r-keys", "--partitions", "1"])?;
    let mut args = vec!["--topic", "r-keys"];
    for property in ["parse.key=true", "parse.headers=true", "null.marker=NULL"] {
        args.extend(["--reader-property", property]);
    }
    bench.tools.fed("console-producer", &args, "a:1,b:2\tk1\tv1\na:3\tk2\tNULL\n")?;
    let mut args = vec!["--from-beginning"];
    let shown =
        ["print.key=true", "print.headers=true", "print.offset=true", "print.partition=true"];
    for property in shown {
        args.extend(["--formatter-property", property]);
    }
    let read = consume(bench, "r-keys", "2", &args)?;
    let expected = "Partition:0\tOffset:0\ta:1,b:2\tk1\tv1\nPartition:0\tOffset:1\ta:3\tk2\tnull\n";
    same(read.as_str(), expected)
}

fn codecs(bench: &Bench) -> Result<(), String> {
    for codec in ["none", "gzip", "snappy", "lz4", "zstd"] {
        let topic = format!("r-{codec}");
        bench.tools.ok("topics", &["--create", "--topic", &topic, "--partitions", "1"])?;
        let text: String = (0..500).map(|i| format!("{codec} {i}\n")).collect();
        let args = ["--topic", &topic, "--compression-codec", codec];
        bench.tools.fed("console-producer", &args, &text)?;
        same(consume(bench, &topic, "500", &["--from-beginning"])?, text)?;
    }
    Ok(())
}

fn from_offset(bench: &Bench) -> Result<(), String> {
    let args = ["--partition", "0", "--offset", "4998"];
    same(consume(bench, "r-lines", "2", &args)?.as_str(), "line 4998\nline 4999\n")
}

fn auto_create(bench: &Bench) -> Result<(), String> {
    bench.tools.fed("console-producer", &["--topic", "r-auto"], "hello\n")?;
    same(consume(bench, "r-auto", "1", &["--from-beginning"])?.as_str(), "hello\n")?;
    bench.tools.ok("topics", &["--describe", "--topic", "r-auto"])?.has(&["PartitionCount: 4"])
}

fn grouped(bench: &Bench) -> Result<(), String> {
    let committed = ["--isolation-level", "read_committed", "--from-beginning"];
    let group = [&["--group", "r-group"], &committed[..]].concat();
    same(consume(bench, "r-gzip", "500", &group)?.lines().count(), 500)?;
    let said = bench.tools.ok("consumer-groups", &["--describe", "--group", "r-group"])?;
    let row = super::row_of(&said.out, &["r-group", "r-gzip", "0"])?;
    same(row[3..6].to_vec(), vec!["500", "500", "0"])
}
