//! Wrong requests, and the code that Kafka 4.4.0 answers to each. Where we answer otherwise, the
//! line says so.

use super::client::{
    call, code_of, commit, commit_body, delete_group, delete_offset, describe, fetch, heartbeat,
    heartbeat_as, join, join_as, join_body, leave, list, protocols, sync, sync_body,
};
use super::harness::Harness;
use crate::{Call, Reply, Request};
use highwater_wire::Str;
use highwater_wire::messages::JoinGroupRequest;

/// A stable classic group `g` with one member, in generation 1, and a simple group `simple`.
struct Bench {
    harness: Harness,
    member: String,
}

impl Bench {
    fn new() -> Self {
        let mut harness = Harness::new();
        let member = harness.group_of_one("g");
        assert_eq!(harness.code(commit("simple", -1, "", "t", 0, 1)), 0);
        Bench { harness, member }
    }
}

/// `code` to each request; the state is not touched between lines but by the requests themselves.
fn check(bench: &mut Bench, cases: Vec<(&str, Request, i16)>) {
    for (case, request, code) in cases {
        let reply = bench.harness.ask(request);
        assert_eq!(code_of(&reply), code, "{case}: {reply:?}");
    }
}

fn changed(change: impl FnOnce(&mut JoinGroupRequest)) -> Request {
    let mut body = join_body("g", "");
    change(&mut body);
    Request::JoinGroup(call(9, body))
}

#[test]
fn joins() {
    let mut bench = Bench::new();
    let other_protocol = protocols(&["other"]);
    check(
        &mut bench,
        vec![
            ("empty group id", join("", ""), 24),
            ("session timeout below the minimum", changed(|b| b.session_timeout_ms = 1), 26),
            ("session timeout above", changed(|b| b.session_timeout_ms = 1_800_001), 26),
            ("no member id, v9", join("g", ""), 79),
            ("unknown member id", join("g", "ghost"), 25),
            ("unknown member id, unknown group", join("gx", "ghost"), 25),
            ("no protocols", changed(|b| b.protocols.clear()), 23),
            ("empty protocol type", changed(|b| b.protocol_type = Str::default()), 23),
            ("another protocol type", changed(|b| b.protocol_type = "connect".into()), 23),
            ("no common protocol", changed(|b| b.protocols = other_protocol), 23),
            (
                "no protocols, new group",
                {
                    let mut body = join_body("gy", "");
                    body.protocols.clear();
                    Request::JoinGroup(call(9, body))
                },
                23,
            ),
        ],
    );
    assert_eq!(bench.harness.state_of("gx"), "Dead", "a refused join makes no group");
    assert_eq!(bench.harness.state_of("gy"), "Dead", "a refused join makes no group");
}

#[test]
fn a_join_before_v4_needs_no_member_id() {
    let mut h = Harness::new();
    let token = h.send(Request::JoinGroup(call(3, join_body("g3", ""))));
    h.pass_ms(3_000);
    let answer = h.join_reply(token);
    assert_eq!((answer.error_code, answer.generation_id), (0, 1));
    assert_eq!(answer.leader, answer.member_id);
}

#[test]
fn heartbeats_and_syncs() {
    let mut bench = Bench::new();
    let m = bench.member.clone();
    let with_protocol = |name: Option<&str>| {
        let mut body = sync_body("g", 1, &m, &[]);
        body.protocol_name = name.map(Str::from);
        body
    };
    let cases = vec![
        ("valid", heartbeat("g", 1, &m), 0),
        ("wrong generation", heartbeat("g", 6, &m), 22),
        ("unknown member", heartbeat("g", 1, "ghost"), 25),
        ("unknown group", heartbeat("nope", 1, "ghost"), 25),
        ("empty group id", heartbeat("", 1, "x"), 24),
        ("unknown instance id", heartbeat_as("g", 1, &m, Some("i9")), 25),
        ("sync: valid", sync("g", 1, &m, &[]), 0),
        ("sync: wrong generation", sync("g", 2, &m, &[]), 22),
        ("sync: unknown member", sync("g", 1, "ghost", &[]), 25),
        ("sync: unknown group", sync("nope", 1, "x", &[]), 25),
        ("sync: empty group id", sync("", 1, "x", &[]), 24),
        (
            "sync: other protocol name",
            Request::SyncGroup(call(5, with_protocol(Some("roundrobin")))),
            23,
        ),
        ("sync v5: no protocol name", Request::SyncGroup(call(5, with_protocol(None))), 23),
        ("sync v4: no protocol name", Request::SyncGroup(call(4, with_protocol(None))), 0),
    ];
    check(&mut bench, cases);
}

