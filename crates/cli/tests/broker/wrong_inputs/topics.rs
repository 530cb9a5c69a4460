//! Creating, deleting and growing topics; deleting records.

use highwater_testkit::topics::creation;
use highwater_testkit::{Topic, Wire, WireError, unique};
use highwater_types::Uuid;
use highwater_wire::messages::create_partitions_request::{
    CreatePartitionsAssignment, CreatePartitionsTopic,
};
use highwater_wire::messages::create_topics_request::{CreatableReplicaAssignment, CreatableTopic};
use highwater_wire::messages::delete_records_request::{
    DeleteRecordsPartition, DeleteRecordsTopic,
};
use highwater_wire::messages::delete_topics_request::DeleteTopicState;
use highwater_wire::messages::{
    CreatePartitionsRequest, CreateTopicsRequest, DeleteRecordsRequest, DeleteTopicsRequest,
};
use highwater_wire::{ErrorCode, Str};

use super::case::{Bench, Case, Outcome, case, check, says};

/// An id that no topic has.
pub const NO_SUCH_ID: Uuid = Uuid([0x5a; 16]);

pub struct State {
    /// Has two partitions, and stays empty.
    topic: Topic,
    compacted: Topic,
    /// Ends the names of topics that are not made, or made by a case.
    tag: String,
}

type Run = Bench<State>;
type Ended = Result<Outcome, WireError>;

#[test]
fn creating_and_deleting_topics() {
    let prepare = |wire: &mut Wire| State {
        topic: wire.new_topic(2, &[]),
        compacted: wire.new_topic(1, &[("cleanup.policy", "compact")]),
        tag: unique("n"),
    };
    check(prepare, cases());
}

pub fn cases() -> Vec<Case<State>> {
    let mut all = names();
    all.extend(counts());
    all.extend(assignments());
    all.extend(deletions());
    all.extend(growth());
    all.extend(record_deletions());
    all
}

/// Sends a creation of these topics, and reports on the first.
pub fn create<S>(b: &mut Bench<S>, topics: Vec<CreatableTopic>, only_validate: bool) -> Ended {
    let request = CreateTopicsRequest {
        topics,
        timeout_ms: 30_000,
        validate_only: only_validate,
        ..Default::default()
    };
    let result = b.call(7, &request)?.topics.remove(0);
    Ok(Outcome::code(result.error_code).saying(result.error_message))
}

fn names() -> Vec<Case<State>> {
    use ErrorCode as E;
    let named = |label: &str, expected, name: String| {
        let send = move |b: &mut Run| create(b, vec![creation(&name, 1, &[])], true);
        case(format!("create topic: {label}"), expected, send)
    };
    let invalid = || says(E::INVALID_TOPIC_EXCEPTION);
    vec![
        case("create topic: valid", E::NONE, |b: &mut Run| {
            let name = format!("new-{}", b.state.tag);
            create(b, vec![creation(&name, 2, &[])], false)
        }),
        case("create topic: exists", says(E::TOPIC_ALREADY_EXISTS), |b: &mut Run| {
            let name = b.state.topic.name.clone();
            create(b, vec![creation(&name, 2, &[])], false)
        }),
        named("empty name", invalid(), String::new()),
        named("name .", invalid(), ".".into()),
        named("name ..", invalid(), "..".into()),
        named("name with blank", invalid(), "a b".into()),
        named("name with slash", invalid(), "a/b".into()),
        named("name of 250 characters", invalid(), "x".repeat(250)),
        named("name with non-ASCII", invalid(), "é".into()),
        named("name of 249 characters, validate only", E::NONE.into(), "x".repeat(249)),
        case("create topic: name a.b", E::NONE, |b: &mut Run| {
            let name = format!("a.b-{}", b.state.tag);
            create(b, vec![creation(&name, 1, &[])], false)
        }),
        case("create topic: name a_b where a.b exists", invalid(), |b: &mut Run| {
            let name = format!("a_b-{}", b.state.tag);
            create(b, vec![creation(&name, 1, &[])], true)
        }),
        named("name of an internal topic", E::NONE.into(), "__share_group_state_x".into()),
        case("create topic: compact", E::NONE, |b: &mut Run| {
            let name = format!("compact-{}", b.state.tag);
            create(b, vec![creation(&name, 1, &[("cleanup.policy", "compact")])], false)
        }),
        case(
            "create topic: the same name twice in one request",
            says(E::INVALID_REQUEST),
            |b: &mut Run| {
                let topic = creation(&b.state.tag, 1, &[]);
                create(b, vec![topic.clone(), topic], true)
            },
        ),
    ]
}

