//! Looking at groups, leaving, deleting; offsets read and deleted.

use highwater_testkit::groups::simple_commit;
use highwater_testkit::{Member, Topic, Wire, unique};
use highwater_wire::messages::leave_group_request::MemberIdentity;
use highwater_wire::messages::offset_delete_request::{
    OffsetDeleteRequestPartition, OffsetDeleteRequestTopic,
};
use highwater_wire::messages::offset_fetch_request::{
    OffsetFetchRequestGroup, OffsetFetchRequestTopics,
};
use highwater_wire::messages::{
    DeleteGroupsRequest, DescribeGroupsRequest, LeaveGroupRequest, ListGroupsRequest,
    OffsetDeleteRequest, OffsetFetchRequest,
};
use highwater_wire::{ErrorCode, Str};

use super::case::{Bench, Case, Expected, Outcome, case, check, says};

const COMMITTED: i64 = 1_000_000_000_000_000;

pub struct State {
    topic: Topic,
    /// Of a group with this one member, which committed an offset.
    member: Member,
    /// A group without members that holds an offset.
    simple: String,
    missing: String,
}

type Run = Bench<State>;
type Named = fn(&State) -> Str;

#[test]
fn group_administration() {
    let prepare = |wire: &mut Wire| {
        let (group, simple) = (unique("g"), unique("simple"));
        let (topic, member) = (wire.new_topic(1, &[]), wire.join_alone(&group, None));
        let code = wire.commit(&member.commit(&topic.name, 0, COMMITTED));
        assert_eq!(code, ErrorCode::NONE);
        let code = wire.commit(&simple_commit(&simple, &topic.name, 0, 1));
        assert_eq!(code, ErrorCode::NONE);
        State { topic, member, simple, missing: unique("nope") }
    };
    check(prepare, cases());
}

pub fn cases() -> Vec<Case<State>> {
    let mut all = fetches();
    all.extend(departures());
    all.extend(deletions());
    all.extend(offset_deletions());
    all.extend(descriptions());
    all
}

const MISSING: Named = |state| state.missing.as_str().into();
const LIVE: Named = |state| state.member.group.clone();

fn fetches() -> Vec<Case<State>> {
    let fetched = |label: &str, offset, group: Named, topic: Named, member: (Option<&str>, i32)| {
        let (member_id, member_epoch) = (member.0.map(Str::from), member.1);
        let send = move |b: &mut Run| {
            let topic = OffsetFetchRequestTopics {
                name: topic(&b.state),
                partition_indexes: vec![0],
                ..Default::default()
            };
            let group = OffsetFetchRequestGroup {
                group_id: group(&b.state),
                member_id: member_id.clone(),
                member_epoch,
                topics: Some(vec![topic]),
                ..Default::default()
            };
            let request = OffsetFetchRequest { groups: vec![group], ..Default::default() };
            let group = b.call(9, &request)?.groups.remove(0);
            let partition = &group.topics[0].partitions[0];
            let outcome = Outcome::code(group.error_code);
            let outcome = outcome.with("partition_error", partition.error_code.into());
            Ok(outcome.with("offset", partition.committed_offset))
        };
        let expected = Expected::from(ErrorCode::NONE).with("partition_error", 0);
        case(format!("offset fetch: {label}"), expected.with("offset", offset), send)
    };
    let topic: Named = |state| state.topic.name.clone();
    vec![
        fetched("unknown group", -1, MISSING, topic, (None, -1)),
        fetched("unknown topic (v9)", -1, LIVE, MISSING, (None, -1)),
        fetched("classic group with a member epoch", COMMITTED, LIVE, topic, (Some("ghost"), 4)),
    ]
}

