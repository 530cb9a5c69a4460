//! Two members of a classic group: join, sync, commit, describe, leave.

use highwater_testkit::groups::{join, member_of};
use highwater_testkit::{Member, Wire, unique};
use highwater_wire::messages::describe_groups_response::{DescribedGroup, DescribedGroupMember};
use highwater_wire::messages::join_group_response::JoinGroupResponseMember;
use highwater_wire::messages::{JoinGroupRequest, JoinGroupResponse, SyncGroupResponse};
use highwater_wire::{ErrorCode, Str};

use crate::shared;

/// What is told of operations when nobody asked.
const NOT_ASKED: i32 = i32::MIN;

/// A connection of a client whose name begins the member ids that it gets.
struct Client {
    wire: Wire,
    name: &'static str,
    member: Option<Member>,
}

impl Client {
    fn new(broker: &shared::Shared, name: &'static str) -> Client {
        let wire = broker.connect().with_client_id(Some(name));
        Client { wire, name, member: None }
    }

    fn member(&self) -> &Member {
        self.member.as_ref().expect("has joined")
    }

    fn id(&self) -> &Str {
        &self.member().id
    }

    /// Asks for a member id, and returns a request to join with it.
    fn ask_for_id(&mut self, group: &str) -> JoinGroupRequest {
        let request = join(group, "", None);
        let answer = self.wire.call(9, &request);
        let name = format!("{}-", self.name);
        assert!(answer.member_id.starts_with(&name), "{:?}", answer.member_id);
        let expected = JoinGroupResponse {
            error_code: ErrorCode::MEMBER_ID_REQUIRED.0,
            generation_id: -1,
            protocol_type: None,
            protocol_name: None,
            member_id: answer.member_id.clone(),
            ..Default::default()
        };
        assert_eq!(answer, expected);
        JoinGroupRequest { member_id: answer.member_id, ..request }
    }

    fn described(&self, metadata: &'static str, assignment: &'static str) -> DescribedGroupMember {
        let subscription = join("", "", None).protocols.remove(0).metadata;
        DescribedGroupMember {
            member_id: self.id().clone(),
            group_instance_id: None,
            client_id: self.name.into(),
            client_host: "/127.0.0.1".into(),
            member_metadata: if metadata.is_empty() { metadata.into() } else { subscription },
            member_assignment: assignment.into(),
            ..Default::default()
        }
    }
}

/// The answer to a join that succeeded; the leader is told of all members.
fn joined(member: &Str, generation: i32, leader: &Str, members: &[&Str]) -> JoinGroupResponse {
    let metadata = join("", "", None).protocols.remove(0).metadata;
    let told = |id: &&Str| JoinGroupResponseMember {
        member_id: (*id).clone(),
        group_instance_id: None,
        metadata: metadata.clone(),
        ..Default::default()
    };
    JoinGroupResponse {
        generation_id: generation,
        protocol_type: Some("consumer".into()),
        protocol_name: Some("range".into()),
        leader: leader.clone(),
        member_id: member.clone(),
        members: members.iter().map(told).collect(),
        ..Default::default()
    }
}

fn synced(assignment: &'static str) -> SyncGroupResponse {
    SyncGroupResponse {
        protocol_type: Some("consumer".into()),
        protocol_name: Some("range".into()),
        assignment: assignment.into(),
        ..Default::default()
    }
}

/// The members come in no order.
fn by_id<M>(mut members: Vec<M>, id: fn(&M) -> &Str) -> Vec<M> {
    members.sort_by(|a, b| id(a).cmp(id(b)));
    members
}

#[track_caller]
fn check_described(
    wire: &mut Wire,
    group: &str,
    state: &str,
    protocol: &str,
    members: Vec<DescribedGroupMember>,
) {
    let mut described = wire.describe_group(group);
    described.members = by_id(described.members, |m| &m.member_id);
    let expected = DescribedGroup {
        error_message: None,
        group_id: group.into(),
        group_state: state.into(),
        protocol_type: "consumer".into(),
        protocol_data: protocol.into(),
        members: by_id(members, |m| &m.member_id),
        authorized_operations: NOT_ASKED,
        ..Default::default()
    };
    assert_eq!(described, expected);
}