fn counts() -> Vec<Case<State>> {
    use ErrorCode as E;
    let sized = |label: &str, expected, partitions, replicas| {
        let send = move |b: &mut Run| {
            let topic = creation(&b.state.tag, partitions, &[]);
            create(b, vec![CreatableTopic { replication_factor: replicas, ..topic }], true)
        };
        case(format!("create topic: {label}"), expected, send)
    };
    vec![
        sized("0 partitions", says(E::INVALID_PARTITIONS), 0, 1),
        sized("-1 partitions (default)", E::NONE.into(), -1, -1),
        sized("-2 partitions", says(E::INVALID_PARTITIONS), -2, 1),
        sized("10001 partitions", says(E::POLICY_VIOLATION), 10_001, 1),
        sized("2147483647 partitions", says(E::POLICY_VIOLATION), i32::MAX, 1),
        sized("replication factor 0", says(E::INVALID_REPLICATION_FACTOR), 1, 0),
        sized("replication factor -2", says(E::INVALID_REPLICATION_FACTOR), 1, -2),
        sized("replication factor 2 on 1 broker", says(E::INVALID_REPLICATION_FACTOR), 1, 2),
    ]
}

fn assignments() -> Vec<Case<State>> {
    use ErrorCode as E;
    type Assigned = &'static [(i32, &'static [i32])];
    let assigned = |label: &str, code, count: (i32, i16), assigned: Assigned| {
        let send = move |b: &mut Run| {
            let assignment = |&(partition, brokers): &(i32, &[i32])| CreatableReplicaAssignment {
                partition_index: partition,
                broker_ids: brokers.to_vec(),
                ..Default::default()
            };
            let topic = CreatableTopic {
                replication_factor: count.1,
                assignments: assigned.iter().map(assignment).collect(),
                ..creation(&b.state.tag, count.0, &[])
            };
            create(b, vec![topic], true)
        };
        case(format!("create topic: {label}"), says(code), send)
    };
    let wrong = E::INVALID_REPLICA_ASSIGNMENT;
    let unset = (-1, -1);
    vec![
        assigned("assignment with the same broker twice", wrong, unset, &[(0, &[1, 1])]),
        assigned("assignment to an unknown broker", wrong, unset, &[(0, &[77])]),
        assigned(
            "assignment with a hole (partitions 0 and 2)",
            wrong,
            unset,
            &[(0, &[1]), (2, &[1])],
        ),
        assigned("assignment with an empty replica list", wrong, unset, &[(0, &[])]),
        assigned("assignment with unequal replica counts", wrong, unset, &[(0, &[1]), (1, &[])]),
        assigned("partitions and assignment both given", E::INVALID_REQUEST, (3, 1), &[(0, &[1])]),
    ]
}

fn delete(b: &mut Run, name: Option<Str>, topic_id: Uuid) -> Ended {
    let state = DeleteTopicState { name, topic_id, ..Default::default() };
    let request =
        DeleteTopicsRequest { topics: vec![state], timeout_ms: 10_000, ..Default::default() };
    let result = b.call(6, &request)?.responses.remove(0);
    Ok(Outcome::code(result.error_code).saying(result.error_message))
}

