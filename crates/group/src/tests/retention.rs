//! How long offsets and groups are kept (KIP-211; KAFKA-4682, KAFKA-8338).

use super::client::{
    call, commit, commit_body, delete_group, heartbeat, join, join_body, leave, subscription, sync,
};
use super::harness::Harness;
use crate::{Record, Request};

const MINUTE: u64 = 60_000;

/// Retention of a minute, looked after every second.
fn harness() -> Harness {
    Harness::with_config(|config| {
        config.offsets_retention_ms = MINUTE.cast_signed();
        config.offsets_check_interval_ms = 1_000;
    })
}

/// Keeps `member` alive for `ms`.
fn live(h: &mut Harness, member: &str, generation: i32, ms: u64) {
    for _ in 0..ms / 5_000 {
        h.pass_ms(5_000);
        assert_eq!(h.code(heartbeat("g", generation, member)), 0);
    }
}

#[test]
fn offsets_of_a_quiet_live_group_stay() {
    let mut h = harness();
    let member = h.group_of_one("g");
    assert_eq!(h.code(commit("g", 1, &member, "t", 0, 5)), 0);
    live(&mut h, &member, 1, 10 * MINUTE);
    assert_eq!(h.committed("g", "t", 0), 5);
}

#[test]
fn offsets_of_a_topic_no_longer_consumed_go() {
    let mut h = harness();
    let member = h.new_member_id("g");
    let join_with = |member: &str, topics: &[&str]| {
        let mut body = join_body("g", member);
        body.protocols[0].metadata = subscription(topics);
        Request::JoinGroup(call(9, body))
    };
    let token = h.send(join_with(&member, &["t", "u"]));
    h.pass_ms(3_000);
    assert_eq!(h.join_reply(token).error_code, 0);
    assert_eq!(h.code(sync("g", 1, &member, &[(&member, "all")])), 0);
    assert_eq!(h.code(commit("g", 1, &member, "t", 0, 5)), 0);
    assert_eq!(h.code(commit("g", 1, &member, "u", 0, 6)), 0);
    live(&mut h, &member, 1, 2 * MINUTE);
    assert_eq!(h.committed("g", "u", 0), 6, "still consumed");
    let token = h.send(join_with(&member, &["t"]));
    assert_eq!(h.join_reply(token).generation_id, 2);
    assert_eq!(h.code(sync("g", 2, &member, &[(&member, "all")])), 0);
    live(&mut h, &member, 2, 5_000);
    assert_eq!(h.committed("g", "u", 0), -1, "its commit is older than a minute");
    assert_eq!(h.committed("g", "t", 0), 5);
}

#[test]
fn an_empty_group_keeps_its_offsets_a_minute_from_then_on() {
    let mut h = harness();
    let member = h.group_of_one("g");
    assert_eq!(h.code(commit("g", 1, &member, "t", 0, 5)), 0);
    live(&mut h, &member, 1, 5 * MINUTE);
    assert_eq!(h.code(leave("g", &[(&member, None)])), 0);
    h.pass_ms(MINUTE - 1_000);
    assert_eq!(h.committed("g", "t", 0), 5, "not a minute from the commit");
    h.pass_ms(2_000);
    assert_eq!(h.committed("g", "t", 0), -1);
    assert_eq!(h.state_of("g"), "Dead", "and the group goes with them");
    assert!(h.state().groups.is_empty());
}

#[test]
fn a_simple_consumer_keeps_each_offset_a_minute_from_its_commit() {
    let mut h = harness();
    assert_eq!(h.code(commit("s", -1, "", "t", 0, 5)), 0);
    h.pass_ms(MINUTE / 2);
    assert_eq!(h.code(commit("s", -1, "", "t", 1, 6)), 0);
    h.pass_ms(MINUTE / 2 + 1_000);
    assert_eq!((h.committed("s", "t", 0), h.committed("s", "t", 1)), (-1, 6));
    h.pass_ms(MINUTE / 2);
    assert_eq!(h.committed("s", "t", 1), -1);
    assert_eq!(h.state_of("s"), "Dead");
}

#[test]
fn a_retention_of_its_own_is_honoured() {
    let mut h = harness();
    for (version, partition) in [(2, 0), (4, 1), (5, 2)] {
        let mut body = commit_body("s", -1, "", "t", partition, 5);
        // Not part of v5, but a decoder may leave it at its default only.
        body.retention_time_ms = if version < 5 { 3 * MINUTE.cast_signed() } else { -1 };
        assert_eq!(h.code(Request::OffsetCommit(call(version, body))), 0);
    }
    h.pass_ms(2 * MINUTE);
    let kept: Vec<i64> = (0..3).map(|partition| h.committed("s", "t", partition)).collect();
    assert_eq!(kept, [5, 5, -1]);
    h.lead();
    h.pass_ms(MINUTE + 1_000);
    assert_eq!(h.state_of("s"), "Dead", "the record knows when it expires");
}

#[test]
fn an_empty_group_without_offsets_goes_at_the_next_sweep() {
    let mut h = harness();
    let member = h.group_of_one("g");
    assert_eq!(h.code(leave("g", &[(&member, None)])), 0);
    assert_eq!(h.state_of("g"), "Empty");
    h.pass_ms(1_000);
    assert_eq!(h.state_of("g"), "Dead");
    assert!(matches!(h.log.last(), Some(Record::Group { value: None, .. })));
}

#[test]
fn a_group_whose_first_member_is_on_its_way_is_not_swept() {
    let mut h = harness();
    let id = h.new_member_id("g");
    h.pass_ms(5_000);
    let token = h.send(join("g", &id));
    h.pass_ms(3_000);
    assert_eq!(h.join_reply(token).error_code, 0);
}

#[test]
fn a_large_sweep_goes_in_steps_and_ends() {
    let mut h = harness();
    for group in 0..300 {
        for partition in 0..4 {
            let name = format!("s{group}");
            assert_eq!(h.code(commit(&name, -1, "", "t", partition, 1)), 0);
        }
    }
    let before = h.log.len();
    h.pass_ms(MINUTE + 1_000);
    assert_eq!(h.log.len() - before, 300 * 5, "each offset and each group once");
    assert!(h.state().offsets.is_empty());
}

#[test]
fn a_deleted_group_takes_its_offsets_along() {
    let mut h = harness();
    let member = h.group_of_one("g");
    assert_eq!(h.code(commit("g", 1, &member, "t", 0, 5)), 0);
    assert_eq!(h.code(commit("g", 1, &member, "t", 1, 6)), 0);
    assert_eq!(h.code(leave("g", &[(&member, None)])), 0);
    assert_eq!(h.code(delete_group("g")), 0);
    assert_eq!(h.code(delete_group("g")), 69);
    assert_eq!(h.committed("g", "t", 0), -1);
    let offsets = h.log.iter().rev().take(3).map(|record| match record {
        Record::Group { value: None, .. } => "group",
        Record::Offset { value: None, .. } => "offset",
        other => panic!("{other:?}"),
    });
    assert_eq!(offsets.collect::<Vec<_>>(), ["group", "offset", "offset"], "the group last");
}

#[test]
fn the_wall_clock_may_step_back() {
    let mut h = harness();
    assert_eq!(h.code(commit("s", -1, "", "t", 0, 5)), 0);
    h.step_wall_ms(-3_600_000);
    h.pass_ms(2 * MINUTE);
    assert_eq!(h.committed("s", "t", 0), 5);
    h.step_wall_ms(3_600_000);
    h.pass_ms(2_000);
    assert_eq!(h.committed("s", "t", 0), -1);
}