#[test]
fn offset_commits() {
    let mut bench = Bench::new();
    let m = bench.member.clone();
    let with = |change: &dyn Fn(&mut highwater_wire::messages::OffsetCommitRequest)| {
        let mut body = commit_body("g", 1, &m, "t", 0, 1);
        change(&mut body);
        Request::OffsetCommit(call(9, body))
    };
    let with_metadata = |bytes: usize| {
        with(&|body| {
            body.topics[0].partitions[0].committed_metadata = Some(Str::from("x".repeat(bytes)));
        })
    };
    let old =
        |version| Request::OffsetCommit(call(version, commit_body("nope", 3, "x", "t", 0, 1)));
    let cases = vec![
        ("valid", commit("g", 1, &m, "t", 0, 1), 0),
        ("wrong generation", commit("g", 2, &m, "t", 0, 1), 22),
        ("unknown member", commit("g", 1, "ghost", "t", 0, 1), 25),
        ("no member, generation -1, into a live group", commit("g", -1, "", "t", 0, 1), 25),
        ("generation -1, but a member", commit("g", -1, &m, "t", 0, 1), 22),
        ("no member, new group", commit("simple2", -1, "", "t", 0, 1), 0),
        ("no member, simple group", commit("simple", -1, "", "t", 0, 1), 0),
        ("generation 3 in an unknown group", commit("nope", 3, "ghost", "t", 0, 1), 69),
        ("the same, v8", old(8), 22),
        ("unknown topic", commit("g", 1, &m, "nope", 0, 1), 3),
        ("unknown topic and unknown member", commit("g", 1, "ghost", "nope", 0, 1), 3),
        ("unknown partition", commit("g", 1, &m, "t", 9, 1), 3),
        ("partition -1", commit("g", 1, &m, "t", -1, 1), 3),
        ("metadata of 4096 characters", with_metadata(4096), 0),
        ("metadata of 4097 characters", with_metadata(4097), 12),
        ("metadata null", with(&|b| b.topics[0].partitions[0].committed_metadata = None), 0),
        ("far beyond the end", commit("g", 1, &m, "t", 0, 1_000_000_000_000_000), 0),
        ("offset -1", commit("g", 1, &m, "t", 0, -1), 0),
        // Kafka accepts the next two.
        ("offset -5", commit("g", 1, &m, "t", 0, -5), 42),
        ("empty group id", commit("", -1, "", "t", 0, 1), 24),
    ];
    check(&mut bench, cases);
    let mut body = commit_body("simple", -1, "", "", 0, 1);
    body.topics[0].topic_id = highwater_types::Uuid([9; 16]);
    let by_id = Request::OffsetCommit(call(10, body));
    check(&mut bench, vec![("v10, unknown topic id", by_id, 100)]);
}

#[test]
fn fetches_leaves_and_deletes() {
    let mut bench = Bench::new();
    let m = bench.member.clone();
    let cases = vec![
        ("fetch: unknown group", fetch("nope", Some(("t", &[0]))), 0),
        ("fetch: unknown topic, v9", fetch("g", Some(("nope", &[0]))), 0),
        ("leave: unknown member", leave("g", &[("ghost", None)]), 25),
        ("leave: unknown group", leave("nope", &[("ghost", None)]), 25),
        ("leave: unknown instance", leave("g", &[("", Some("i9"))]), 25),
        ("leave: empty group id", leave("", &[("ghost", None)]), 24),
        ("delete group: not empty", delete_group("g"), 68),
        ("delete group: unknown", delete_group("nope"), 69),
        ("delete group: empty id", delete_group(""), 69),
        ("delete offset: live group, unknown topic", delete_offset("g", "nope", 0), 3),
        ("delete offset: consumed topic", delete_offset("g", "t", 0), 86),
        ("delete offset: other topic", delete_offset("g", "u", 0), 0),
        ("delete offset: unknown group", delete_offset("nope", "t", 0), 69),
        ("delete offset: empty group id", delete_offset("", "t", 0), 24),
        ("delete group: simple group with offsets", delete_group("simple"), 0),
        ("the live group is still there", heartbeat("g", 1, &m), 0),
    ];
    check(&mut bench, cases);
    let unknown = bench.harness.ask(leave("nope", &[("ghost", None)]));
    assert!(matches!(unknown, Reply::LeaveGroup(r) if r.error_code == 0), "only the member's code");
}

