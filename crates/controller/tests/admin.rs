//! The other requests of administrators, case by case as Kafka 4.4.0 answers them.

mod support;

use highwater_controller::{ControllerReply, ControllerRequest, describe};
use highwater_types::{BrokerId, PartitionIndex, Uuid};
use highwater_wire::messages::{
    AllocateProducerIdsRequest, AlterPartitionReassignmentsRequest, AlterPartitionRequest,
    CreatePartitionsRequest, DeleteTopicsRequest, ElectLeadersRequest, ListConfigResourcesRequest,
    ListPartitionReassignmentsRequest, UpdateFeaturesRequest,
    alter_partition_reassignments_request, alter_partition_request, create_partitions_request,
    delete_topics_request, elect_leaders_request, update_features_request,
};
use highwater_wire::{ErrorCode, Str};
use support::{Cluster, assigned, topic};

type Answer = (i16, String);

fn answer(code: i16, message: &Option<Str>) -> Answer {
    (code, message.as_deref().unwrap_or_default().to_owned())
}

fn check(what: &str, got: Answer, code: ErrorCode, says: &str) {
    assert_eq!(got.0, code.0, "{what}: {}", got.1);
    assert!(got.1.contains(says), "{what}: {:?} lacks {says:?}", got.1);
}

fn with_topic(brokers: i32, replicas: &[i32]) -> Cluster {
    let mut cluster = Cluster::of(brokers, "");
    cluster.created(assigned("t", &[(0, replicas), (1, replicas)]));
    cluster
}

