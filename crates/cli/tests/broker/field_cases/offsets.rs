//! Committed offsets: every partition that is asked for is answered, and what may expire does.
//!
//! Retention by the minute is tested with a clock of its own where groups are decided.

use std::thread;
use std::time::{Duration, Instant};

use highwater_testkit::groups::{join, simple_commit, subscription};
use highwater_testkit::{BrokerOptions, Topic, Wire, unique};
use highwater_types::Uuid;
use highwater_wire::messages::offset_fetch_request::{
    OffsetFetchRequestGroup, OffsetFetchRequestTopic, OffsetFetchRequestTopics,
};
use highwater_wire::messages::{OffsetCommitRequest, OffsetFetchRequest, OffsetFetchResponse};
use highwater_wire::{ErrorCode, Str};

use crate::shared;

/// Committed in partition 0 of the first topic.
const COMMITTED: i64 = 7;

/// Partition, offset, leader epoch, metadata, code.
type Answered = (i32, i64, i32, Option<Str>, i16);

fn nothing(partition: i32) -> Answered {
    (partition, -1, -1, Some(Str::default()), 0)
}

/// A request up to version 7: one group.
fn of_one_group(group: &str, topics: Option<&[(&str, &[i32])]>) -> OffsetFetchRequest {
    let topic = |&(name, indexes): &(&str, &[i32])| OffsetFetchRequestTopic {
        name: name.into(),
        partition_indexes: indexes.to_vec(),
        ..Default::default()
    };
    let topics = topics.map(|topics| topics.iter().map(topic).collect());
    OffsetFetchRequest { group_id: group.into(), topics, ..Default::default() }
}

fn partitions_of_one_group(answer: &OffsetFetchResponse) -> Vec<(Str, Answered)> {
    let of = |topic: &highwater_wire::messages::offset_fetch_response::OffsetFetchResponseTopic| {
        let name = topic.name.clone();
        let partitions = topic.partitions.iter().map(move |p| {
            let epoch = p.committed_leader_epoch;
            let answered =
                (p.partition_index, p.committed_offset, epoch, p.metadata.clone(), p.error_code);
            (name.clone(), answered)
        });
        partitions.collect::<Vec<_>>()
    };
    answer.topics.iter().flat_map(of).collect()
}

#[test]
fn every_partition_is_answered_in_old_versions() {
    let broker = shared::broker();
    let mut wire = broker.connect();
    let group = unique("g");
    wire.wait_for_coordinator(&group);
    let topic = wire.new_topic(2, &[]);
    let code = wire.commit(&simple_commit(&group, &topic.name, 0, COMMITTED));
    assert_eq!(code, ErrorCode::NONE);
    let name = &*topic.name;
    for version in 1..=7 {
        let asked: &[(&str, &[i32])] = &[(name, &[0, 1, 9]), ("no-such-topic", &[0])];
        let answer = wire.call(version, &of_one_group(&group, Some(asked)));
        assert_eq!(answer.error_code, 0);
        let expected = [
            (topic.name.clone(), (0, COMMITTED, -1, Some(Str::default()), 0)),
            (topic.name.clone(), nothing(1)),
            (topic.name.clone(), nothing(9)),
            (Str::from("no-such-topic"), nothing(0)),
        ];
        assert_eq!(partitions_of_one_group(&answer), expected, "version {version}");

        let answer = wire.call(version, &of_one_group(&group, Some(&[])));
        assert_eq!((answer.error_code, answer.topics.len()), (0, 0), "version {version}");
        let answer = wire.call(version, &of_one_group("no-such-group", Some(&[(name, &[0])])));
        assert_eq!(partitions_of_one_group(&answer), [(topic.name.clone(), nothing(0))]);
        if version >= 2 {
            // Null topics ask for all that there is.
            let answer = wire.call(version, &of_one_group(&group, None));
            assert_eq!(partitions_of_one_group(&answer), expected[..1], "version {version}");
        }
    }
}

fn of_group(group: &str, topics: Option<Vec<OffsetFetchRequestTopics>>) -> OffsetFetchRequestGroup {
    OffsetFetchRequestGroup { group_id: group.into(), topics, ..Default::default() }
}

fn asked(topic: &Topic, version: i16, indexes: &[i32]) -> OffsetFetchRequestTopics {
    OffsetFetchRequestTopics {
        name: if version < 10 { topic.name.clone() } else { Str::default() },
        topic_id: if version < 10 { Uuid::ZERO } else { topic.id },
        partition_indexes: indexes.to_vec(),
        ..Default::default()
    }
}

