//! Members that never come back: the group goes on without them.
//!
//! What takes minutes (clients that are gone while their first join waits) is tested with a clock
//! of its own where groups are decided.

use std::thread;
use std::time::{Duration, Instant};

use highwater_testkit::groups::{join, member_of};
use highwater_testkit::{BrokerOptions, BrokerProcess, Member, Wire, unique};
use highwater_wire::ErrorCode;
use highwater_wire::messages::JoinGroupRequest;

use crate::shared;

const SESSION_MS: i32 = 600;
const AT_ONCE: Duration = Duration::from_secs(3);

fn with_short_sessions() -> BrokerProcess {
    BrokerOptions::default().set("group.min.session.timeout.ms", "100").start()
}

fn short(request: JoinGroupRequest) -> JoinGroupRequest {
    JoinGroupRequest { session_timeout_ms: SESSION_MS, rebalance_timeout_ms: 60_000, ..request }
}

/// Asks for a member id and never joins with it.
fn take_id(wire: &mut Wire, group: &str) -> JoinGroupRequest {
    let request = short(join(group, "", None));
    let answer = wire.call(9, &request);
    assert_eq!(ErrorCode(answer.error_code), ErrorCode::MEMBER_ID_REQUIRED);
    JoinGroupRequest { member_id: answer.member_id, ..request }
}

#[track_caller]
fn check_serves_a_newcomer(broker: &BrokerProcess, group: &str) {
    let begun = Instant::now();
    let mut wire = broker.connect();
    let member = wire.join_as(group, None);
    let answer = wire.sync(&member, &[(&member.id, "all")]);
    assert_eq!((answer.error_code, &answer.assignment[..]), (0, &b"all"[..]));
    assert!(begun.elapsed() < AT_ONCE, "it took {:?}", begun.elapsed());
}

#[test]
fn a_member_id_that_is_never_used_is_forgotten() {
    let broker = with_short_sessions();
    let mut wire = broker.connect();
    let group = unique("unused");
    wire.wait_for_coordinator(&group);
    let request = take_id(&mut wire, &group);
    thread::sleep(Duration::from_millis(2 * SESSION_MS as u64));
    let code = ErrorCode(wire.call(9, &request).error_code);
    assert_eq!(code, ErrorCode::UNKNOWN_MEMBER_ID);
    check_serves_a_newcomer(&broker, &group);
}

#[test]
fn the_last_member_expires_while_a_member_id_is_unused() {
    let broker = with_short_sessions();
    let mut wire = broker.connect();
    let group = unique("expires");
    wire.wait_for_coordinator(&group);
    let answer = wire.join(&short(join(&group, "", None)));
    let member = member_of(&group, None, &answer);
    assert_eq!(wire.sync(&member, &[(&member.id, "all")]).error_code, 0);
    take_id(&mut wire, &group);
    let deadline = Instant::now() + Duration::from_millis(5 * SESSION_MS as u64);
    while wire.describe_group(&group).group_state != *"Empty" {
        assert!(Instant::now() < deadline, "{:?}", wire.describe_group(&group));
        thread::sleep(Duration::from_millis(20));
    }
    check_serves_a_newcomer(&broker, &group);
}

/// Three members; the last one that a rebalance waits for leaves instead of joining.
#[test]
fn the_last_one_awaited_leaves() {
    let broker = shared::broker();
    let group = unique("leaves");
    let (mut a, mut b, mut c) = (broker.connect(), broker.connect(), broker.connect());
    let leader = a.join_alone(&group, None);
    let (leader, follower) = add_member(&mut a, &leader, &mut b);

    let newcomer = ask_for_id(&mut c, &group);
    let joining = c.send(9, &newcomer);
    wait_for_rebalance(&mut a, &leader);
    let waiting = a.send(9, &join(&group, &leader.id, None));
    thread::sleep(Duration::from_millis(100));
    let begun = Instant::now();
    assert_eq!(b.call(5, &follower.leave()).members[0].error_code, 0);
    let (first, second) = (a.receive(waiting), c.receive(joining));
    assert!(begun.elapsed() < AT_ONCE, "it took {:?}", begun.elapsed());
    assert_eq!((first.error_code, second.error_code), (0, 0));
    assert_eq!(first.members.len() + second.members.len(), 2);
}

fn ask_for_id(wire: &mut Wire, group: &str) -> JoinGroupRequest {
    let request = join(group, "", None);
    JoinGroupRequest { member_id: wire.call(9, &request).member_id, ..request }
}

fn wait_for_rebalance(wire: &mut Wire, member: &Member) {
    while wire.heartbeat(member) != ErrorCode::REBALANCE_IN_PROGRESS {
        thread::sleep(Duration::from_millis(5));
    }
}

/// Brings a second member into a group of one; gives both as they are in the next generation.
fn add_member(first: &mut Wire, member: &Member, second: &mut Wire) -> (Member, Member) {
    let group = member.group.clone();
    let newcomer = ask_for_id(second, &group);
    let joining = second.send(9, &newcomer);
    wait_for_rebalance(first, member);
    let answer = first.call(9, &join(&group, &member.id, None));
    let leader = member_of(&group, None, &answer);
    let follower = member_of(&group, None, &second.receive(joining));
    assert_eq!(first.sync(&leader, &[(&follower.id, "b")]).error_code, 0);
    assert_eq!(&second.sync(&follower, &[]).assignment[..], b"b");
    (leader, follower)
}
