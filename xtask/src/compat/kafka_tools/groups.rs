//! kafka-consumer-groups and kafka-groups.

use super::{Bench, Check, row_of, rows, same, soon};

pub const CHECKS: &[Check] = &[
    ("groups: listed with state and type", list),
    ("groups: members and state of a live group", live),
    ("groups: the lag of a group without members", lag),
    ("groups: offsets reset in every way", reset),
    ("groups: a live group's offsets are not reset", reset_live),
    ("groups: offsets deleted", delete_offsets),
    ("groups: deleted", delete),
    ("groups: an unknown group", unknown),
];

const TOPIC: &str = "g-topic";

fn groups(bench: &Bench, args: &[&str]) -> Result<String, String> {
    Ok(bench.tools.ok("consumer-groups", args)?.out)
}

fn prepare(bench: &Bench, group: &str) -> Result<(), String> {
    let create = ["--create", "--if-not-exists", "--topic", TOPIC, "--partitions", "1"];
    bench.tools.ok("topics", &create)?;
    let text: String = (0..20).map(|i| format!("{i}\n")).collect();
    bench.tools.fed("console-producer", &["--topic", TOPIC], &text)?;
    let args = ["--topic", TOPIC, "--group", group, "--from-beginning", "--max-messages", "10"];
    bench.tools.ok("console-consumer", &args).map(|_| ())
}

fn list(bench: &Bench) -> Result<(), String> {
    prepare(bench, "g-list")?;
    groups(bench, &["--list"])?.lines().find(|line| *line == "g-list").ok_or("not listed")?;
    let said = groups(bench, &["--list", "--state", "Empty"])?;
    row_of(&said, &["g-list", "Empty"])?;
    let said = groups(bench, &["--list", "--type", "classic"])?;
    row_of(&said, &["g-list", "Classic"])?;
    let said = groups(bench, &["--list", "--state", "Stable"])?;
    if said.contains("g-list") {
        return Err(said);
    }
    let said = bench.tools.ok("groups", &["--list"])?.out;
    row_of(&said, &["g-list", "Classic", "consumer"]).map(|_| ())
}

fn live(bench: &Bench) -> Result<(), String> {
    prepare(bench, "g-live")?;
    let args = ["--topic", TOPIC, "--group", "g-live", "--timeout-ms", "12000"];
    let running = bench.tools.begin("console-consumer", &args, "")?;
    let found = soon("a member owns the partition", || {
        let said = groups(bench, &["--describe", "--group", "g-live", "--members", "--verbose"])?;
        let row = row_of(&said, &["g-live"]).unwrap_or_default();
        Ok(row.iter().any(|word| word.contains(&format!("{TOPIC}:0"))))
    });
    let state = groups(bench, &["--describe", "--group", "g-live", "--state"]);
    let reset = ["--reset-offsets", "--group", "g-live", "--topic", TOPIC, "--to-earliest"];
    let refused = bench.tools.begin("consumer-groups", &[&reset[..], &["--execute"]].concat(), "");
    let refused = refused.and_then(|running| bench.tools.wait(running));
    bench.tools.wait(running)?;
    found?;
    let state = state?;
    let row = row_of(&state, &["g-live"])?;
    if !row.contains(&"Stable") || !row.contains(&"range") {
        return Err(state);
    }
    refused?.has(&["only be reset if the group"])
}

fn lag(bench: &Bench) -> Result<(), String> {
    prepare(bench, "g-lag")?;
    let ends = bench.tools.ok("get-offsets", &["--topic", TOPIC])?.out;
    let end = ends.trim().rsplit(':').next().unwrap_or_default().to_owned();
    let said = groups(bench, &["--describe", "--group", "g-lag"])?;
    let row = row_of(&said, &["g-lag", TOPIC, "0"])?;
    let lag = (end.parse::<i64>().unwrap_or(0) - 10).to_string();
    same(row[3..6].to_vec(), vec!["10", end.as_str(), lag.as_str()])
}

fn reset(bench: &Bench) -> Result<(), String> {
    prepare(bench, "g-reset")?;
    let ways: &[(&[&str], &str)] = &[
        (&["--to-earliest"], "0"),
        (&["--to-offset", "7"], "7"),
        (&["--shift-by", "-3"], "4"),
        (&["--to-datetime", "2001-01-01T00:00:00.000"], "0"),
        (&["--shift-by", "2"], "2"),
        (&["--to-current"], "2"),
    ];
    for (way, expected) in ways {
        let all = ["--reset-offsets", "--group", "g-reset", "--topic", TOPIC];
        let dry = groups(bench, &[&all[..], way, &["--dry-run"]].concat())?;
        same(*row_of(&dry, &["g-reset", TOPIC, "0"])?.last().unwrap_or(&""), *expected)?;
        groups(bench, &[&all[..], way, &["--execute"]].concat())?;
        let said = groups(bench, &["--describe", "--group", "g-reset"])?;
        same(row_of(&said, &["g-reset", TOPIC, "0"])?[3], *expected)?;
    }
    let latest = ["--reset-offsets", "--group", "g-reset", "--topic", TOPIC, "--to-latest"];
    groups(bench, &[&latest[..], &["--execute"]].concat())?;
    let said = groups(bench, &["--describe", "--group", "g-reset"])?;
    same(row_of(&said, &["g-reset", TOPIC, "0"])?[5], "0")
}

fn reset_live(bench: &Bench) -> Result<(), String> {
    let args = ["--reset-offsets", "--group", "g-absent", "--topic", TOPIC, "--to-earliest"];
    groups(bench, &[&args[..], &["--execute"]].concat())?;
    let said = groups(bench, &["--describe", "--group", "g-absent"])?;
    same(row_of(&said, &["g-absent", TOPIC, "0"])?[3], "0")
}

fn delete_offsets(bench: &Bench) -> Result<(), String> {
    prepare(bench, "g-deloff")?;
    let args = ["--delete-offsets", "--group", "g-deloff", "--topic", TOPIC];
    let said = groups(bench, &args)?;
    if !said.contains("Successful") {
        return Err(said);
    }
    let said = groups(bench, &["--describe", "--group", "g-deloff"])?;
    if rows(&said).iter().any(|row| row.get(1) == Some(&TOPIC)) { Err(said) } else { Ok(()) }
}

fn delete(bench: &Bench) -> Result<(), String> {
    prepare(bench, "g-gone")?;
    let said = groups(bench, &["--delete", "--group", "g-gone"])?;
    if !said.contains("was successful") {
        return Err(said);
    }
    let said = groups(bench, &["--list"])?;
    if said.lines().any(|line| line == "g-gone") { Err(said) } else { Ok(()) }
}

fn unknown(bench: &Bench) -> Result<(), String> {
    let running = bench.tools.begin("consumer-groups", &["--describe", "--group", "g-no"], "")?;
    bench.tools.wait(running)?.has(&["Group g-no not found"])
}
