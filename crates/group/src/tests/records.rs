//! Records byte for byte: a log of `__consumer_offsets` that Kafka 4.4.0 wrote.

use bytes::Bytes;
use highwater_shard::Shard;
use highwater_types::{Offset, Timestamp, TopicId};
use highwater_wire::Str;

use super::client::{call, commit, commit_body, leave};
use super::harness::{Harness, START};
use crate::{GroupCoordinator, Record, Request};

/// `offset kind key value` of each record, in hexadecimal; `-` is no value. `txn` marks what a
/// transaction wrote.
const KAFKA_LOG: &str = include_str!("data/kafka_records.txt");

fn bytes(hex: &str) -> Bytes {
    let digits = hex.as_bytes().chunks(2);
    let digits = digits.map(|pair| std::str::from_utf8(pair).unwrap());
    digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

fn hex(bytes: &Bytes) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn kafka_log() -> impl Iterator<Item = (i64, Bytes, Option<Bytes>)> {
    KAFKA_LOG.lines().map(|line| {
        let fields: Vec<&str> = line.split(' ').collect();
        let value = (fields[3] != "-").then(|| bytes(fields[3]));
        (fields[0].parse().unwrap(), bytes(fields[2]), value)
    })
}

#[test]
fn what_kafka_wrote_is_written_the_same() {
    for (offset, key, value) in kafka_log() {
        let record = Record::decode(key.clone(), value.clone()).unwrap();
        let is_newer_kind = i16::from_be_bytes([key[0], key[1]]) > 2;
        assert_eq!(matches!(record, Record::Other { .. }), is_newer_kind, "{offset}");
        assert_eq!(record.encode().unwrap(), (key, value), "record {offset}");
    }
}

#[test]
fn the_state_after_kafkas_log() {
    let mut coordinator = GroupCoordinator::new();
    for (offset, key, value) in kafka_log() {
        coordinator.replay(Offset(offset), &Record::decode(key, value).unwrap());
    }
    let state = coordinator.state();
    let groups: Vec<(&str, i32, usize)> = state
        .groups
        .iter()
        .map(|(id, group)| (&**id, group.generation, group.members.len()))
        .collect();
    assert_eq!(groups, [("classic-1", 2, 0), ("classic-static", 2, 0), ("txn-group", 2, 0)]);
    let offsets: Vec<(&str, i64)> = state
        .offsets
        .iter()
        .map(|(id, topics)| (&**id, topics["fx-in"][&0].offset.get()))
        .collect();
    assert_eq!(
        offsets,
        [
            ("classic-1", 9),
            ("classic-static", 10),
            ("consumer-1", 8),
            ("consumer-static", 10),
            ("simple-1", 3),
            ("txn-group", 10),
        ]
    );
    let topic: TopicId = "lnO4bZsWTeiJOrVtWNTf_A".parse::<highwater_types::Uuid>().unwrap().into();
    assert_eq!(state.offsets["simple-1"]["fx-in"][&0].topic_id, topic);
}

/// The layouts of our records, each against a Kafka one with the same content but ids and times.
#[test]
fn our_records_have_the_layouts_of_kafkas() {
    let mut h = Harness::new();
    let member = h.group_of_one("g");
    assert_eq!(h.code(commit("g", 1, &member, "t", 0, 7)), 0);
    assert_eq!(h.code(leave("g", &[(&member, None)])), 0);
    let mut explicit = commit_body("g", -1, "", "t", 1, 8);
    explicit.retention_time_ms = 1_000;
    assert_eq!(h.code(Request::OffsetCommit(call(4, explicit))), 0);
    let shown: Vec<String> = h
        .log
        .iter()
        .map(|record| {
            let (key, value) = record.encode().unwrap();
            format!("{} {}", hex(&key), value.map_or("-".into(), |value| hex(&value)))
        })
        .collect();
    let id = hex(&Bytes::copy_from_slice(member.as_bytes()));
    let at = |ms: i64| format!("{:016x}", START + ms);
    let subscription = "00000000000100017".to_owned() + "4ffffffff";
    assert_eq!(
        shown,
        [
            // A new group: generation 0, no protocol type (version 3).
            format!("0002000167 00030000 00000000 ffff ffff {} 00000000", at(0)),
            format!(
                "0002000167 0003 0008636f6e73756d6572 00000001 000572616e6765 0027{id} {} \
                 00000001 0027{id} ffff 0002636c 000a2f3132372e302e302e31 00002710 00002710 \
                 0000000d {subscription} 00000003 616c6c",
                at(3_000)
            ),
            // An offset: with the topic's id in a tagged field (version 4).
            format!(
                "00010001670001740000 0000 0004 0000000000000007 ffffffff 01 {} 01 00 10 {}",
                at(3_000),
                "01".repeat(16)
            ),
            format!(
                "0002000167 0003 0008636f6e73756d6572 00000002 ffff ffff {} 00000000",
                at(3_000)
            ),
            // One that says when it expires (version 1).
            format!(
                "00010001670001740000 0001 0001 0000000000000008 0000 {} {}",
                at(3_000),
                at(4_000)
            ),
        ]
        .map(|line| {
            let (key_len, spaced) = (line.find(' ').unwrap(), line.replace(' ', ""));
            let key_len = if line.starts_with("00010001670001740000 ") { 24 } else { key_len };
            format!("{} {}", &spaced[..key_len], &spaced[key_len..])
        })
    );
}

#[test]
fn records_of_old_brokers_are_understood() {
    // Version 0 of a group has no rebalance timeout and no time.
    let key = bytes("00020001 67".replace(' ', "").as_str());
    let value = "0000 0008636f6e73756d6572 00000003 000572616e6765 00016d 00000001 \
                 00016d 0002636c 00012f 00002710 00000000 00000000";
    let record = Record::decode(key, Some(bytes(&value.replace(' ', "")))).unwrap();
    // The very first form of an offset's key, and of its value.
    let old_key = bytes("0000 0001 67 0001 74 00000002".replace(' ', "").as_str());
    let old_value = bytes("0000 0000000000000005 0000 0000000000000064".replace(' ', "").as_str());
    let old = Record::decode(old_key, Some(old_value)).unwrap();
    let mut coordinator = GroupCoordinator::new();
    coordinator.replay(Offset(0), &record);
    coordinator.replay(Offset(1), &old);
    let group = &coordinator.state().groups["g"];
    assert_eq!((group.generation, group.since), (3, Timestamp::NONE));
    assert_eq!(group.members["m"].rebalance_timeout_ms, 10_000);
    let offset = &coordinator.state().offsets["g"]["t"][&2];
    assert_eq!((offset.offset, offset.committed_at), (Offset(5), Timestamp(100)));
    assert_eq!(offset.topic_id, TopicId::ZERO);
}

#[test]
fn unreadable_records_are_errors_and_never_panic() {
    assert!(Record::decode(Bytes::new(), None).is_err());
    for (_, key, value) in kafka_log() {
        for cut in 0..key.len() {
            let _ = Record::decode(key.slice(..cut), value.clone());
        }
        for cut in 0..value.as_ref().map_or(0, Bytes::len) {
            let _ = Record::decode(key.clone(), value.as_ref().map(|value| value.slice(..cut)));
        }
    }
    let key = bytes("0002000167");
    let future = Some(bytes("0063"));
    assert!(Record::decode(key, future).is_err(), "a version that is not known");
    let long = Str::from("x".repeat(40_000));
    assert!(Record::group_tombstone(&long).encode().is_err());
}
