//! Features, elections, reassignments, brokers to unregister; producers of a partition.

use highwater_testkit::{Topic, Wire, unique};
use highwater_types::Uuid;
use highwater_wire::ErrorCode;
use highwater_wire::messages::alter_partition_reassignments_request::{
    ReassignablePartition, ReassignableTopic,
};
use highwater_wire::messages::describe_producers_request::TopicRequest;
use highwater_wire::messages::elect_leaders_request::TopicPartitions;
use highwater_wire::messages::update_features_request::FeatureUpdateKey;
use highwater_wire::messages::{
    AlterPartitionReassignmentsRequest, DescribeProducersRequest, ElectLeadersRequest,
    UnregisterBrokerRequest, UpdateFeaturesRequest,
};

use super::case::{Bench, Case, Expected, Outcome, case, check, says};

pub struct State {
    topic: Topic,
    missing: Topic,
}

type Run = Bench<State>;
type Named = fn(&State) -> &Topic;

#[test]
fn features_elections_and_reassignments() {
    let prepare = |wire: &mut Wire| State {
        topic: wire.new_topic(1, &[]),
        missing: Topic { name: unique("nope").into(), id: Uuid::ZERO },
    };
    check(prepare, cases());
}

pub fn cases() -> Vec<Case<State>> {
    let mut all = features();
    all.extend(reassignments());
    all.extend(elections());
    all.extend([
        case(
            "unregister broker: the running broker 1 is not tried; unknown broker 77",
            says(ErrorCode::BROKER_ID_NOT_REGISTERED),
            |b: &mut Run| {
                let request = UnregisterBrokerRequest { broker_id: 77, ..Default::default() };
                let answer = b.call(0, &request)?;
                Ok(Outcome::code(answer.error_code).saying(answer.error_message))
            },
        ),
        case(
            "describe producers: unknown topic",
            says(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION),
            |b: &mut Run| {
                let topic = TopicRequest {
                    name: b.state.missing.name.clone(),
                    partition_indexes: vec![0],
                    ..Default::default()
                };
                let request =
                    DescribeProducersRequest { topics: vec![topic], ..Default::default() };
                let result = b.call(0, &request)?.topics.remove(0).partitions.remove(0);
                Ok(Outcome::code(result.error_code).saying(result.error_message))
            },
        ),
    ]);
    all
}

fn features() -> Vec<Case<State>> {
    let updated = |label: &str, feature: &'static str, level: i16| {
        let send = move |b: &mut Run| {
            let update = FeatureUpdateKey {
                feature: feature.into(),
                max_version_level: level,
                upgrade_type: 1,
                ..Default::default()
            };
            let request = UpdateFeaturesRequest {
                timeout_ms: 5_000,
                feature_updates: vec![update],
                validate_only: true,
                ..Default::default()
            };
            let answer = b.call(2, &request)?;
            Ok(Outcome::code(answer.error_code).saying(answer.error_message))
        };
        case(format!("features: {label}"), says(ErrorCode::INVALID_UPDATE_VERSION), send)
    };
    vec![
        updated("upgrade of an unknown feature", "no.such", 1),
        updated("level above the supported one", "group.version", 99),
    ]
}

fn reassignments() -> Vec<Case<State>> {
    use ErrorCode as E;
    let moved = |label: &str, expected: Expected, replicas: Option<Vec<i32>>| {
        let send = move |b: &mut Run| {
            let partition = ReassignablePartition {
                partition_index: 0,
                replicas: replicas.clone(),
                ..Default::default()
            };
            let topic = ReassignableTopic {
                name: b.state.topic.name.clone(),
                partitions: vec![partition],
                ..Default::default()
            };
            let request = AlterPartitionReassignmentsRequest {
                timeout_ms: 5_000,
                topics: vec![topic],
                ..Default::default()
            };
            let result = b.call(1, &request)?.responses.remove(0).partitions.remove(0);
            Ok(Outcome::code(result.error_code).saying(result.error_message))
        };
        case(format!("reassignment: {label}"), expected, send)
    };
    vec![
        moved("to an unknown broker", says(E::INVALID_REPLICA_ASSIGNMENT), Some(vec![42])),
        moved("cancel where none runs", E::NO_REASSIGNMENT_IN_PROGRESS.into(), None),
    ]
}

fn elections() -> Vec<Case<State>> {
    use ErrorCode as E;
    let elected = |label: &str, code, election_type: i8, topic: Named| {
        let send = move |b: &mut Run| {
            let partitions = TopicPartitions {
                topic: topic(&b.state).name.clone(),
                partitions: vec![0],
                ..Default::default()
            };
            let request = ElectLeadersRequest {
                election_type,
                topic_partitions: Some(vec![partitions]),
                timeout_ms: 5_000,
                ..Default::default()
            };
            let mut answer = b.call(2, &request)?;
            let result = answer.replica_election_results.remove(0).partition_result.remove(0);
            Ok(Outcome::code(result.error_code).saying(result.error_message))
        };
        case(format!("elect leaders: {label}"), says(code), send)
    };
    let topic: Named = |state| &state.topic;
    vec![
        elected("preferred, already leader", E::ELECTION_NOT_NEEDED, 0, topic),
        elected("unclean, leader present", E::ELECTION_NOT_NEEDED, 1, topic),
        elected("unknown topic", E::UNKNOWN_TOPIC_OR_PARTITION, 0, |s| &s.missing),
    ]
}