#[test]
fn every_partition_of_every_group_is_answered() {
    let broker = shared::broker();
    let mut wire = broker.connect();
    let group = unique("g");
    wire.wait_for_coordinator(&group);
    wire.wait_for_coordinator("no-such-group");
    let topic = wire.new_topic(2, &[]);
    let missing = Topic { name: "no-such-topic".into(), id: Uuid([7; 16]) };
    let code = wire.commit(&simple_commit(&group, &topic.name, 0, COMMITTED));
    assert_eq!(code, ErrorCode::NONE);
    for version in [8, 9, 10] {
        let topics = vec![asked(&topic, version, &[0, 1, 9]), asked(&missing, version, &[0])];
        let groups = vec![
            of_group(&group, Some(topics)),
            of_group("no-such-group", Some(vec![asked(&topic, version, &[1])])),
            of_group(&group, None),
            of_group(&group, Some(vec![])),
        ];
        let request = OffsetFetchRequest { groups, ..Default::default() };
        let answer = wire.call(version, &request);
        let codes: Vec<_> = answer.groups.iter().map(|group| group.error_code).collect();
        assert_eq!(codes, [0; 4], "version {version}");
        let committed = (0, COMMITTED, -1, Some(Str::default()), 0);
        // By id it can be told that there is no such topic.
        let unknown = match version {
            10 => (0, -1, -1, Some(Str::default()), ErrorCode::UNKNOWN_TOPIC_ID.0),
            _ => nothing(0),
        };
        let expected = [
            vec![vec![committed.clone(), nothing(1), nothing(9)], vec![unknown]],
            vec![vec![nothing(1)]],
            vec![vec![committed]],
            vec![],
        ];
        assert_eq!(partitions_by_group(&answer), expected, "version {version}");
    }
}

/// For each group, for each topic, its partitions.
fn partitions_by_group(answer: &OffsetFetchResponse) -> Vec<Vec<Vec<Answered>>> {
    let partitions =
        |topic: &highwater_wire::messages::offset_fetch_response::OffsetFetchResponseTopics| {
            let of = topic.partitions.iter().map(|p| {
                let epoch = p.committed_leader_epoch;
                (p.partition_index, p.committed_offset, epoch, p.metadata.clone(), p.error_code)
            });
            of.collect()
        };
    answer.groups.iter().map(|group| group.topics.iter().map(partitions).collect()).collect()
}

/// Commits of version 2 to 4 may say how long they are to be kept.
fn kept_for(request: OffsetCommitRequest, retention_ms: i64) -> OffsetCommitRequest {
    OffsetCommitRequest { retention_time_ms: retention_ms, ..request }
}

fn commit_as(wire: &mut Wire, version: i16, request: &OffsetCommitRequest) {
    let answer = wire.call(version, request);
    assert_eq!(answer.topics[0].partitions[0].error_code, 0);
}

#[test]
fn what_may_expire_does() {
    const SHORT_MS: i64 = 300;
    let broker = BrokerOptions::default().set("offsets.retention.check.interval.ms", "200").start();
    let mut wire = broker.connect();
    for group in ["simple", "live", "empty"] {
        wire.wait_for_coordinator(group);
    }
    let (consumed, dropped) = (wire.new_topic(2, &[]), wire.new_topic(1, &[]));
    // A simple consumer: one offset with a retention of its own, one without.
    commit_as(&mut wire, 4, &kept_for(simple_commit("simple", &consumed.name, 0, 1), SHORT_MS));
    commit_as(&mut wire, 4, &kept_for(simple_commit("simple", &consumed.name, 1, 1), -1));
    // A live member that consumes one topic and no longer the other.
    let mut request = join("live", "", None);
    request.protocols[0].metadata = subscription(&[&consumed.name]);
    let answer = wire.join(&request);
    let member = highwater_testkit::groups::member_of("live", None, &answer);
    wire.sync(&member, &[(&member.id, "all")]);
    commit_as(&mut wire, 4, &kept_for(member.commit(&consumed.name, 0, 1), SHORT_MS));
    commit_as(&mut wire, 4, &kept_for(member.commit(&dropped.name, 0, 1), SHORT_MS));
    // A group that had a member and never committed.
    let gone = wire.join_alone("empty", None);
    wire.call(5, &gone.leave());

    let deadline = Instant::now() + Duration::from_secs(10);
    let has_gone = |wire: &mut Wire| {
        wire.committed("simple", &consumed, 0) == -1
            && wire.committed("live", &dropped, 0) == -1
            && wire.describe_group("empty").group_state == *"Dead"
    };
    while !has_gone(&mut wire) {
        assert!(Instant::now() < deadline, "something stays");
        thread::sleep(Duration::from_millis(50));
    }
    thread::sleep(Duration::from_millis(500));
    assert_eq!(wire.committed("simple", &consumed, 1), 1);
    assert_eq!(wire.committed("live", &consumed, 0), 1);
}
