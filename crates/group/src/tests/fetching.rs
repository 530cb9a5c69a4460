//! OffsetFetch in every layout: every partition that is asked for is answered (Sarama once gave
//! up for ever on a missing one), and errors stand where each version has a place for them.

use highwater_types::Uuid;
use highwater_wire::ErrorCode;
use highwater_wire::messages::offset_fetch_request::{
    OffsetFetchRequestGroup, OffsetFetchRequestTopics,
};
use highwater_wire::messages::{OffsetFetchRequest, OffsetFetchResponse};

use super::client::{call, commit, fetch, fetch_old};
use super::harness::Harness;
use crate::{Reply, Request, refuse};

fn answer(reply: Reply) -> OffsetFetchResponse {
    match reply {
        Reply::OffsetFetch(response) => response,
        other => panic!("{other:?}"),
    }
}

/// `topic-partition offset epoch "metadata" code` of each partition in the answer.
fn lines(response: &OffsetFetchResponse) -> Vec<String> {
    let old = response.topics.iter().flat_map(|topic| {
        topic.partitions.iter().map(|p| {
            let metadata = p.metadata.as_deref().unwrap_or("null");
            let (offset, epoch) = (p.committed_offset, p.committed_leader_epoch);
            let at = format!("{}-{}", topic.name, p.partition_index);
            format!("{at} {offset} {epoch} {metadata:?} {}", p.error_code)
        })
    });
    let new = response.groups.iter().flat_map(|group| &group.topics).flat_map(|topic| {
        topic.partitions.iter().map(|p| {
            let metadata = p.metadata.as_deref().unwrap_or("null");
            let (offset, epoch) = (p.committed_offset, p.committed_leader_epoch);
            let at = format!("{}-{}", topic.name, p.partition_index);
            format!("{at} {offset} {epoch} {metadata:?} {}", p.error_code)
        })
    });
    old.chain(new).collect()
}

fn harness() -> Harness {
    let mut h = Harness::new();
    assert_eq!(h.code(commit("g", -1, "", "t", 1, 5)), 0);
    assert_eq!(h.code(commit("g", -1, "", "u", 0, 6)), 0);
    h
}

