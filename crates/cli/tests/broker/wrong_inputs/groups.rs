//! Classic groups: joining, syncing, heartbeats, commits.

use highwater_testkit::groups::{join, simple_commit};
use highwater_testkit::{Member, Topic, Wire, WireError, unique};
use highwater_wire::messages::{
    DeleteGroupsRequest, HeartbeatRequest, JoinGroupRequest, OffsetCommitRequest, SyncGroupRequest,
};
use highwater_wire::{ErrorCode, Str};

use super::case::{Bench, Case, End, Expected, Outcome, case, check, not_as_kafka};
use super::topics::NO_SUCH_ID;

const METADATA_BYTES_MAX: usize = 4_096;

pub struct State {
    topic: Topic,
    /// Of a group with this one member.
    member: Member,
    /// Names a group that forms, with members that never come back.
    new: String,
    /// Names a group or topic that does not exist.
    missing: String,
}

type Run = Bench<State>;
type Ended = Result<Outcome, WireError>;

#[test]
fn groups() {
    let prepare = |wire: &mut Wire| State {
        topic: wire.new_topic(2, &[]),
        member: wire.join_alone(&unique("g"), None),
        new: unique("new"),
        missing: unique("nope"),
    };
    check(prepare, cases());
}

pub fn cases() -> Vec<Case<State>> {
    let mut all = joins();
    all.extend(joins_of_a_live_group());
    all.extend(heartbeats());
    all.extend(syncs());
    all.extend(commits());
    all.push(deletion_without_id());
    all.extend(commit_values());
    all
}

fn joined(
    label: &str,
    code: ErrorCode,
    version: i16,
    make: fn(&State) -> JoinGroupRequest,
) -> Case<State> {
    let send = move |b: &mut Run| {
        let request = make(&b.state);
        Ok(Outcome::code(b.call(version, &request)?.error_code))
    };
    case(format!("join group: {label}"), code, send)
}

fn joins() -> Vec<Case<State>> {
    use ErrorCode as E;
    vec![
        joined("empty group id", E::INVALID_GROUP_ID, 9, |_| join("", "", None)),
        joined("session timeout 1 ms (minimum 6000)", E::INVALID_SESSION_TIMEOUT, 9, |s| {
            JoinGroupRequest { session_timeout_ms: 1, ..join(&s.new, "", None) }
        }),
        joined(
            "session timeout 1800001 ms (maximum 1800000)",
            E::INVALID_SESSION_TIMEOUT,
            9,
            |s| JoinGroupRequest { session_timeout_ms: 1_800_001, ..join(&s.new, "", None) },
        ),
        joined("no member id (v9)", E::MEMBER_ID_REQUIRED, 9, |s| join(&s.new, "", None)),
        joined("no member id (v3: accepted at once)", E::NONE, 3, |s| {
            join(&format!("{}-v3", s.new), "", None)
        }),
        joined("unknown member id", E::UNKNOWN_MEMBER_ID, 9, |s| join(&s.new, "ghost", None)),
        joined("unknown member id in a group that does not exist", E::UNKNOWN_MEMBER_ID, 9, |s| {
            join(&format!("{}-x", s.new), "ghost", None)
        }),
        joined("no protocols", E::INCONSISTENT_GROUP_PROTOCOL, 9, |s| JoinGroupRequest {
            protocols: vec![],
            ..join(&s.new, "", None)
        }),
        joined("empty protocol type", E::INCONSISTENT_GROUP_PROTOCOL, 9, |s| JoinGroupRequest {
            protocol_type: Str::default(),
            ..join(&s.new, "", None)
        }),
    ]
}

fn joins_of_a_live_group() -> Vec<Case<State>> {
    use ErrorCode as E;
    vec![
        joined("another protocol type into a live group", E::INCONSISTENT_GROUP_PROTOCOL, 9, |s| {
            JoinGroupRequest { protocol_type: "connect".into(), ..join(&s.member.group, "", None) }
        }),
        joined("no common protocol", E::INCONSISTENT_GROUP_PROTOCOL, 9, |s| {
            let mut request = join(&s.member.group, "", None);
            request.protocols[0].name = "other".into();
            request
        }),
    ]
}

fn heartbeats() -> Vec<Case<State>> {
    use ErrorCode as E;
    let beaten = |label: &str, code: ErrorCode, make: fn(&State) -> HeartbeatRequest| {
        let send = move |b: &mut Run| {
            let request = make(&b.state);
            Ok(Outcome::code(b.call(4, &request)?.error_code))
        };
        case(format!("heartbeat: {label}"), code, send)
    };
    vec![
        beaten("valid", E::NONE, |s| s.member.heartbeat()),
        beaten("wrong generation", E::ILLEGAL_GENERATION, |s| HeartbeatRequest {
            generation_id: s.member.generation + 5,
            ..s.member.heartbeat()
        }),
        beaten("unknown member", E::UNKNOWN_MEMBER_ID, |s| HeartbeatRequest {
            member_id: "ghost".into(),
            ..s.member.heartbeat()
        }),
        beaten("unknown group", E::UNKNOWN_MEMBER_ID, |s| HeartbeatRequest {
            group_id: s.missing.as_str().into(),
            ..s.member.heartbeat()
        }),
        beaten("empty group id", E::INVALID_GROUP_ID, |s| HeartbeatRequest {
            group_id: Str::default(),
            ..s.member.heartbeat()
        }),
    ]
}

