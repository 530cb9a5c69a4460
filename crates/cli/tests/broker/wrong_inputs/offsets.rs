//! Asking for offsets: by time, by epoch.

use highwater_testkit::{Topic, Wire, batch, now_ms, unique};
use highwater_types::Uuid;
use highwater_wire::ErrorCode;
use highwater_wire::messages::list_offsets_request::{ListOffsetsPartition, ListOffsetsTopic};
use highwater_wire::messages::offset_for_leader_epoch_request::{
    OffsetForLeaderPartition, OffsetForLeaderTopic,
};
use highwater_wire::messages::{ListOffsetsRequest, OffsetForLeaderEpochRequest};

use super::case::{Bench, Case, Expected, Outcome, case, check};

pub struct State {
    topic: Topic,
    missing: Topic,
}

type Named = fn(&State) -> &Topic;

#[test]
fn offsets() {
    let prepare = |wire: &mut Wire| {
        let topic = wire.new_topic(1, &[]);
        wire.must_produce(&topic, 0, &batch::one(now_ms()));
        State { topic, missing: Topic { name: unique("nope").into(), id: Uuid::ZERO } }
    };
    check(prepare, cases());
}

pub fn cases() -> Vec<Case<State>> {
    let mut all = by_time();
    all.extend(by_epoch());
    all
}

fn partition(index: i32, epoch: i32, timestamp: i64) -> ListOffsetsPartition {
    ListOffsetsPartition {
        partition_index: index,
        current_leader_epoch: epoch,
        timestamp,
        ..Default::default()
    }
}

fn listed(
    label: &str,
    expected: impl Into<Expected>,
    version: i16,
    topic: Named,
    partitions: &'static [(i32, i32, i64)],
) -> Case<State> {
    let send = move |b: &mut Bench<State>| {
        let asked = partitions.iter().map(|&(index, epoch, time)| partition(index, epoch, time));
        let topic = ListOffsetsTopic {
            name: topic(&b.state).name.clone(),
            partitions: asked.collect(),
            ..Default::default()
        };
        let request = ListOffsetsRequest {
            replica_id: -1,
            topics: vec![topic],
            timeout_ms: 3_000,
            ..Default::default()
        };
        let mut answer = b.call(version, &request)?;
        Ok(Outcome::code(answer.topics.remove(0).partitions.remove(0).error_code))
    };
    case(format!("list offsets: {label}"), expected, send)
}

fn by_time() -> Vec<Case<State>> {
    use ErrorCode as E;
    let topic: Named = |state| &state.topic;
    let unknown = E::UNKNOWN_TOPIC_OR_PARTITION;
    vec![
        listed("unknown topic", unknown, 11, |s| &s.missing, &[(0, -1, -1)]),
        listed("unknown partition", unknown, 11, topic, &[(9, -1, -1)]),
        listed("leader epoch 5", E::UNKNOWN_LEADER_EPOCH, 11, topic, &[(0, 5, -1)]),
        listed("timestamp -1 (v11)", E::NONE, 11, topic, &[(0, -1, -1)]),
        listed("timestamp -2 (v11)", E::NONE, 11, topic, &[(0, -1, -2)]),
        listed("timestamp -3 (v11)", E::NONE, 11, topic, &[(0, -1, -3)]),
        listed("timestamp -4 (v11)", E::NONE, 11, topic, &[(0, -1, -4)]),
        listed("timestamp -5 (v11)", E::NONE, 11, topic, &[(0, -1, -5)]),
        listed("timestamp -6 (v11)", E::NONE, 11, topic, &[(0, -1, -6)]),
        listed("timestamp -7 (v11)", E::UNSUPPORTED_VERSION, 11, topic, &[(0, -1, -7)]),
        listed("timestamp -4 in v7 (too old)", E::UNSUPPORTED_VERSION, 7, topic, &[(0, -1, -4)]),
        listed(
            "the same partition twice",
            E::INVALID_REQUEST,
            7,
            topic,
            &[(0, -1, -1), (0, -1, -1)],
        ),
    ]
}

fn by_epoch() -> Vec<Case<State>> {
    use ErrorCode as E;
    let asked = |label: &str, expected: Expected, topic: Named, current: i32, epoch: i32| {
        let send = move |b: &mut Bench<State>| {
            let partition = OffsetForLeaderPartition {
                partition: 0,
                current_leader_epoch: current,
                leader_epoch: epoch,
                ..Default::default()
            };
            let topic = OffsetForLeaderTopic {
                topic: topic(&b.state).name.clone(),
                partitions: vec![partition],
                ..Default::default()
            };
            let request = OffsetForLeaderEpochRequest {
                replica_id: -1,
                topics: vec![topic],
                ..Default::default()
            };
            let answer = b.call(4, &request)?.topics.remove(0).partitions.remove(0);
            let outcome = Outcome::code(answer.error_code);
            Ok(outcome.with("epoch", answer.leader_epoch.into()).with("end", answer.end_offset))
        };
        case(format!("offset for leader epoch: {label}"), expected, send)
    };
    let topic: Named = |state| &state.topic;
    let unknown = E::UNKNOWN_TOPIC_OR_PARTITION.into();
    let undefined = Expected::from(E::NONE).with("epoch", -1).with("end", -1);
    vec![
        asked("unknown topic", unknown, |s| &s.missing, -1, 0),
        asked("current epoch 9", E::UNKNOWN_LEADER_EPOCH.into(), topic, 9, 0),
        asked("epoch 9 asked (undefined, -1/-1)", undefined, topic, -1, 9),
    ]
}
