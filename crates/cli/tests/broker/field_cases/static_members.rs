//! A static member that restarts in the middle of a rebalance: nobody owns a partition twice, and
//! nobody waits for a member that is gone.

use std::thread;
use std::time::{Duration, Instant};

use highwater_testkit::groups::{join, member_of};
use highwater_testkit::{Member, Wire, unique};
use highwater_wire::ErrorCode;
use highwater_wire::messages::{JoinGroupRequest, JoinGroupResponse};

use crate::shared;

const LEADER: Option<&str> = Some("i-a");
const OTHER: Option<&str> = Some("i-b");
const NOTICED_WITHIN: Duration = Duration::from_secs(5);

/// Heartbeats until it is told of the rebalance, and joins again.
fn rejoin(wire: &mut Wire, member: &Member) -> JoinGroupResponse {
    let deadline = Instant::now() + NOTICED_WITHIN;
    while wire.heartbeat(member) != ErrorCode::REBALANCE_IN_PROGRESS {
        assert!(Instant::now() < deadline, "no rebalance begins");
        thread::sleep(Duration::from_millis(5));
    }
    let instance = member.instance.as_deref();
    wire.call(9, &join(&member.group, &member.id, instance))
}

/// The leader gives everybody a share, everybody fetches it.
fn share_out(leader: (&mut Wire, &Member), other: (&mut Wire, &Member)) {
    let shares: [(&str, &'static str); 2] = [(&leader.1.id, "mine"), (&other.1.id, "theirs")];
    let answer = leader.0.sync(leader.1, &shares);
    assert_eq!((answer.error_code, &answer.assignment[..]), (0, &b"mine"[..]));
    let answer = other.0.sync(other.1, &[]);
    assert_eq!((answer.error_code, &answer.assignment[..]), (0, &b"theirs"[..]));
}

#[test]
fn a_member_restarts_before_the_leader_syncs() {
    let broker = shared::broker();
    let group = unique("static");
    let (mut a, mut b, mut restarted) = (broker.connect(), broker.connect(), broker.connect());
    let leader = a.join_alone(&group, LEADER);
    let request = join(&group, "", OTHER);

    let sent = b.send(9, &request);
    let leader = member_of(&group, LEADER, &rejoin(&mut a, &leader));
    let replaced = member_of(&group, OTHER, &b.receive(sent));
    assert_eq!((leader.generation, replaced.generation), (2, 2));
    let waiting = b.send(5, &replaced.sync(&[]));

    let sent = restarted.send(9, &request);
    assert_eq!(ErrorCode(b.receive(waiting).error_code), ErrorCode::FENCED_INSTANCE_ID);
    let code = ErrorCode(a.sync(&leader, &[]).error_code);
    assert_eq!(code, ErrorCode::REBALANCE_IN_PROGRESS);
    let answer = rejoin(&mut a, &leader);
    assert_eq!(answer.members.len(), 2);
    let leader = member_of(&group, LEADER, &answer);
    let member = member_of(&group, OTHER, &restarted.receive(sent));
    assert_eq!((leader.generation, member.generation), (3, 3));
    assert_ne!(member.id, replaced.id);
    share_out((&mut a, &leader), (&mut restarted, &member));
    assert_eq!(b.heartbeat(&replaced), ErrorCode::FENCED_INSTANCE_ID);
}

/// The leader that restarts before it syncs: nobody waits for the assignment of the one before.
#[test]
fn the_leader_restarts_before_it_syncs() {
    let broker = shared::broker();
    let group = unique("static");
    let (mut a, mut b, mut restarted) = (broker.connect(), broker.connect(), broker.connect());
    let first = a.join_alone(&group, LEADER);
    let sent = b.send(9, &join(&group, "", OTHER));
    let first = member_of(&group, LEADER, &rejoin(&mut a, &first));
    let other = member_of(&group, OTHER, &b.receive(sent));
    let waiting = b.send(5, &other.sync(&[]));

    let sent = restarted.send(9, &join(&group, "", LEADER));
    let code = ErrorCode(b.receive(waiting).error_code);
    assert_eq!(code, ErrorCode::REBALANCE_IN_PROGRESS);
    let answer = rejoin(&mut b, &other);
    let other = member_of(&group, OTHER, &answer);
    let leader = restarted.receive(sent);
    let leads = leader.leader == leader.member_id;
    assert_eq!(if leads { &leader } else { &answer }.members.len(), 2);
    let leader = member_of(&group, LEADER, &leader);
    assert_eq!((leader.generation, other.generation), (3, 3));
    if leads {
        share_out((&mut restarted, &leader), (&mut b, &other));
    } else {
        share_out((&mut b, &other), (&mut restarted, &leader));
    }
    assert_eq!(ErrorCode(a.sync(&first, &[]).error_code), ErrorCode::FENCED_INSTANCE_ID);
}

#[test]
fn a_member_restarts_while_all_join() {
    let broker = shared::broker();
    let group = unique("static");
    let (mut a, mut b, mut restarted) = (broker.connect(), broker.connect(), broker.connect());
    let leader = a.join_alone(&group, LEADER);
    let request = join(&group, "", OTHER);
    let first = b.send(9, &request);
    // Only to be sure that the first one arrived first.
    assert_eq!(heartbeat_until_rebalance(&mut a, &leader), ErrorCode::REBALANCE_IN_PROGRESS);
    let second = restarted.send(9, &request);
    assert_eq!(ErrorCode(b.receive(first).error_code), ErrorCode::FENCED_INSTANCE_ID);
    let leader = member_of(&group, LEADER, &rejoin(&mut a, &leader));
    let member = member_of(&group, OTHER, &restarted.receive(second));
    assert_eq!((leader.generation, member.generation), (2, 2));
    share_out((&mut a, &leader), (&mut restarted, &member));
}

fn heartbeat_until_rebalance(wire: &mut Wire, member: &Member) -> ErrorCode {
    let deadline = Instant::now() + NOTICED_WITHIN;
    loop {
        let code = wire.heartbeat(member);
        if code != ErrorCode::NONE || Instant::now() > deadline {
            return code;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// In a stable group nobody else notices: not even when the leader restarts, which then is told
/// that it need not assign.
#[test]
fn the_leader_restarts_in_a_stable_group() {
    let broker = shared::broker();
    let group = unique("static");
    let (mut a, mut b, mut restarted) = (broker.connect(), broker.connect(), broker.connect());
    let leader = a.join_alone(&group, LEADER);
    let sent = b.send(9, &join(&group, "", OTHER));
    let leader = member_of(&group, LEADER, &rejoin(&mut a, &leader));
    let other = member_of(&group, OTHER, &b.receive(sent));
    share_out((&mut a, &leader), (&mut b, &other));

    let request = JoinGroupRequest { reason: Some("restarted".into()), ..join(&group, "", LEADER) };
    let answer = restarted.call(9, &request);
    assert_eq!((answer.error_code, answer.generation_id), (0, leader.generation));
    assert_eq!((answer.skip_assignment, &answer.leader), (true, &answer.member_id));
    let member = member_of(&group, LEADER, &answer);
    assert_ne!(member.id, leader.id);
    let answer = restarted.sync(&member, &[]);
    assert_eq!((answer.error_code, &answer.assignment[..]), (0, &b"mine"[..]));
    assert_eq!(b.heartbeat(&other), ErrorCode::NONE);
    assert_eq!(a.heartbeat(&leader), ErrorCode::FENCED_INSTANCE_ID);
}
