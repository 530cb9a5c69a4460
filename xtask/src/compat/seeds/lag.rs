//! A3: 30,000 keyed records in three partitions, of which a group reads 3,000 and stops; then four
//! members, of which one stays idle.

use super::Lab;
use std::time::{Duration, Instant};

const RECORDS: usize = 30_000;

pub fn check(lab: &Lab) -> Result<(), String> {
    let topic = "points-events";
    lab.tools.ok("topics", &["--create", "--topic", topic, "--partitions", "3"])?;
    let text: String = (0..RECORDS).map(|i| format!("user-{}:+{}\n", i % 997, i % 90)).collect();
    let keyed = ["--reader-property", "parse.key=true", "--reader-property", "key.separator=:"];
    lab.tools.fed("console-producer", &[&["--topic", topic], &keyed[..]].concat(), &text)?;
    let args = ["--topic", topic, "--group", "points", "--from-beginning"];
    lab.tools.ok("console-consumer", &[&args[..], &["--max-messages", "3000"]].concat())?;
    let said = lab.tools.ok("consumer-groups", &["--describe", "--group", "points"])?;
    said.has(&["Consumer group 'points' has no active members."])?;
    check_lag(&said.out)?;
    check_members(lab, topic)
}

/// Partitions without a commit count from their start; what was read and what is left make the whole.
fn check_lag(table: &str) -> Result<(), String> {
    let mut ends = 0;
    let mut read = 0;
    let mut lag = 0;
    for row in table.lines().filter(|line| line.contains("points-events")) {
        let words: Vec<&str> = row.split_whitespace().collect();
        let number = |at: usize| words.get(at).and_then(|word| word.parse::<usize>().ok());
        let (Some(current), Some(end), Some(left)) = (number(3), number(4), number(5)) else {
            return Err(format!("not numbers: {row}"));
        };
        if current + left != end {
            return Err(format!("{current} + {left} is not {end}"));
        }
        ends += end;
        read += current;
        lag += left;
    }
    if (ends, read, lag) == (RECORDS, 3000, RECORDS - 3000) {
        Ok(())
    } else {
        Err(format!("ends {ends}, read {read}, lag {lag}"))
    }
}

fn check_members(lab: &Lab, topic: &str) -> Result<(), String> {
    let args = ["--topic", topic, "--group", "points", "--timeout-ms", "20000"];
    let running: Vec<_> =
        (0..4).map(|_| lab.tools.begin("console-consumer", &args, "")).collect::<Result<_, _>>()?;
    let started = Instant::now();
    let mut shares: Vec<u32> = Vec::new();
    while started.elapsed() < Duration::from_secs(18) && shares != [0, 1, 1, 1] {
        std::thread::sleep(Duration::from_millis(200));
        let said =
            lab.tools.ok("consumer-groups", &["--describe", "--group", "points", "--members"])?;
        let rows = said.out.lines().filter(|line| line.starts_with("points "));
        shares = rows.filter_map(|row| row.split_whitespace().last()?.parse().ok()).collect();
        shares.sort_unstable();
    }
    for consumer in running {
        lab.tools.wait(consumer)?;
    }
    if shares == [0, 1, 1, 1] { Ok(()) } else { Err(format!("partitions of members: {shares:?}")) }
}