#[test]
fn an_offset_of_a_group_with_another_protocol_is_not_deleted() {
    let mut h = Harness::new();
    let mut body = join_body("connect", "");
    body.protocol_type = "connect".into();
    let token = h.send(Request::JoinGroup(call(3, body)));
    h.pass_ms(3_000);
    assert_eq!(h.join_reply(token).error_code, 0);
    assert_eq!(h.code(delete_offset("connect", "t", 0)), 68);
}

#[test]
fn describing_what_is_not_there() {
    let mut h = Harness::new();
    let mut described = |version| match h.ask(describe(version, "nope")) {
        Reply::DescribeGroups(response) => {
            let group = response.groups[0].clone();
            let message = group.error_message.map(|message| message.to_string());
            (group.error_code, group.group_state.to_string(), message)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(described(5), (0, "Dead".into(), None));
    assert_eq!(described(6), (69, "Dead".into(), Some("Group nope not found.".into())));
}

#[test]
fn listing_with_filters() {
    let mut bench = Bench::new();
    let mut listed = |states: &[&str], types: &[&str]| match bench.harness.ask(list(states, types))
    {
        Reply::ListGroups(response) => {
            assert_eq!(response.error_code, 0);
            let groups = response.groups.iter();
            groups
                .map(|group| {
                    format!(
                        "{} {:?} {} {}",
                        group.group_id, &*group.protocol_type, group.group_state, group.group_type
                    )
                })
                .collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    let g = r#"g "consumer" Stable classic"#;
    let simple = r#"simple "" Empty classic"#;
    assert_eq!(listed(&[], &[]), [g, simple]);
    assert_eq!(listed(&["stable"], &[]), [g]);
    assert_eq!(listed(&["EMPTY", " Stable "], &["Classic"]), [g, simple]);
    assert!(listed(&["Frog"], &[]).is_empty());
    assert!(listed(&[], &["frog"]).is_empty());
    assert!(listed(&[], &["consumer"]).is_empty());
}

#[test]
fn a_replaced_static_member_is_fenced() {
    let mut h = Harness::new();
    let old = h.group_of_static("st", &["i1"]).remove(0);
    let token = h.send(join_as("st", "", "i1"));
    let answer = h.join_reply(token);
    assert_eq!((answer.error_code, answer.generation_id), (0, 1), "the same generation");
    assert_ne!(*answer.member_id, *old, "but a new member id");
    let mut stale_sync = sync_body("st", 1, &old, &[]);
    stale_sync.group_instance_id = Some("i1".into());
    let mut stale_commit = commit_body("st", 1, &old, "t", 0, 1);
    stale_commit.group_instance_id = Some("i1".into());
    let fenced = [
        heartbeat_as("st", 1, &old, Some("i1")),
        Request::SyncGroup(call(5, stale_sync)),
        Request::OffsetCommit(call(9, stale_commit)),
        join_as("st", &old, "i1"),
        leave("st", &[(&old, Some("i1"))]),
    ];
    for request in fenced {
        assert_eq!(h.code(request.clone()), 82, "{request:?}");
    }
    assert_eq!(h.code(heartbeat_as("st", 1, &answer.member_id, Some("i9"))), 25);
    assert_eq!(h.code(heartbeat_as("st", 1, &answer.member_id, Some("i1"))), 0);
}

#[test]
fn old_layouts_have_their_own_places_for_codes() {
    let mut h = Harness::new();
    let v6 = Call { version: 6, ..call(9, join_body("", "")) };
    match h.ask(Request::JoinGroup(v6)) {
        Reply::JoinGroup(response) => {
            assert_eq!(response.protocol_name.as_deref(), Some(""), "null only from v7 on");
        }
        other => panic!("{other:?}"),
    }
    let body = highwater_wire::messages::LeaveGroupRequest {
        group_id: "nope".into(),
        member_id: "ghost".into(),
        ..Default::default()
    };
    match h.ask(Request::LeaveGroup(call(2, body))) {
        Reply::LeaveGroup(response) => {
            assert_eq!(response.error_code, 25, "before v3 one code for all");
            assert!(response.members.is_empty());
        }
        other => panic!("{other:?}"),
    }
}