fn deletions() -> Vec<Case<State>> {
    use ErrorCode as E;
    vec![
        case("delete topic: unknown name", says(E::UNKNOWN_TOPIC_OR_PARTITION), |b: &mut Run| {
            let name = Str::from(b.state.tag.as_str());
            delete(b, Some(name), Uuid::ZERO)
        }),
        case("delete topic: unknown id", says(E::UNKNOWN_TOPIC_ID), |b: &mut Run| {
            delete(b, None, NO_SUCH_ID)
        }),
        case("delete topic: name and id both given", says(E::INVALID_REQUEST), |b: &mut Run| {
            let name = b.state.topic.name.clone();
            delete(b, Some(name), NO_SUCH_ID)
        }),
        case("delete topic: neither name nor id", says(E::INVALID_REQUEST), |b: &mut Run| {
            delete(b, None, Uuid::ZERO)
        }),
    ]
}

fn growth() -> Vec<Case<State>> {
    use ErrorCode as E;
    type Brokers = Option<&'static [i32]>;
    let grown = |label: &str, expected, topic: fn(&State) -> Str, count, brokers: Brokers| {
        let send = move |b: &mut Run| {
            let assignment = |brokers: &[i32]| CreatePartitionsAssignment {
                broker_ids: brokers.to_vec(),
                ..Default::default()
            };
            let topic = CreatePartitionsTopic {
                name: topic(&b.state),
                count,
                assignments: brokers.map(|brokers| vec![assignment(brokers)]),
                ..Default::default()
            };
            let request = CreatePartitionsRequest {
                topics: vec![topic],
                timeout_ms: 10_000,
                validate_only: true,
                ..Default::default()
            };
            let result = b.call(3, &request)?.results.remove(0);
            Ok(Outcome::code(result.error_code).saying(result.error_message))
        };
        case(format!("create partitions: {label}"), expected, send)
    };
    let topic = |state: &State| state.topic.name.clone();
    let fewer = || says(E::INVALID_PARTITIONS);
    let wrong = || says(E::INVALID_REPLICA_ASSIGNMENT);
    vec![
        grown("same count", fewer(), topic, 2, None),
        grown("fewer", fewer(), topic, 1, None),
        grown("0", fewer(), topic, 0, None),
        grown(
            "unknown topic",
            E::UNKNOWN_TOPIC_OR_PARTITION.into(),
            |state| state.tag.as_str().into(),
            4,
            None,
        ),
        grown("20000", says(E::POLICY_VIOLATION), topic, 20_000, None),
        grown("assignment for one of two new partitions", wrong(), topic, 4, Some(&[1])),
        grown("assignment to an unknown broker", wrong(), topic, 3, Some(&[9])),
    ]
}

fn record_deletions() -> Vec<Case<State>> {
    use ErrorCode as E;
    let deleted = |label: &str, code: ErrorCode, topic: fn(&State) -> Str, partition, offset| {
        let send = move |b: &mut Run| {
            let partition =
                DeleteRecordsPartition { partition_index: partition, offset, ..Default::default() };
            let topic = DeleteRecordsTopic {
                name: topic(&b.state),
                partitions: vec![partition],
                ..Default::default()
            };
            let request = DeleteRecordsRequest {
                topics: vec![topic],
                timeout_ms: 10_000,
                ..Default::default()
            };
            let result = b.call(2, &request)?.topics.remove(0).partitions.remove(0);
            Ok(Outcome::code(result.error_code))
        };
        case(format!("delete records: {label}"), code, send)
    };
    let topic = |state: &State| state.topic.name.clone();
    let unknown = E::UNKNOWN_TOPIC_OR_PARTITION;
    vec![
        deleted("beyond the end", E::OFFSET_OUT_OF_RANGE, topic, 0, 5),
        deleted("offset -1 (to the high watermark)", E::NONE, topic, 0, -1),
        deleted("offset -2", E::OFFSET_OUT_OF_RANGE, topic, 0, -2),
        deleted("unknown topic", unknown, |state| state.tag.as_str().into(), 0, 0),
        deleted("unknown partition", unknown, topic, 9, 0),
        deleted(
            "from a compacted topic",
            E::POLICY_VIOLATION,
            |state| state.compacted.name.clone(),
            0,
            0,
        ),
    ]
}