#[test]
fn whatever_is_asked_is_answered() {
    let mut h = harness();
    let asked: &[(&str, &str, &[i32], &[&str])] = &[
        ("g", "t", &[1], &[r#"t-1 5 -1 "" 0"#]),
        ("g", "t", &[0, 1], &[r#"t-0 -1 -1 "" 0"#, r#"t-1 5 -1 "" 0"#]),
        ("g", "t", &[99, -3], &[r#"t-99 -1 -1 "" 0"#, r#"t--3 -1 -1 "" 0"#]),
        ("g", "nope", &[0], &[r#"nope-0 -1 -1 "" 0"#]),
        ("nope", "t", &[0], &[r#"t-0 -1 -1 "" 0"#]),
        ("", "t", &[0], &[r#"t-0 -1 -1 "" 0"#]),
    ];
    for (group, topic, partitions, expected) in asked {
        for version in [1, 2, 5, 7] {
            let reply = h.ask(fetch_old(version, group, Some((topic, partitions))));
            let response = answer(reply);
            assert_eq!(&lines(&response), expected, "v{version}");
            assert_eq!(response.error_code, 0);
        }
        let response = answer(h.ask(fetch(group, Some((topic, partitions)))));
        assert_eq!(&lines(&response), expected, "v9");
        assert_eq!(response.groups[0].error_code, 0);
    }
}

#[test]
fn null_topics_mean_all_and_no_topics_mean_none() {
    let mut h = harness();
    let all = [r#"t-1 5 -1 "" 0"#, r#"u-0 6 -1 "" 0"#];
    assert_eq!(lines(&answer(h.ask(fetch_old(2, "g", None)))), all);
    assert_eq!(lines(&answer(h.ask(fetch_old(7, "g", None)))), all);
    assert_eq!(lines(&answer(h.ask(fetch("g", None)))), all);
    assert!(lines(&answer(h.ask(fetch("nope", None)))).is_empty());
    let none = OffsetFetchRequest {
        groups: vec![OffsetFetchRequestGroup {
            group_id: "g".into(),
            topics: Some(Vec::new()),
            ..Default::default()
        }],
        ..Default::default()
    };
    assert!(lines(&answer(h.ask(Request::OffsetFetch(call(8, none))))).is_empty());
}

#[test]
fn several_groups_are_answered_in_order() {
    let mut h = harness();
    let group = |id: &str| OffsetFetchRequestGroup {
        group_id: id.into(),
        topics: Some(vec![OffsetFetchRequestTopics {
            name: "t".into(),
            partition_indexes: vec![1],
            ..Default::default()
        }]),
        ..Default::default()
    };
    let body = OffsetFetchRequest { groups: vec![group("nope"), group("g")], ..Default::default() };
    let response = answer(h.ask(Request::OffsetFetch(call(8, body))));
    let ids: Vec<&str> = response.groups.iter().map(|group| &*group.group_id).collect();
    assert_eq!(ids, ["nope", "g"]);
    assert_eq!(lines(&response), [r#"t-1 -1 -1 "" 0"#, r#"t-1 5 -1 "" 0"#]);
}

#[test]
fn by_topic_id() {
    let mut h = harness();
    let topic = |id: u8| OffsetFetchRequestTopics {
        topic_id: Uuid([id; 16]),
        partition_indexes: vec![1],
        ..Default::default()
    };
    let ask = |topics| {
        let groups =
            vec![OffsetFetchRequestGroup { group_id: "g".into(), topics, ..Default::default() }];
        Request::OffsetFetch(call(10, OffsetFetchRequest { groups, ..Default::default() }))
    };
    let response = answer(h.ask(ask(Some(vec![topic(1), topic(9)]))));
    let topics = &response.groups[0].topics;
    assert_eq!((topics[0].topic_id, topics[1].topic_id), (Uuid([1; 16]), Uuid([9; 16])));
    assert_eq!(topics[0].partitions[0].committed_offset, 5);
    assert_eq!(topics[1].partitions[0].error_code, 100);
    assert_eq!(topics[1].partitions[0].committed_offset, -1);
    let all = answer(h.ask(ask(None)));
    let ids: Vec<Uuid> = all.groups[0].topics.iter().map(|topic| topic.topic_id).collect();
    assert_eq!(ids, [Uuid([1; 16]), Uuid([2; 16])]);
}

#[test]
fn offsets_of_a_deleted_topic_are_not_those_of_its_successor() {
    let mut h = harness();
    h.create_topic("t", 7);
    assert_eq!(h.committed("g", "t", 1), -1, "also before the deletion was told");
    assert_eq!(lines(&answer(h.ask(fetch("g", None)))), [r#"u-0 6 -1 "" 0"#]);
    assert_eq!(h.code(commit("g", -1, "", "t", 1, 3)), 0);
    let old = highwater_types::TopicId(Uuid([1; 16]));
    h.ask(Request::TopicDeleted { id: old, name: "t".into() });
    assert_eq!(h.committed("g", "t", 1), 3, "what the successor has is not touched");
    let new = highwater_types::TopicId(Uuid([7; 16]));
    h.ask(Request::TopicDeleted { id: new, name: "t".into() });
    assert_eq!(h.committed("g", "t", 1), -1);
    assert_eq!(h.committed("g", "u", 0), 6);
}

#[test]
fn while_loading_each_version_has_its_place_for_the_code() {
    let code = ErrorCode::COORDINATOR_LOAD_IN_PROGRESS;
    let refused = |request: Request| answer(refuse(&request, code));
    let v1 = refused(fetch_old(1, "g", Some(("t", &[0, 1]))));
    assert_eq!(lines(&v1), [r#"t-0 -1 -1 "" 14"#, r#"t-1 -1 -1 "" 14"#]);
    assert_eq!(v1.error_code, 0, "v1 has no such field");
    for version in [2, 7] {
        assert_eq!(refused(fetch_old(version, "g", Some(("t", &[0])))).error_code, 14);
    }
    let v9 = refused(fetch("g", Some(("t", &[0]))));
    assert_eq!((v9.error_code, v9.groups[0].error_code), (0, 14));
}