fn departures() -> Vec<Case<State>> {
    let ghost = |group: Str| {
        let member = MemberIdentity { member_id: "ghost".into(), ..Default::default() };
        LeaveGroupRequest { group_id: group, members: vec![member], ..Default::default() }
    };
    vec![
        case("leave group: unknown member", ErrorCode::UNKNOWN_MEMBER_ID, move |b: &mut Run| {
            let answer = b.call(5, &ghost(LIVE(&b.state)))?;
            Ok(Outcome::code(answer.members[0].error_code))
        }),
        case(
            "leave group: unknown group",
            Expected::from(ErrorCode::NONE).with("member", ErrorCode::UNKNOWN_MEMBER_ID.0.into()),
            move |b: &mut Run| {
                let answer = b.call(5, &ghost(MISSING(&b.state)))?;
                let member = answer.members[0].error_code;
                Ok(Outcome::code(answer.error_code).with("member", member.into()))
            },
        ),
    ]
}

fn deletions() -> Vec<Case<State>> {
    use ErrorCode as E;
    let deleted = |label: &str, code: ErrorCode, version: i16, group: Named| {
        let send = move |b: &mut Run| {
            let groups_names = vec![group(&b.state)];
            let request = DeleteGroupsRequest { groups_names, ..Default::default() };
            Ok(Outcome::code(b.call(version, &request)?.results.remove(0).error_code))
        };
        case(format!("delete group: {label}"), code, send)
    };
    vec![
        deleted("not empty", E::NON_EMPTY_GROUP, 2, LIVE),
        deleted("unknown", E::GROUP_ID_NOT_FOUND, 3, MISSING),
        deleted("simple group with offsets", E::NONE, 3, |s| s.simple.as_str().into()),
    ]
}

fn offset_deletions() -> Vec<Case<State>> {
    use ErrorCode as E;
    vec![
        case(
            "offset delete: live group",
            Expected::from(E::NONE).with("partition", E::UNKNOWN_TOPIC_OR_PARTITION.0.into()),
            |b: &mut Run| {
                let topic = OffsetDeleteRequestTopic {
                    name: MISSING(&b.state),
                    partitions: vec![OffsetDeleteRequestPartition::default()],
                    ..Default::default()
                };
                let request = OffsetDeleteRequest {
                    group_id: LIVE(&b.state),
                    topics: vec![topic],
                    ..Default::default()
                };
                let answer = b.call(0, &request)?;
                let partition = answer.topics[0].partitions[0].error_code;
                Ok(Outcome::code(answer.error_code).with("partition", partition.into()))
            },
        ),
        case("offset delete: unknown group", E::GROUP_ID_NOT_FOUND, |b: &mut Run| {
            let request = OffsetDeleteRequest { group_id: MISSING(&b.state), ..Default::default() };
            Ok(Outcome::code(b.call(0, &request)?.error_code))
        }),
    ]
}

fn descriptions() -> Vec<Case<State>> {
    use ErrorCode as E;
    let described = |version: i16, expected: Expected| {
        let send = move |b: &mut Run| {
            let groups = vec![MISSING(&b.state)];
            let request = DescribeGroupsRequest { groups, ..Default::default() };
            let group = b.call(version, &request)?.groups.remove(0);
            assert_eq!(group.group_state, *"Dead");
            Ok(Outcome::code(group.error_code).saying(group.error_message))
        };
        case(format!("describe group: unknown (v{version})"), expected, send)
    };
    let listed = |label: &str, states: &'static [&str], types: &'static [&str]| {
        let send = move |b: &mut Run| {
            let request = ListGroupsRequest {
                states_filter: states.iter().map(|&s| s.into()).collect(),
                types_filter: types.iter().map(|&t| t.into()).collect(),
                ..Default::default()
            };
            let answer = b.call(5, &request)?;
            Ok(Outcome::code(answer.error_code).with("groups", answer.groups.len() as i64))
        };
        let none = Expected::from(E::NONE).with("groups", 0);
        case(format!("list groups: unknown {label} filter"), none, send)
    };
    vec![
        described(5, E::NONE.into()),
        described(6, says(E::GROUP_ID_NOT_FOUND)),
        listed("state", &["Frog"], &[]),
        listed("type", &[], &["frog"]),
    ]
}