fn delete(cluster: &mut Cluster, topics: &[(Option<&str>, Uuid)], version: i16) -> Vec<Answer> {
    let topics = topics.iter().map(|(name, topic_id)| delete_topics_request::DeleteTopicState {
        name: name.map(Str::from),
        topic_id: *topic_id,
        ..delete_topics_request::DeleteTopicState::default()
    });
    let request =
        DeleteTopicsRequest { topics: topics.collect(), ..DeleteTopicsRequest::default() };
    match cluster.ask(ControllerRequest::DeleteTopics { request, version }) {
        ControllerReply::DeleteTopics(reply) => {
            reply.responses.iter().map(|r| answer(r.error_code, &r.error_message)).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn delete_topics() {
    use ErrorCode as E;
    let mut cluster = with_topic(1, &[1]);
    let id = cluster.image().topic("t").unwrap().id.0;
    let other = Uuid([9; 16]);
    let zero = Uuid::ZERO;
    let mut one = |what: &str, name, id, code, says| {
        let got = delete(&mut cluster, &[(name, id)], 6).remove(0);
        check(what, got, code, says);
    };
    one("unknown name", Some("nope"), zero, E::UNKNOWN_TOPIC_OR_PARTITION, "");
    one("empty name", Some(""), zero, E::UNKNOWN_TOPIC_OR_PARTITION, "");
    one("unknown id", None, other, E::UNKNOWN_TOPIC_ID, "");
    one("both", Some("t"), other, E::INVALID_REQUEST, "not by both");
    one("neither", None, zero, E::INVALID_REQUEST, "Neither");
    let twice = delete(&mut cluster, &[(Some("nope"), zero), (Some("nope"), zero)], 6);
    assert_eq!(twice.len(), 1);
    check("twice", twice[0].clone(), E::INVALID_REQUEST, "more than once");
    assert!(cluster.image().topic("t").is_some());
    // By id and by the name that leads to it: one of the two is odd.
    let got = delete(&mut cluster, &[(Some("t"), zero), (None, id)], 6);
    check("by id", got[0].clone(), E::NONE, "");
    check("by name too", got[1].clone(), E::INVALID_REQUEST, "by its id too");
    assert!(cluster.image().topic("t").is_none());

    let mut cluster = Cluster::of(1, "delete.topic.enable=false\n");
    cluster.created(topic("t", 1, 1));
    let mut off = |version, code| {
        let got = delete(&mut cluster, &[(Some("t"), zero)], version).remove(0);
        check("switched off", got, code, "delete.topic.enable");
    };
    off(6, E::TOPIC_DELETION_DISABLED);
    off(2, E::INVALID_REQUEST);
}

#[test]
fn create_partitions() {
    use ErrorCode as E;
    let mut cluster = with_topic(2, &[1]);
    type Growth<'a> = (&'a str, i32, Option<Vec<Vec<i32>>>);
    let mut grow = |topics: &[Growth<'_>], validate_only| {
        let topics = topics.iter().map(|(name, count, assignments)| {
            let assignment =
                |ids: &Vec<i32>| create_partitions_request::CreatePartitionsAssignment {
                    broker_ids: ids.clone(),
                    ..create_partitions_request::CreatePartitionsAssignment::default()
                };
            create_partitions_request::CreatePartitionsTopic {
                name: Str::from(*name),
                count: *count,
                assignments: assignments.as_ref().map(|all| all.iter().map(assignment).collect()),
                ..create_partitions_request::CreatePartitionsTopic::default()
            }
        });
        let request = CreatePartitionsRequest {
            topics: topics.collect(),
            validate_only,
            ..CreatePartitionsRequest::default()
        };
        match cluster.ask(ControllerRequest::CreatePartitions(request)) {
            ControllerReply::CreatePartitions(reply) => {
                let results = reply.results.iter();
                let answers = results.map(|r| answer(r.error_code, &r.error_message));
                (answers.collect::<Vec<_>>(), cluster.image().clone())
            }
            other => panic!("{other:?}"),
        }
    };
    let mut one = |name: &str, count, assignments, code, says: &str| {
        let (mut got, image) = grow(&[(name, count, assignments)], true);
        check(name, got.remove(0), code, says);
        assert_eq!(image.topic("t").unwrap().partitions.len(), 2);
    };
    one("t", 2, None, E::INVALID_PARTITIONS, "2 partition(s) already");
    one("t", 1, None, E::INVALID_PARTITIONS, "fewer");
    one("t", 0, None, E::INVALID_PARTITIONS, "fewer");
    one("t", -1, None, E::INVALID_PARTITIONS, "fewer");
    one("nope", 4, None, E::UNKNOWN_TOPIC_OR_PARTITION, "");
    one("t", 20_000, None, E::POLICY_VIOLATION, "19998");
    one("t", 10_002, None, E::NONE, "");
    let refused = E::INVALID_REPLICA_ASSIGNMENT;
    one("t", 4, Some(vec![vec![1]]), refused, "1 assignment(s)");
    one("t", 3, Some(vec![]), refused, "0 assignment(s)");
    one("t", 3, Some(vec![vec![9]]), refused, "broker 9");
    one("t", 3, Some(vec![vec![1, 1]]), refused, "more than once");
    one("t", 3, Some(vec![vec![]]), refused, "no replica");
    one("t", 3, Some(vec![vec![1, 2]]), refused, "others have 1");
    one("t", 3, Some(vec![vec![2]]), E::NONE, "");
    let (got, _) = grow(&[("t", 5, None), ("t", 6, None)], true);
    assert_eq!(got.len(), 1);
    check("twice", got[0].clone(), E::INVALID_REQUEST, "more than once");
    let (_, image) = grow(&[("t", 4, Some(vec![vec![2], vec![1]]))], false);
    let held = image.topic("t").unwrap();
    let leaders: Vec<i32> = held.partitions.values().map(|p| p.leader.get()).collect();
    assert_eq!(leaders, [1, 1, 2, 1]);
}

fn reassign(
    cluster: &mut Cluster,
    name: &str,
    index: i32,
    replicas: Option<&[i32]>,
    resize: bool,
) -> Answer {
    use alter_partition_reassignments_request::{ReassignablePartition, ReassignableTopic};
    let request = AlterPartitionReassignmentsRequest {
        allow_replication_factor_change: resize,
        topics: vec![ReassignableTopic {
            name: Str::from(name),
            partitions: vec![ReassignablePartition {
                partition_index: index,
                replicas: replicas.map(<[i32]>::to_vec),
                ..ReassignablePartition::default()
            }],
            ..ReassignableTopic::default()
        }],
        ..AlterPartitionReassignmentsRequest::default()
    };
    match cluster.ask(ControllerRequest::AlterPartitionReassignments(request)) {
        ControllerReply::AlterPartitionReassignments(reply) => {
            let partition = &reply.responses[0].partitions[0];
            answer(partition.error_code, &partition.error_message)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn reassignments_are_checked() {
    use ErrorCode as E;
    let mut cluster = with_topic(2, &[1]);
    let mut one = |name: &str, index, replicas: Option<&[i32]>, resize, code, says| {
        check(name, reassign(&mut cluster, name, index, replicas, resize), code, says);
    };
    let refused = E::INVALID_REPLICA_ASSIGNMENT;
    one("t", 0, Some(&[42]), true, refused, "broker 42");
    one("t", 0, Some(&[]), true, refused, "no replica");
    one("t", 0, Some(&[1, 1]), true, refused, "more than once");
    one("t", 0, Some(&[1, 2]), false, E::INVALID_REPLICATION_FACTOR, "1 replica(s)");
    one("t", 0, None, true, E::NO_REASSIGNMENT_IN_PROGRESS, "");
    one("t", 0, Some(&[1]), true, E::NONE, "");
    one("t", 9, Some(&[1]), true, E::UNKNOWN_TOPIC_OR_PARTITION, "t-9");
    one("nope", 0, Some(&[1]), true, E::UNKNOWN_TOPIC_OR_PARTITION, "nope");
}

fn in_sync(cluster: &mut Cluster, isr: &[i32]) -> i16 {
    use alter_partition_request::{BrokerState, PartitionData, TopicData};
    let image = cluster.image();
    let topic = image.topic("t").unwrap();
    let held = topic.partition(PartitionIndex(0)).unwrap();
    let states = isr.iter().map(|id| BrokerState { broker_id: *id, ..BrokerState::default() });
    let request = AlterPartitionRequest {
        broker_id: held.leader.get(),
        broker_epoch: image.broker(held.leader).map_or(0, |broker| broker.epoch),
        topics: vec![TopicData {
            topic_id: topic.id.0,
            partitions: vec![PartitionData {
                leader_epoch: held.leader_epoch.get(),
                partition_epoch: held.partition_epoch,
                new_isr_with_epochs: states.collect(),
                ..PartitionData::default()
            }],
            ..TopicData::default()
        }],
        ..AlterPartitionRequest::default()
    };
    match cluster.ask(ControllerRequest::AlterPartition(request)) {
        ControllerReply::AlterPartition(reply) => reply.topics[0].partitions[0].error_code,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_reassignment_ends_when_its_replicas_are_in_sync() {
    let mut cluster = with_topic(3, &[1]);
    let list = |cluster: &Cluster| {
        let request = ListPartitionReassignmentsRequest::default();
        describe::list_partition_reassignments(cluster.image(), &request).topics
    };
    assert_eq!(reassign(&mut cluster, "t", 0, Some(&[2, 3]), true).0, 0);
    let running = list(&cluster);
    let partition = &running[0].partitions[0];
    assert_eq!(partition.replicas, [2, 3, 1]);
    assert_eq!(
        (&partition.adding_replicas[..], &partition.removing_replicas[..]),
        (&[2, 3][..], &[1][..])
    );
    assert_eq!(in_sync(&mut cluster, &[1, 2]), 0);
    assert_eq!(list(&cluster).len(), 1);
    // The last one joins: the old leader leaves.
    assert_eq!(in_sync(&mut cluster, &[1, 2, 3]), ErrorCode::NEW_LEADER_ELECTED.0);
    assert!(list(&cluster).is_empty());
    let held = cluster.image().partition("t", PartitionIndex(0)).unwrap();
    assert_eq!(held.replicas, [BrokerId(2), BrokerId(3)]);
    assert_eq!((held.leader, held.leader_epoch.get()), (BrokerId(2), 1));

    // Called off: back to what it was.
    assert_eq!(reassign(&mut cluster, "t", 0, Some(&[1]), true).0, 0);
    assert_eq!(reassign(&mut cluster, "t", 0, None, true).0, 0);
    let held = cluster.image().partition("t", PartitionIndex(0)).unwrap();
    assert_eq!(held.replicas, [BrokerId(2), BrokerId(3)]);
    assert!(!held.is_reassigning());
}

#[test]
fn who_is_in_sync_is_checked() {
    let mut cluster = with_topic(2, &[1, 2]);
    assert_eq!(in_sync(&mut cluster, &[2]), ErrorCode::INVALID_REQUEST.0);
    assert_eq!(in_sync(&mut cluster, &[1, 9]), ErrorCode::INVALID_REQUEST.0);
    assert_eq!(in_sync(&mut cluster, &[1, 1]), ErrorCode::INVALID_REQUEST.0);
    assert_eq!(in_sync(&mut cluster, &[1]), 0);
    let two = cluster.image().broker(BrokerId(2)).unwrap().epoch;
    cluster.heartbeat(2, two, true, false);
    assert_eq!(in_sync(&mut cluster, &[1, 2]), ErrorCode::INELIGIBLE_REPLICA.0);
    cluster.heartbeat(2, two, false, false);
    assert_eq!(in_sync(&mut cluster, &[1, 2]), 0);
}

fn elect(
    cluster: &mut Cluster,
    election_type: i8,
    named: Option<(&str, i32)>,
) -> (i16, Vec<Answer>) {
    let named = named.map(|(topic, index)| {
        vec![elect_leaders_request::TopicPartitions {
            topic: Str::from(topic),
            partitions: vec![index],
            ..elect_leaders_request::TopicPartitions::default()
        }]
    });
    let request = ElectLeadersRequest {
        election_type,
        topic_partitions: named,
        ..ElectLeadersRequest::default()
    };
    match cluster.ask(ControllerRequest::ElectLeaders(request)) {
        ControllerReply::ElectLeaders(reply) => {
            let results = reply.replica_election_results.iter().flat_map(|r| &r.partition_result);
            let answers = results.map(|r| answer(r.error_code, &r.error_message));
            (reply.error_code, answers.collect())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn elect_leaders() {
    use ErrorCode as E;
    let mut cluster = with_topic(2, &[2, 1]);
    let mut one = |what: &str, kind, named, code, says| {
        let (_, mut got) = elect(&mut cluster, kind, Some(named));
        check(what, got.remove(0), code, says);
    };
    one("preferred leads", 0, ("t", 0), E::ELECTION_NOT_NEEDED, "");
    one("someone leads", 1, ("t", 0), E::ELECTION_NOT_NEEDED, "");
    one("unknown topic", 0, ("nope", 0), E::UNKNOWN_TOPIC_OR_PARTITION, "nope");
    one("unknown partition", 0, ("t", 9), E::UNKNOWN_TOPIC_OR_PARTITION, "t-9");
    one("unknown type", 9, ("t", 0), E::INVALID_REQUEST, "9");
    assert_eq!(elect(&mut cluster, 9, Some(("t", 0))).0, E::INVALID_REQUEST.0);
    assert_eq!(elect(&mut cluster, 0, None), (0, vec![]));

    cluster.advance(9_000);
    let leader =
        |cluster: &Cluster| cluster.image().partition("t", PartitionIndex(0)).unwrap().leader;
    assert_eq!(leader(&cluster), BrokerId(1));
    let got = elect(&mut cluster, 0, Some(("t", 0))).1.remove(0);
    check("preferred is gone", got, E::PREFERRED_LEADER_NOT_AVAILABLE, "");
    let two = cluster.register(2, 2, -1).unwrap();
    cluster.heartbeat(2, two, false, false);
    assert_eq!(in_sync(&mut cluster, &[1, 2]), 0);
    assert_eq!(elect(&mut cluster, 0, Some(("t", 0))).1, [(0, String::new())]);
    assert_eq!(leader(&cluster), BrokerId(2));
}

#[test]
fn leaders_are_balanced_from_time_to_time() {
    let mut cluster = with_topic(2, &[2, 1]);
    cluster.advance(9_000);
    let two = cluster.register(2, 2, -1).unwrap();
    cluster.heartbeat(2, two, false, false);
    assert_eq!(in_sync(&mut cluster, &[1, 2]), 0);
    let leader =
        |cluster: &Cluster| cluster.image().partition("t", PartitionIndex(0)).unwrap().leader;
    assert_eq!(leader(&cluster), BrokerId(1));
    for _ in 0..40 {
        cluster.advance(8_000);
        cluster.heartbeat(2, two, false, false);
    }
    assert_eq!(leader(&cluster), BrokerId(2));
}

#[test]
fn update_features() {
    use ErrorCode as E;
    let mut cluster = Cluster::single();
    let mut update = |feature: &str, level, upgrade_type, validate_only, version| {
        let key = update_features_request::FeatureUpdateKey {
            feature: Str::from(feature),
            max_version_level: level,
            upgrade_type,
            ..update_features_request::FeatureUpdateKey::default()
        };
        let request = UpdateFeaturesRequest {
            feature_updates: vec![key],
            validate_only,
            ..UpdateFeaturesRequest::default()
        };
        match cluster.ask(ControllerRequest::UpdateFeatures { request, version }) {
            ControllerReply::UpdateFeatures(reply) => {
                let level = cluster.image().features.level(feature);
                (answer(reply.error_code, &reply.error_message), reply.results.len(), level)
            }
            other => panic!("{other:?}"),
        }
    };
    let mut one = |feature: &str, level, upgrade_type, code, says| {
        let (got, _, _) = update(feature, level, upgrade_type, true, 2);
        check(feature, got, code, says);
    };
    let bad = E::INVALID_UPDATE_VERSION;
    one("no.such", 1, 1, bad, "controller 1 does not know");
    one("", 1, 1, bad, "does not know");
    one("group.version", 99, 1, bad, "0 to 1");
    one("group.version", 1, 9, bad, "upgrade type 9");
    one("group.version", 1, 0, bad, "upgrade type 0");
    one("group.version", -1, 1, bad, "begin at 0");
    one("group.version", 0, 1, bad, "downgrade");
    one("group.version", 0, 2, E::NONE, "");
    one("group.version", 1, 2, E::NONE, "");
    one("metadata.version", 34, 1, bad, "7 to 33");
    one("metadata.version", 32, 2, bad, "lost");
    one("metadata.version", 28, 3, bad, "unsafe");
    one("metadata.version", 1, 2, bad, "7 to 33");
    one("kraft.version", 1, 1, E::NONE, "");
    one("kraft.version", 0, 2, E::NONE, "");
    one("eligible.leader.replicas.version", 0, 2, E::NONE, "");
    one("transaction.version", 1, 2, E::NONE, "");
    assert_eq!(update("streams.version", 0, 2, true, 1), ((0, String::new()), 1, 1));
    assert_eq!(update("streams.version", 0, 2, false, 2), ((0, String::new()), 0, 0));
    assert_eq!(update("streams.version", 1, 1, false, 2), ((0, String::new()), 0, 1));
}

#[test]
fn producer_ids_come_in_blocks() {
    let mut cluster = Cluster::single();
    let broker_epoch = cluster.image().broker(BrokerId(1)).unwrap().epoch;
    let mut next = |broker_id, broker_epoch| {
        let request = AllocateProducerIdsRequest {
            broker_id,
            broker_epoch,
            ..AllocateProducerIdsRequest::default()
        };
        match cluster.ask(ControllerRequest::AllocateProducerIds(request)) {
            ControllerReply::AllocateProducerIds(reply) => {
                (reply.error_code, reply.producer_id_start, reply.producer_id_len)
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(next(1, broker_epoch), (0, 0, 1000));
    assert_eq!(next(1, broker_epoch), (0, 1000, 1000));
    assert_eq!(next(1, broker_epoch + 1).0, ErrorCode::STALE_BROKER_EPOCH.0);
    assert_eq!(next(2, 0).0, ErrorCode::STALE_BROKER_EPOCH.0);
}

#[test]
fn resources_with_settings_are_listed() {
    let mut cluster = with_topic(1, &[1]);
    cluster.created(topic("a", 1, 1));
    let list = |types: &[i8], version| {
        let request = ListConfigResourcesRequest {
            resource_types: types.to_vec(),
            ..ListConfigResourcesRequest::default()
        };
        let reply = describe::list_config_resources(cluster.image(), &request, version);
        let resources = reply.config_resources.iter();
        let names = resources.map(|r| (r.resource_type, r.resource_name.to_string()));
        (reply.error_code, names.collect::<Vec<_>>())
    };
    let is = |kind: i8, name: &str| (kind, name.to_owned());
    assert_eq!(list(&[2], 1), (0, vec![is(2, "a"), is(2, "t")]));
    assert_eq!(list(&[4, 8], 1), (0, vec![is(8, "1"), is(4, "1")]));
    assert_eq!(list(&[], 1).1.len(), 4);
    assert_eq!(list(&[77], 1), (ErrorCode::UNSUPPORTED_VERSION.0, vec![]));
    assert_eq!(list(&[], 0), (0, vec![]));
}
