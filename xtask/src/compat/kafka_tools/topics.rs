//! kafka-topics, and the tools that move or delete what a topic holds.

use super::{Bench, Check, same, soon};

pub const CHECKS: &[Check] = &[
    ("topics: create, list, describe", create),
    ("topics: create with settings and --if-not-exists", create_with_settings),
    ("topics: refused names, counts and settings", refused),
    ("topics: add partitions, and never take them away", add_partitions),
    ("topics: delete", delete),
    ("topics: describe finds nothing under-replicated", healthy),
    ("get-offsets: earliest, latest, by time, by largest time", get_offsets),
    ("delete-records: the log start moves", delete_records),
    ("leader-election: the leader is the preferred one", leader_election),
    ("reassign-partitions: none goes on", reassign),
];

fn create(bench: &Bench) -> Result<(), String> {
    let args = ["--create", "--topic", "t.one", "--partitions", "3", "--replication-factor", "1"];
    bench.tools.ok("topics", &args)?.has(&["Created topic t.one."])?;
    let listed = bench.tools.ok("topics", &["--list"])?;
    same(listed.out.lines().filter(|line| *line == "t.one").count(), 1)?;
    let said = bench.tools.ok("topics", &["--describe", "--topic", "t.one"])?;
    said.has(&["PartitionCount: 3", "ReplicationFactor: 1", "TopicId: ", "Partition: 2"])?;
    same(said.out.matches("\tElr: ").count(), 3)
}

fn create_with_settings(bench: &Bench) -> Result<(), String> {
    let settings = ["--config", "retention.ms=60000", "--config", "cleanup.policy=compact,delete"];
    let create = ["--create", "--topic", "t-set"];
    bench.tools.ok("topics", &[&create[..], &settings].concat())?;
    let said = bench.tools.ok("topics", &["--describe", "--topic", "t-set"])?;
    said.has(&["PartitionCount: 4", "retention.ms=60000", "cleanup.policy=compact,delete"])?;
    bench.tools.ok("topics", &[&create[..], &["--if-not-exists"]].concat())?;
    bench.tools.refused("topics", &create)?.has(&["already exists"])?;
    let overridden = bench.tools.ok("topics", &["--describe", "--topics-with-overrides"])?;
    overridden.has(&["t-set"])
}

fn refused(bench: &Bench) -> Result<(), String> {
    let tools = &bench.tools;
    let create = |name: &'static str, more: &[&'static str]| {
        tools.refused("topics", &[&["--create", "--topic", name], more].concat())
    };
    create("bad!name", &[])?.has(&["InvalidTopicException"])?;
    create("t-rf", &["--replication-factor", "3"])?.has(&["InvalidReplicationFactorException"])?;
    create("t-cfg", &["--config", "retention.ms=soon"])?
        .has(&["Invalid value soon for configuration retention.ms"])?;
    create("t-unknown", &["--config", "no.such=1"])?.has(&["no.such"])?;
    tools.refused("topics", &["--describe", "--topic", "absent"])?.has(&["absent"])
}

fn add_partitions(bench: &Bench) -> Result<(), String> {
    let alter = |count| ["--alter", "--topic", "t.one", "--partitions", count];
    bench.tools.ok("topics", &alter("5"))?;
    let said = bench.tools.ok("topics", &["--describe", "--topic", "t.one"])?;
    said.has(&["PartitionCount: 5", "Partition: 4"])?;
    bench.tools.refused("topics", &alter("2"))?.has(&["InvalidPartitionsException"])
}

fn delete(bench: &Bench) -> Result<(), String> {
    bench.tools.ok("topics", &["--create", "--topic", "t-gone"])?;
    bench.tools.ok("topics", &["--delete", "--topic", "t-gone"])?;
    soon("the topic is gone", || {
        let listed = bench.tools.ok("topics", &["--list"])?;
        Ok(listed.out.lines().all(|line| line != "t-gone"))
    })?;
    bench.tools.refused("topics", &["--delete", "--topic", "t-gone"]).map(|_| ())
}

fn healthy(bench: &Bench) -> Result<(), String> {
    for flag in ["--under-replicated-partitions", "--unavailable-partitions"] {
        let said = bench.tools.ok("topics", &["--describe", flag])?;
        same(said.out.trim(), "")?;
    }
    Ok(())
}

fn get_offsets(bench: &Bench) -> Result<(), String> {
    let tools = &bench.tools;
    tools.ok("topics", &["--create", "--topic", "t-off", "--partitions", "1"])?;
    tools.fed("console-producer", &["--topic", "t-off"], "a\nb\nc\n")?;
    for (time, expected) in [("-1", "t-off:0:3"), ("-2", "t-off:0:0"), ("0", "t-off:0:0")] {
        let said = tools.ok("get-offsets", &["--topic", "t-off", "--time", time])?;
        same(said.out.trim(), expected)?;
    }
    let said = tools.ok("get-offsets", &["--topic", "t-off", "--time", "max-timestamp"])?;
    let offset = said.out.trim().strip_prefix("t-off:0:").unwrap_or_default().to_owned();
    if ["0", "1", "2"].contains(&offset.as_str()) { Ok(()) } else { Err(said.out) }
}

fn delete_records(bench: &Bench) -> Result<(), String> {
    let tools = &bench.tools;
    tools.ok("topics", &["--create", "--topic", "t-del", "--partitions", "1"])?;
    tools.fed("console-producer", &["--topic", "t-del"], "a\nb\nc\nd\n")?;
    let ask = |offset: i64| -> Result<String, String> {
        let path = bench.folder.join("delete.json");
        let place = format!("{{\"topic\":\"t-del\",\"partition\":0,\"offset\":{offset}}}");
        let json = format!("{{\"partitions\":[{place}],\"version\":1}}");
        std::fs::write(&path, json).map_err(|error| crate::exec::told(&path, &error))?;
        let file = path.display().to_string();
        let running = tools.begin("delete-records", &["--offset-json-file", &file], "")?;
        Ok(tools.wait(running)?.both())
    };
    let said = ask(3)?;
    if !said.contains("low_watermark: 3") {
        return Err(said);
    }
    let first = tools.ok("get-offsets", &["--topic", "t-del", "--time", "-2"])?;
    same(first.out.trim(), "t-del:0:3")?;
    let said = ask(99)?;
    if said.contains("OffsetOutOfRangeException") { Ok(()) } else { Err(said) }
}

fn leader_election(bench: &Bench) -> Result<(), String> {
    let args = ["--election-type", "preferred", "--topic", "t.one", "--partition", "0"];
    let said = bench.tools.ok("leader-election", &args)?;
    said.has(&["Valid replica already elected for partitions"])
}

fn reassign(bench: &Bench) -> Result<(), String> {
    let said = bench.tools.ok("reassign-partitions", &["--list"])?;
    said.has(&["No partition reassignments found."])
}
