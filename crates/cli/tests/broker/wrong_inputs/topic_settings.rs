//! Settings given while a topic is created.

use highwater_testkit::topics::creation;
use highwater_testkit::{Wire, unique};
use highwater_wire::ErrorCode;

use super::case::{Bench, Case, case, check, says};
use super::topics::create;

/// What each setting should bring; all in words when refused.
const SETTINGS: [(&str, &str, ErrorCode); 23] = {
    use ErrorCode as E;
    [
        ("no.such.key", "1", E::INVALID_CONFIG),
        ("retention.ms", "abc", E::INVALID_CONFIG),
        ("retention.ms", "-2", E::INVALID_CONFIG),
        ("cleanup.policy", "shred", E::INVALID_CONFIG),
        ("cleanup.policy", "compact,delete", E::NONE),
        ("cleanup.policy", "", E::NONE),
        ("min.insync.replicas", "0", E::INVALID_CONFIG),
        ("segment.bytes", "1", E::INVALID_CONFIG),
        ("segment.bytes", "1048575", E::INVALID_CONFIG),
        ("segment.bytes", "1048576", E::NONE),
        ("compression.type", "brotli", E::INVALID_CONFIG),
        ("message.timestamp.type", "Never", E::INVALID_CONFIG),
        ("max.message.bytes", "-1", E::INVALID_CONFIG),
        ("min.cleanable.dirty.ratio", "1.5", E::INVALID_CONFIG),
        ("compression.gzip.level", "11", E::INVALID_CONFIG),
        ("compression.zstd.level", "23", E::INVALID_CONFIG),
        ("unclean.leader.election.enable", "maybe", E::INVALID_CONFIG),
        ("message.format.version", "3.0", E::INVALID_CONFIG),
        ("remote.storage.enable", "true", E::INVALID_CONFIG),
        ("max.compaction.lag.ms", "0", E::INVALID_CONFIG),
        ("segment.ms", "0", E::INVALID_CONFIG),
        ("local.retention.ms", "10", E::NONE),
        ("index.interval.bytes", "-1", E::INVALID_CONFIG),
    ]
};

#[test]
fn topic_settings() {
    check(|_: &mut Wire| unique("n"), cases());
}

pub fn cases() -> Vec<Case<String>> {
    let set = |(name, value, code): (&'static str, &'static str, ErrorCode)| {
        let send = move |b: &mut Bench<String>| {
            let topic = creation(&b.state, 1, &[(name, value)]);
            create(b, vec![topic], true)
        };
        let expected = if code == ErrorCode::NONE { code.into() } else { says(code) };
        case(format!("create topic: config {name}={value}"), expected, send)
    };
    SETTINGS.into_iter().map(set).collect()
}
