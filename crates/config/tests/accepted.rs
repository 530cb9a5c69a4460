//! Which values each setting accepts, and how they are shown, compared with Kafka 4.4.0
//! (`fixtures/config/accepted.txt`, about 47,000 answers).

use std::collections::BTreeMap;

use highwater_config::{Level, lookup};

/// (setting, text) pairs that differ on purpose.
const DIFFERENT: &[(&str, &str, &str)] = &[
    ("broker:log.cleaner.min.cleanable.ratio", "NaN", "not a number is not a share"),
    ("broker:remote.log.manager.task.retry.jitter", "NaN", "not a number is not a share"),
    ("topic:min.cleanable.dirty.ratio", "NaN", "not a number is not a share"),
    ("topic:follower.replication.throttled.replicas", ",", "two empty items"),
    ("topic:leader.replication.throttled.replicas", ",", "two empty items"),
];

struct Block {
    settings: Vec<String>,
    /// Accepted text to shown text.
    accepted: BTreeMap<String, String>,
}

/// `|text|` or `|text| shown|`.
fn parse_answer(line: &str) -> (String, String) {
    let unescape = |text: &str| text.replace("\\u00a0", "\u{a0}").replace("\\\\", "\\");
    let inner = line.strip_prefix('|').and_then(|l| l.strip_suffix('|')).unwrap();
    match inner.split_once("| ") {
        Some((text, shown)) => (unescape(text), unescape(shown)),
        None => (unescape(inner), unescape(inner)),
    }
}

fn parse_fixture() -> (Vec<String>, Vec<Block>) {
    let mut tried = Vec::new();
    let mut blocks: Vec<Block> = Vec::new();
    for line in include_str!("../../../fixtures/config/accepted.txt").lines() {
        if line.starts_with('#') || line == "tried" {
            continue;
        }
        if let Some(names) = line.strip_prefix("settings ") {
            let settings = names.split(' ').map(str::to_owned).collect();
            blocks.push(Block { settings, accepted: BTreeMap::new() });
            continue;
        }
        let (text, shown) = parse_answer(line);
        match blocks.last_mut() {
            Some(block) => drop(block.accepted.insert(text, shown)),
            None => tried.push(text),
        }
    }
    (tried, blocks)
}

fn ours(name: &str, text: &str) -> Option<String> {
    let (level, name) = name.split_once(':').unwrap();
    let level = match level {
        "broker" => Level::Broker,
        "topic" => Level::Topic,
        "group" => Level::Group,
        _ => Level::ClientMetrics,
    };
    let setting = lookup(level, name).unwrap_or_else(|| panic!("{name} is missing"));
    setting.parse(text).ok().map(|value| value.to_text())
}

#[test]
fn values_are_accepted_and_shown_as_by_kafka() {
    let (tried, blocks) = parse_fixture();
    let mut wrong = Vec::new();
    for block in &blocks {
        for name in &block.settings {
            for text in &tried {
                let (want, got) = (block.accepted.get(text).cloned(), ours(name, text));
                let may_differ = DIFFERENT.iter().any(|(n, t, _)| n == name && t == text);
                if (want != got) != may_differ {
                    wrong.push(format!("{name}={text:?}: Kafka {want:?}, ours {got:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
