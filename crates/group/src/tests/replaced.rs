//! Static members that come back while a rebalance runs: no member without its assignment, no
//! instance twice, and one owner per partition in the end (KAFKA-9801, KAFKA-8500).

use highwater_shard::Token;

use super::client::{call, code_of, join_as, protocols, sync};
use super::harness::Harness;
use crate::{Reply, Request};

/// `a` leads and `b` follows; both have joined, nobody has synced.
fn two_joined(h: &mut Harness) -> (String, String) {
    let a = h.send(join_as("g", "", "a"));
    let b = h.send(join_as("g", "", "b"));
    // The second one extended the first wait.
    h.pass_ms(6_000);
    let (a, b) = (h.join_reply(a), h.join_reply(b));
    assert_eq!((a.generation_id, b.generation_id), (1, 1));
    assert_eq!(a.leader, b.leader);
    assert_eq!(a.leader, a.member_id, "the first to join leads");
    (a.member_id.to_string(), b.member_id.to_string())
}

fn code(h: &mut Harness, token: Token) -> i16 {
    code_of(&h.take(token).expect("answered"))
}

/// All members join and sync once more; whoever leads gives each its own name. Checks that every
/// instance owns what was meant for it.
fn settle(h: &mut Harness, a: &str, b: &str) {
    let a_joins = h.send(join_as("g", a, "a"));
    let b_joins = h.send(join_as("g", b, "b"));
    let (a_in, b_in) = (h.join_reply(a_joins), h.join_reply(b_joins));
    assert_eq!((a_in.error_code, b_in.error_code), (0, 0));
    assert_eq!(a_in.generation_id, b_in.generation_id);
    let members = if a_in.members.is_empty() { &b_in.members } else { &a_in.members };
    assert_eq!(members.len(), 2, "one member for each instance");
    let assigned = [(a, "a's"), (b, "b's")];
    let generation = a_in.generation_id;
    let waits = h.send(sync("g", generation, if *a_in.leader == *a { b } else { a }, &[]));
    assert_eq!(h.code(sync("g", generation, &a_in.leader, &assigned)), 0);
    assert_eq!(code(h, waits), 0);
    for (member, assignment) in assigned {
        match h.ask(sync("g", generation, member, &[])) {
            Reply::SyncGroup(response) => assert_eq!(response.assignment, assignment.as_bytes()),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_follower_comes_back_before_the_leaders_sync() {
    let mut h = Harness::new();
    let (a, b) = two_joined(&mut h);
    let old_sync = h.send(sync("g", 1, &b, &[]));
    let again = h.send(join_as("g", "", "b"));
    assert_eq!(code(&mut h, old_sync), 82, "the replaced one is fenced");
    assert_eq!(h.state_of("g"), "PreparingRebalance");
    assert_eq!(h.code(sync("g", 1, &a, &[(&a, "x"), (&b, "y")])), 27);
    let rejoined = h.send(join_as("g", &a, "a"));
    let new_b = h.join_reply(again).member_id.to_string();
    assert_eq!(h.join_reply(rejoined).generation_id, 2);
    settle(&mut h, &a, &new_b);
}

#[test]
fn a_follower_comes_back_twice_while_all_join_again() {
    let mut h = Harness::new();
    let (a, b) = two_joined(&mut h);
    let first = h.send(join_as("g", "", "b"));
    let second = h.send(join_as("g", "", "b"));
    assert_eq!(code(&mut h, first), 82, "only the later one is the instance");
    assert_eq!(h.code(join_as("g", &b, "b")), 82);
    let rejoined = h.send(join_as("g", &a, "a"));
    let new_b = h.join_reply(second).member_id.to_string();
    assert_eq!(h.join_reply(rejoined).error_code, 0);
    settle(&mut h, &a, &new_b);
}

#[test]
fn the_leader_comes_back_before_its_sync() {
    let mut h = Harness::new();
    let (a, b) = two_joined(&mut h);
    let b_waits = h.send(sync("g", 1, &b, &[]));
    let again = h.send(join_as("g", "", "a"));
    assert_eq!(code(&mut h, b_waits), 27);
    assert_eq!(h.code(sync("g", 1, &a, &[(&a, "x"), (&b, "y")])), 25, "its old self is unknown");
    let b_joins = h.send(join_as("g", &b, "b"));
    let new_a = h.join_reply(again);
    assert_eq!(new_a.leader, new_a.member_id, "still the leader");
    assert_eq!(h.join_reply(b_joins).leader, new_a.member_id);
    settle(&mut h, &new_a.member_id, &b);
}

#[test]
fn in_a_stable_group_nobody_else_notices() {
    let mut h = Harness::new();
    let ids = h.group_of_static("g", &["a", "b"]);
    let again = h.send(join_as("g", "", "b"));
    let answer = h.join_reply(again);
    assert_eq!((answer.error_code, answer.generation_id), (0, 1));
    assert_eq!(*answer.leader, *ids[0]);
    match h.ask(sync("g", 1, &answer.member_id, &[])) {
        Reply::SyncGroup(response) => assert_eq!(response.assignment, &b"b"[..]),
        other => panic!("{other:?}"),
    }
    h.lead();
    assert_eq!(h.state_of("g"), "Stable");
    match h.ask(sync("g", 1, &answer.member_id, &[])) {
        Reply::SyncGroup(response) => assert_eq!(response.assignment, &b"b"[..], "after a reload"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_leader_that_comes_back_to_a_stable_group_does_not_assign() {
    let mut h = Harness::new();
    let ids = h.group_of_static("g", &["a", "b"]);
    let token = h.send(join_as("g", "", "a"));
    let answer = h.join_reply(token);
    assert_eq!(answer.leader, answer.member_id);
    assert!(answer.skip_assignment, "v9 can say so");
    assert_eq!(answer.members.len(), 2);
    let mut old = super::client::join_body("g", "");
    old.group_instance_id = Some("a".into());
    let token = h.send(Request::JoinGroup(call(8, old)));
    let old_answer = h.join_reply(token);
    assert_eq!(old_answer.leader, answer.member_id, "v8: it must not take itself for the leader");
    assert_ne!(old_answer.leader, old_answer.member_id);
    assert!(old_answer.members.is_empty());
    assert_eq!(ids.len(), 2);
}

#[test]
fn one_that_comes_back_with_another_protocol_makes_all_join_again() {
    let mut h = Harness::new();
    h.group_of_static("g", &["a"]);
    let mut body = super::client::join_body("g", "");
    body.group_instance_id = Some("a".into());
    body.protocols = protocols(&["sticky", "range"]);
    let token = h.send(Request::JoinGroup(call(9, body)));
    let answer = h.join_reply(token);
    assert_eq!(answer.generation_id, 2);
    assert_eq!(answer.protocol_name.as_deref(), Some("sticky"));
}