fn syncs() -> Vec<Case<State>> {
    use ErrorCode as E;
    let synced = |label: &str, code: ErrorCode, make: fn(&State) -> SyncGroupRequest| {
        let send = move |b: &mut Run| {
            let request = make(&b.state);
            Ok(Outcome::code(b.call(5, &request)?.error_code))
        };
        case(format!("sync group: {label}"), code, send)
    };
    vec![
        synced("the leader's, valid", E::NONE, |s| s.member.sync(&[])),
        synced("wrong generation", E::ILLEGAL_GENERATION, |s| SyncGroupRequest {
            generation_id: s.member.generation + 1,
            ..s.member.sync(&[])
        }),
        synced("unknown member", E::UNKNOWN_MEMBER_ID, |s| SyncGroupRequest {
            member_id: "ghost".into(),
            ..s.member.sync(&[])
        }),
        synced("other protocol name", E::INCONSISTENT_GROUP_PROTOCOL, |s| SyncGroupRequest {
            protocol_name: Some("roundrobin".into()),
            ..s.member.sync(&[])
        }),
        synced("unknown group", E::UNKNOWN_MEMBER_ID, |s| SyncGroupRequest {
            group_id: s.missing.as_str().into(),
            ..s.member.sync(&[])
        }),
    ]
}

fn committed(
    label: &str,
    expected: impl Into<Expected>,
    make: fn(&State) -> OffsetCommitRequest,
) -> Case<State> {
    let send = move |b: &mut Run| {
        let request = make(&b.state);
        report(b, 9, &request)
    };
    case(format!("offset commit: {label}"), expected, send)
}

fn report(b: &mut Run, version: i16, request: &OffsetCommitRequest) -> Ended {
    let mut answer = b.call(version, request)?;
    Ok(Outcome::code(answer.topics.remove(0).partitions.remove(0).error_code))
}

fn commits() -> Vec<Case<State>> {
    use ErrorCode as E;
    let valid = |s: &State| s.member.commit(&s.topic.name, 0, 1);
    vec![
        committed("valid", E::NONE, valid),
        committed("wrong generation", E::ILLEGAL_GENERATION, |s| OffsetCommitRequest {
            generation_id_or_member_epoch: s.member.generation + 1,
            ..s.member.commit(&s.topic.name, 0, 1)
        }),
        committed("unknown member", E::UNKNOWN_MEMBER_ID, |s| OffsetCommitRequest {
            member_id: "ghost".into(),
            ..s.member.commit(&s.topic.name, 0, 1)
        }),
        committed("no member, generation -1, into a live group", E::UNKNOWN_MEMBER_ID, |s| {
            simple_commit(&s.member.group, &s.topic.name, 0, 1)
        }),
        committed("no member, new group (simple consumer)", E::NONE, |s| {
            simple_commit(&format!("{}-simple", s.missing), &s.topic.name, 0, 1)
        }),
        committed("generation 3 in an unknown group", E::GROUP_ID_NOT_FOUND, |s| {
            OffsetCommitRequest {
                generation_id_or_member_epoch: 3,
                member_id: "ghost".into(),
                ..simple_commit(&s.missing, &s.topic.name, 0, 1)
            }
        }),
        committed("empty group id", not_as_kafka(E::INVALID_GROUP_ID, End::Code(E::NONE)), |s| {
            simple_commit("", &s.topic.name, 0, 1)
        }),
    ]
}

/// Kafka deletes the group that holds the offsets committed with an empty id; here is none.
fn deletion_without_id() -> Case<State> {
    let expected = not_as_kafka(ErrorCode::GROUP_ID_NOT_FOUND, End::Code(ErrorCode::NONE));
    case("delete group: empty id", expected, |b: &mut Run| {
        let groups_names = vec![Str::default()];
        let request = DeleteGroupsRequest { groups_names, ..Default::default() };
        Ok(Outcome::code(b.call(3, &request)?.results.remove(0).error_code))
    })
}

fn commit_values() -> Vec<Case<State>> {
    use ErrorCode as E;
    vec![
        committed("unknown topic (v9)", E::UNKNOWN_TOPIC_OR_PARTITION, |s| {
            s.member.commit(&s.missing, 0, 1)
        }),
        committed("unknown partition", E::UNKNOWN_TOPIC_OR_PARTITION, |s| {
            s.member.commit(&s.topic.name, 9, 1)
        }),
        committed("metadata of 4097 B (limit 4096)", E::OFFSET_METADATA_TOO_LARGE, |s| {
            let mut request = s.member.commit(&s.topic.name, 0, 1);
            let metadata = "x".repeat(METADATA_BYTES_MAX + 1);
            request.topics[0].partitions[0].committed_metadata = Some(metadata.into());
            request
        }),
        committed("offset -5", not_as_kafka(E::INVALID_REQUEST, End::Code(E::NONE)), |s| {
            s.member.commit(&s.topic.name, 0, -5)
        }),
        committed("offset far beyond the end", E::NONE, |s| {
            s.member.commit(&s.topic.name, 0, 1_000_000_000_000_000)
        }),
        case("offset commit: v10, unknown topic id", E::UNKNOWN_TOPIC_ID, |b: &mut Run| {
            let group = format!("{}-simple", b.state.missing);
            let mut request = simple_commit(&group, "", 0, 1);
            request.topics[0].topic_id = NO_SUCH_ID;
            report(b, 10, &request)
        }),
    ]
}
