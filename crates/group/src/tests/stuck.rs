//! Groups that must not hang: ids handed out and never used, joins whose client is gone, members
//! that go while others wait (KAFKA-9752 and its like elsewhere).

use super::client::{call, heartbeat, join, join_body, leave, sync};
use super::harness::Harness;
use crate::Request;

/// A new consumer comes and gets its assignment, whatever happened before.
fn check_serves_a_newcomer(h: &mut Harness, group: &str) {
    let member = h.new_member_id(group);
    let token = h.send(join(group, &member));
    h.pass_ms(3_000);
    let answer = h.join_reply(token);
    assert_eq!((answer.error_code, answer.members.len()), (0, 1));
    let assigned = [(member.as_str(), "all")];
    assert_eq!(h.code(sync(group, answer.generation_id, &member, &assigned)), 0);
}

#[test]
fn an_id_that_is_never_used_is_forgotten_after_its_session() {
    let mut h = Harness::new();
    let id = h.new_member_id("g");
    h.pass_ms(9_999);
    assert!(h.coordinator().live_group("g").is_some());
    h.pass_ms(1);
    assert!(h.coordinator().live_group("g").is_none());
    assert_eq!(h.state_of("g"), "Empty");
    assert_eq!(h.code(join("g", &id)), 25);
    check_serves_a_newcomer(&mut h, "g");
}

#[test]
fn an_unused_id_does_not_hold_up_a_rebalance_for_ever() {
    let mut h = Harness::new();
    let member = h.group_of_one("g");
    h.new_member_id("g");
    let token = h.send(join("g", &member));
    assert!(h.take(token).is_none(), "the newcomer may still come");
    h.pass_ms(10_000);
    assert_eq!(h.join_reply(token).generation_id, 2);
}

#[test]
fn the_last_member_expires_while_an_id_is_unused() {
    let mut h = Harness::new();
    let member = h.group_of_one("g");
    h.pass_ms(9_000);
    let id = h.new_member_id("g");
    h.pass_ms(1_000);
    assert_eq!(h.state_of("g"), "Empty", "the member's session is over");
    assert_eq!(h.code(heartbeat("g", 1, &member)), 25);
    // The id may still be used.
    let token = h.send(join("g", &id));
    h.pass_ms(3_000);
    assert_eq!(h.join_reply(token).error_code, 0);
}

#[test]
fn joins_of_clients_that_are_gone_leave_after_five_minutes() {
    let mut h = Harness::new();
    let member = h.group_of_one("g");
    // Five times a client joins, waits, is cut off and joins anew; v3 gives no id to come back
    // with. The member that is settled keeps its session, but takes its time to join again.
    let slow = |body: &mut highwater_wire::messages::JoinGroupRequest| {
        body.rebalance_timeout_ms = 600_000;
    };
    let tokens: Vec<_> = (0..5)
        .map(|_| {
            let mut body = join_body("g", "");
            slow(&mut body);
            h.send(Request::JoinGroup(call(3, body)))
        })
        .collect();
    for _ in 0..59 {
        h.pass_ms(5_000);
        assert_eq!(h.code(heartbeat("g", 1, &member)), 27);
    }
    assert!(tokens.iter().all(|token| !h.replies.contains_key(token)));
    h.pass_ms(5_000);
    for token in tokens {
        assert_eq!(h.join_reply(token).error_code, 25, "no ghost stays");
    }
    let token = h.send(join("g", &member));
    let answer = h.join_reply(token);
    assert_eq!((answer.error_code, answer.members.len()), (0, 1));
}

#[test]
fn the_last_one_awaited_leaves() {
    let mut h = Harness::new();
    let a = h.group_of_one("g");
    let b = h.new_member_id("g");
    let b_joins = h.send(join("g", &b));
    assert!(h.take(b_joins).is_none(), "a has not joined again yet");
    assert_eq!(h.code(leave("g", &[(&a, None)])), 0);
    let answer = h.join_reply(b_joins);
    assert_eq!((answer.error_code, answer.generation_id), (0, 2));
    assert_eq!(answer.leader, answer.member_id);
    let assigned = [(b.as_str(), "all")];
    assert_eq!(h.code(sync("g", 2, &b, &assigned)), 0);
}

#[test]
fn who_leaves_while_it_waits_is_answered() {
    let mut h = Harness::new();
    let a = h.group_of_one("g");
    let b = h.new_member_id("g");
    let b_joins = h.send(join("g", &b));
    assert_eq!(h.code(leave("g", &[(&b, None)])), 0);
    assert_eq!(h.join_reply(b_joins).error_code, 25);
    let token = h.send(join("g", &a));
    assert_eq!(h.join_reply(token).generation_id, 2);
}

#[test]
fn a_follower_that_never_syncs_is_removed() {
    let mut h = Harness::new();
    let a = h.group_of_one("g");
    let b = h.new_member_id("g");
    let b_joins = h.send(join("g", &b));
    let a_joins = h.send(join("g", &a));
    assert_eq!(h.join_reply(b_joins).generation_id, 2);
    assert_eq!(h.join_reply(a_joins).generation_id, 2);
    assert_eq!(h.code(sync("g", 2, &a, &[(&a, "x"), (&b, "y")])), 0);
    for _ in 0..2 {
        h.pass_ms(5_000);
        h.ask(heartbeat("g", 2, &a));
        h.ask(heartbeat("g", 2, &b));
    }
    assert_eq!(h.code(heartbeat("g", 2, &b)), 25, "heartbeats are not enough");
    assert_eq!(h.code(heartbeat("g", 2, &a)), 27);
}

#[test]
fn a_leader_that_never_syncs_is_removed() {
    let mut h = Harness::new();
    let a = h.group_of_one("g");
    let b = h.new_member_id("g");
    let b_joins = h.send(join("g", &b));
    let a_joins = h.send(join("g", &a));
    assert_eq!(h.join_reply(a_joins).generation_id, 2);
    assert_eq!(h.join_reply(b_joins).generation_id, 2);
    let b_syncs = h.send(sync("g", 2, &b, &[]));
    h.pass_ms(10_000);
    assert_eq!(h.sync_reply(b_syncs).error_code, 27);
    let token = h.send(join("g", &b));
    let answer = h.join_reply(token);
    assert_eq!((answer.generation_id, answer.members.len()), (3, 1));
}

#[test]
fn a_join_sent_again_is_answered_once_each() {
    let mut h = Harness::new();
    let a = h.group_of_one("g");
    h.new_member_id("g");
    let first = h.send(join("g", &a));
    let second = h.send(join("g", &a));
    assert_eq!(h.join_reply(first).error_code, 27, "the later one is listened to");
    h.pass_ms(10_000);
    assert_eq!(h.join_reply(second).generation_id, 2);
}

#[test]
fn a_member_that_does_not_come_back_in_time_is_left_behind() {
    let mut h = Harness::new();
    let a = h.group_of_one("g");
    let b = h.new_member_id("g");
    let b_joins = h.send(join("g", &b));
    for _ in 0..2 {
        assert_eq!(h.code(heartbeat("g", 1, &a)), 27);
        h.pass_ms(5_000);
    }
    let answer = h.join_reply(b_joins);
    assert_eq!((answer.generation_id, answer.members.len()), (2, 1));
    assert_eq!(h.code(heartbeat("g", 1, &a)), 25);
}
