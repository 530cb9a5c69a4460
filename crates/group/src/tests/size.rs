//! The first rebalance's delay, and the limit on a group's size.

use highwater_wire::Str;

use super::client::{call, commit, commit_body, heartbeat, join, join_as, join_body, sync};
use super::harness::{Harness, origin};
use crate::limits::PENDING_JOINS_MAX;
use crate::{Call, MemberOrigin, Request};

#[test]
fn newcomers_extend_the_first_wait_within_the_rebalance_timeout() {
    let mut h = Harness::new();
    let ids: Vec<String> = (0..4).map(|_| h.new_member_id("g")).collect();
    let first = h.send(join("g", &ids[0]));
    for id in &ids[1..] {
        h.pass_ms(2_900);
        h.send(join("g", id));
    }
    assert!(!h.replies.contains_key(&first));
    // 10 s: what the members allow for a rebalance.
    h.pass_ms(10_000 - 3 * 2_900);
    let answer = h.join_reply(first);
    assert_eq!((answer.generation_id, answer.members.len()), (1, 4));
}

#[test]
fn without_newcomers_the_first_wait_is_the_delay() {
    let mut h = Harness::with_config(|config| config.initial_rebalance_delay_ms = 500);
    let id = h.new_member_id("g");
    let token = h.send(join("g", &id));
    h.pass_ms(499);
    assert!(!h.replies.contains_key(&token));
    h.pass_ms(1);
    assert_eq!(h.join_reply(token).generation_id, 1);
}

#[test]
fn a_full_group_takes_nobody() {
    let mut h = Harness::with_config(|config| config.members_max = 2);
    h.group_of_static("g", &["a", "b"]);
    assert_eq!(h.code(join_as("g", "", "c")), 81);
    assert_eq!(h.code(join("g", "")), 81);
    // One that comes back is not one more.
    assert_eq!(h.code(join_as("g", "", "a")), 0);
}

#[test]
fn a_lowered_limit_leaves_out_the_last_to_join() {
    let mut h = Harness::new();
    let ids = h.group_of_static("g", &["a", "b", "c"]);
    h.view.config.members_max = 2;
    h.lead();
    assert_eq!(h.state_of("g"), "PreparingRebalance");
    assert_eq!(h.code(heartbeat("g", 1, &ids[0])), 27);
    let a = h.send(join_as("g", &ids[0], "a"));
    let b = h.send(join_as("g", &ids[1], "b"));
    let c = h.send(join_as("g", &ids[2], "c"));
    assert_eq!(h.join_reply(c).error_code, 81);
    h.pass_ms(10_000);
    assert_eq!(h.join_reply(a).generation_id, 2);
    assert_eq!(h.join_reply(b).generation_id, 2);
}

#[test]
fn an_assignment_too_large_to_be_written_is_refused() {
    let mut h = Harness::with_config(|config| config.batch_bytes_max = 1_000);
    let a = h.new_member_id("g");
    let token = h.send(join("g", &a));
    h.pass_ms(3_000);
    assert_eq!(h.join_reply(token).generation_id, 1);
    let before = h.log.len();
    let large = "x".repeat(2_000);
    assert_eq!(h.code(sync("g", 1, &a, &[(&a, &large)])), -1);
    assert_eq!(h.log.len(), before);
    assert_eq!(h.state_of("g"), "PreparingRebalance");
    let token = h.send(join("g", &a));
    assert_eq!(h.join_reply(token).generation_id, 2);
    assert_eq!(h.code(sync("g", 2, &a, &[(&a, "x")])), 0);
}

#[test]
fn a_commit_too_large_to_be_written_is_refused() {
    let mut h = Harness::with_config(|config| config.batch_bytes_max = 1_000);
    let mut body = commit_body("s", -1, "", "t", 0, 1);
    let partition = body.topics[0].partitions[0].clone();
    body.topics[0].partitions = vec![partition; 20];
    assert_eq!(h.code(Request::OffsetCommit(call(9, body))), 28);
    assert_eq!(h.committed("s", "t", 0), -1);
}

#[test]
fn text_that_no_record_can_hold_is_refused() {
    let mut h = Harness::new();
    let long = Str::from("x".repeat(40_000));
    assert_eq!(h.code(join(&long, "")), 24);
    assert_eq!(h.code(commit(&long, -1, "", "t", 0, 1)), 24);
    let mut body = join_body("g", "");
    body.protocols[0].name = long.clone();
    assert_eq!(h.code(Request::JoinGroup(call(9, body))), 42);
    // The longest client id there can be still makes a member id.
    let origin = MemberOrigin { client_id: "x".repeat(32_767).into(), ..origin("") };
    let joins = Request::JoinGroup(Call { origin, ..call(9, join_body("g", "")) });
    let token = h.send(joins);
    let answer = h.join_reply(token);
    assert_eq!((answer.error_code, answer.member_id.len()), (79, 32_767));
}

#[test]
fn ids_handed_out_are_bounded() {
    let mut h = Harness::new();
    for _ in 0..PENDING_JOINS_MAX {
        h.send(join("g", ""));
    }
    h.replies.clear();
    assert_eq!(h.code(join("g", "")), 81);
    h.pass_ms(10_000);
    assert_eq!(h.code(join("g", "")), 79, "they were forgotten");
}