#[test]
fn two_members() {
    let broker = shared::broker();
    let group = unique("old");
    let (mut a, mut b) = (Client::new(&broker, "cl-a"), Client::new(&broker, "cl-b"));
    a.wire.wait_for_coordinator(&group);
    let topic = a.wire.new_topic(1, &[]);
    let mut join_of_a = first_member(&mut a, &group);

    // B joins: A is told to join again, and may still commit for the old generation.
    let join_of_b = b.ask_for_id(&group);
    let sent = b.wire.send(9, &join_of_b);
    while a.wire.heartbeat(a.member.as_ref().expect("joined")) != ErrorCode::REBALANCE_IN_PROGRESS {
    }
    let commit = a.member().commit(&topic.name, 0, 0);
    assert_eq!(a.wire.commit(&commit), ErrorCode::NONE);
    join_of_a.member_id = a.id().clone();
    let mut answer = a.wire.call(9, &join_of_a);
    answer.members = by_id(answer.members, |m| &m.member_id);
    let ids = by_id(vec![join_of_a.member_id.clone(), join_of_b.member_id.clone()], |id| id);
    let leader = join_of_a.member_id.clone();
    assert_eq!(answer, joined(&leader, 2, &leader, &[&ids[0], &ids[1]]));
    a.member = Some(member_of(&group, None, &answer));
    let answer = b.wire.receive(sent);
    assert_eq!(answer, joined(&join_of_b.member_id, 2, &leader, &[]));
    b.member = Some(member_of(&group, None, &answer));

    between_join_and_sync(&mut a, &b, &group, &topic.name);
    sync_and_describe(&mut a, &mut b, &group);
    leave(&mut a, &mut b, &group);
}

fn first_member(a: &mut Client, group: &str) -> JoinGroupRequest {
    let request = a.ask_for_id(group);
    let answer = a.wire.call(9, &request);
    let id = request.member_id.clone();
    assert_eq!(answer, joined(&id, 1, &id, &[&id]));
    let member = member_of(group, None, &answer);
    assert_eq!(a.wire.sync(&member, &[(&id, "0 to 5")]), synced("0 to 5"));
    a.member = Some(member);
    request
}

fn between_join_and_sync(a: &mut Client, b: &Client, group: &str, topic: &str) {
    let commit = a.member().commit(topic, 0, 0);
    assert_eq!(a.wire.commit(&commit), ErrorCode::REBALANCE_IN_PROGRESS);
    // Without metadata, and with the assignment of before.
    let members = vec![b.described("", ""), a.described("", "0 to 5")];
    check_described(&mut a.wire, group, "CompletingRebalance", "", members);
}

fn sync_and_describe(a: &mut Client, b: &mut Client, group: &str) {
    let (a_id, b_id) = (a.id().clone(), b.id().clone());
    let member = a.member().clone();
    let answer = a.wire.sync(&member, &[(&a_id, "0 to 2"), (&b_id, "3 to 5")]);
    assert_eq!(answer, synced("0 to 2"));
    let member = b.member().clone();
    assert_eq!(b.wire.sync(&member, &[]), synced("3 to 5"));
    let members = vec![b.described("as sent", "3 to 5"), a.described("as sent", "0 to 2")];
    check_described(&mut a.wire, group, "Stable", "range", members);
}

fn leave(a: &mut Client, b: &mut Client, group: &str) {
    check_leave(b);
    let member = a.member().clone();
    assert_eq!(a.wire.heartbeat(&member), ErrorCode::REBALANCE_IN_PROGRESS);
    check_leave(a);
    check_described(&mut a.wire, group, "Empty", "", vec![]);
}

fn check_leave(client: &mut Client) {
    let answer = client.wire.call(5, &client.member.as_ref().expect("joined").leave());
    assert_eq!(answer.error_code, 0);
    let [left] = answer.members.as_slice() else { panic!("{:?}", answer.members) };
    assert_eq!((&left.member_id, left.error_code), (client.id(), 0));
}
