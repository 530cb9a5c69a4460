//! HW-13: replaying the log gives the live image, at every prefix; a snapshot gives it too; and
//! replay takes whatever it is given.

mod support;

use highwater_controller::{ControllerRequest, Image, ImageDelta, record_version};
use highwater_types::{BrokerId, Offset, PartitionIndex};
use highwater_wire::Str;
use highwater_wire::messages::{
    AllocateProducerIdsRequest, AlterClientQuotasRequest, AlterPartitionReassignmentsRequest,
    AlterPartitionRequest, AlterUserScramCredentialsRequest, CreatePartitionsRequest,
    DeleteTopicsRequest, ElectLeadersRequest, IncrementalAlterConfigsRequest,
    alter_client_quotas_request, alter_partition_reassignments_request, alter_partition_request,
    alter_user_scram_credentials_request, create_partitions_request, delete_topics_request,
    elect_leaders_request, incremental_alter_configs_request,
};
use highwater_wire::metadata_frame::MetadataRecord;
use proptest::prelude::*;
use support::{Cluster, topic};

const TOPICS: [&str; 4] = ["a", "b.c", "b_c", "d"];

#[derive(Clone, Debug)]
enum Step {
    Create { topic: usize, partitions: i32, factor: i16 },
    Delete { topic: usize },
    Grow { topic: usize, count: i32 },
    Configure { topic: usize, key: &'static str, value: Option<String> },
    Start { broker: i32, life: u8 },
    Stop { broker: i32, now: bool },
    Reassign { topic: usize, replicas: Option<Vec<i32>> },
    InSync { topic: usize, isr: Vec<i32> },
    Elect { unclean: bool },
    Quota { user: Option<u8>, value: Option<f64> },
    Scram { user: u8, delete: bool },
    ProducerIds,
    Wait { ms: u64 },
    Reload,
}

fn step() -> impl Strategy<Value = Step> {
    let topic = 0..TOPICS.len();
    let replicas = prop::option::of(prop::collection::vec(1..5, 1..4));
    let keys = prop::sample::select(vec!["retention.ms", "min.insync.replicas"]);
    let value = prop::option::of((1..4u8).prop_map(|n| n.to_string()));
    prop_oneof![
        4 => (topic.clone(), 1..4, 1..4i16)
            .prop_map(|(topic, partitions, factor)| Step::Create { topic, partitions, factor }),
        1 => topic.clone().prop_map(|topic| Step::Delete { topic }),
        1 => (topic.clone(), 1..6).prop_map(|(topic, count)| Step::Grow { topic, count }),
        2 => (topic.clone(), keys, value)
            .prop_map(|(topic, key, value)| Step::Configure { topic, key, value }),
        3 => (1..5, 1..4u8).prop_map(|(broker, life)| Step::Start { broker, life }),
        2 => (1..5, any::<bool>()).prop_map(|(broker, now)| Step::Stop { broker, now }),
        2 => (topic.clone(), prop::collection::vec(1..5, 1..4))
            .prop_map(|(topic, isr)| Step::InSync { topic, isr }),
        2 => (topic, replicas).prop_map(|(topic, replicas)| Step::Reassign { topic, replicas }),
        1 => any::<bool>().prop_map(|unclean| Step::Elect { unclean }),
        1 => (prop::option::of(0..2u8), prop::option::of(1.0..9.0f64))
            .prop_map(|(user, value)| Step::Quota { user, value }),
        1 => (0..2u8, any::<bool>()).prop_map(|(user, delete)| Step::Scram { user, delete }),
        1 => Just(Step::ProducerIds),
        2 => (1..10_000u64).prop_map(|ms| Step::Wait { ms }),
        1 => Just(Step::Reload),
    ]
}

fn run(cluster: &mut Cluster, step: Step) {
    match step {
        Step::Create { topic: of, partitions, factor } => {
            cluster.create(vec![topic(TOPICS[of], partitions, factor)], false);
        }
        Step::Delete { topic } => delete(cluster, topic),
        Step::Grow { topic, count } => grow(cluster, topic, count),
        Step::Configure { topic, key, value } => configure(cluster, topic, key, value),
        Step::Start { broker, life } => {
            if let Ok(epoch) = cluster.register(broker, life, -1) {
                cluster.heartbeat(broker, epoch, false, false);
            }
        }
        Step::Stop { broker, now } => {
            let epoch = cluster.image().broker(BrokerId(broker)).map_or(0, |held| held.epoch);
            cluster.heartbeat(broker, epoch, now, true);
        }
        Step::Reassign { topic, replicas } => reassign(cluster, topic, replicas),
        Step::InSync { topic, isr } => in_sync(cluster, topic, &isr),
        Step::Elect { unclean } => elect(cluster, unclean),
        Step::Quota { user, value } => quota(cluster, user, value),
        Step::Scram { user, delete } => scram(cluster, user, delete),
        Step::ProducerIds => {
            let epoch = cluster.image().broker(BrokerId(1)).map_or(0, |held| held.epoch);
            let request = AllocateProducerIdsRequest {
                broker_id: 1,
                broker_epoch: epoch,
                ..AllocateProducerIdsRequest::default()
            };
            cluster.ask(ControllerRequest::AllocateProducerIds(request));
        }
        Step::Wait { ms } => cluster.advance(ms),
        Step::Reload => cluster.lead(),
    }
}

fn delete(cluster: &mut Cluster, topic: usize) {
    let request = DeleteTopicsRequest {
        topics: vec![delete_topics_request::DeleteTopicState {
            name: Some(Str::from(TOPICS[topic])),
            ..delete_topics_request::DeleteTopicState::default()
        }],
        ..DeleteTopicsRequest::default()
    };
    cluster.ask(ControllerRequest::DeleteTopics { request, version: 6 });
}

fn grow(cluster: &mut Cluster, topic: usize, count: i32) {
    let request = CreatePartitionsRequest {
        topics: vec![create_partitions_request::CreatePartitionsTopic {
            name: Str::from(TOPICS[topic]),
            count,
            assignments: None,
            ..create_partitions_request::CreatePartitionsTopic::default()
        }],
        ..CreatePartitionsRequest::default()
    };
    cluster.ask(ControllerRequest::CreatePartitions(request));
}

fn configure(cluster: &mut Cluster, topic: usize, key: &str, value: Option<String>) {
    use incremental_alter_configs_request::{AlterConfigsResource, AlterableConfig};
    let request = IncrementalAlterConfigsRequest {
        resources: vec![AlterConfigsResource {
            resource_type: 2,
            resource_name: Str::from(TOPICS[topic]),
            configs: vec![AlterableConfig {
                name: Str::from(key),
                config_operation: value.is_none().into(),
                value: value.map(Str::from),
                ..AlterableConfig::default()
            }],
            ..AlterConfigsResource::default()
        }],
        ..IncrementalAlterConfigsRequest::default()
    };
    let receiver = BrokerId(1);
    cluster.ask(ControllerRequest::IncrementalAlterConfigs { request, receiver });
}

fn reassign(cluster: &mut Cluster, topic: usize, replicas: Option<Vec<i32>>) {
    use alter_partition_reassignments_request::{ReassignablePartition, ReassignableTopic};
    let request = AlterPartitionReassignmentsRequest {
        topics: vec![ReassignableTopic {
            name: Str::from(TOPICS[topic]),
            partitions: vec![ReassignablePartition {
                partition_index: 0,
                replicas,
                ..ReassignablePartition::default()
            }],
            ..ReassignableTopic::default()
        }],
        ..AlterPartitionReassignmentsRequest::default()
    };
    cluster.ask(ControllerRequest::AlterPartitionReassignments(request));
}

/// The leader of the first partition tells who is in sync, beside itself.
fn in_sync(cluster: &mut Cluster, topic: usize, isr: &[i32]) {
    use alter_partition_request::{BrokerState, PartitionData, TopicData};
    let image = cluster.image();
    let Some(topic) = image.topic(TOPICS[topic]) else { return };
    let Some(held) = topic.partition(PartitionIndex(0)) else { return };
    let mut members = isr.to_vec();
    members.push(held.leader.get());
    members.sort_unstable();
    members.dedup();
    let states = members.iter().map(|id| BrokerState { broker_id: *id, ..BrokerState::default() });
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
    cluster.ask(ControllerRequest::AlterPartition(request));
}

fn elect(cluster: &mut Cluster, unclean: bool) {
    let named = elect_leaders_request::TopicPartitions {
        topic: Str::from(TOPICS[0]),
        partitions: vec![0],
        ..elect_leaders_request::TopicPartitions::default()
    };
    let request = ElectLeadersRequest {
        election_type: unclean.into(),
        topic_partitions: unclean.then(|| vec![named]),
        ..ElectLeadersRequest::default()
    };
    cluster.ask(ControllerRequest::ElectLeaders(request));
}

fn quota(cluster: &mut Cluster, user: Option<u8>, value: Option<f64>) {
    use alter_client_quotas_request::{EntityData, EntryData, OpData};
    let request = AlterClientQuotasRequest {
        entries: vec![EntryData {
            entity: vec![EntityData {
                entity_type: Str::from("user"),
                entity_name: user.map(|user| Str::from(format!("u{user}"))),
                ..EntityData::default()
            }],
            ops: vec![OpData {
                key: Str::from("request_percentage"),
                value: value.unwrap_or_default(),
                remove: value.is_none(),
                ..OpData::default()
            }],
            ..EntryData::default()
        }],
        ..AlterClientQuotasRequest::default()
    };
    cluster.ask(ControllerRequest::AlterClientQuotas(request));
}

fn scram(cluster: &mut Cluster, user: u8, delete: bool) {
    use alter_user_scram_credentials_request::{ScramCredentialDeletion, ScramCredentialUpsertion};
    let name = Str::from(format!("u{user}"));
    let mut request = AlterUserScramCredentialsRequest::default();
    if delete {
        let deletion = ScramCredentialDeletion { name, mechanism: 1, ..Default::default() };
        request.deletions.push(deletion);
    } else {
        request.upsertions.push(ScramCredentialUpsertion {
            name,
            mechanism: 1,
            iterations: 4096,
            ..ScramCredentialUpsertion::default()
        });
    }
    cluster.ask(ControllerRequest::AlterUserScramCredentials(request));
}

/// What must hold of every partition, whatever happened.
fn check_partitions(image: &Image) {
    for topic in image.topics.by_id() {
        assert!(image.topic(&topic.name).is_some_and(|named| named.id == topic.id));
        for (index, partition) in &topic.partitions {
            let shown = format!("{}-{index}: {partition:?}", topic.name);
            assert!(!partition.replicas.is_empty(), "{shown}");
            assert_eq!(partition.replicas.len(), partition.directories.len(), "{shown}");
            assert!(partition.isr.iter().all(|id| partition.replicas.contains(id)), "{shown}");
            assert!(!partition.isr.iter().any(|id| partition.elr.contains(id)), "{shown}");
            if partition.has_leader() {
                assert!(partition.isr.contains(&partition.leader), "{shown}");
                assert!(image.brokers.is_active(partition.leader), "{shown}");
            }
        }
    }
}

fn snapshot_of(image: &Image) -> Image {
    let mut copy = Image::empty();
    image.to_records().iter().for_each(|record| copy.replay(record));
    copy.replay_at(
        Offset(image.next_offset().get() - 1),
        &MetadataRecord::NoOp(Default::default()),
    );
    copy
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn replay_gives_the_live_image(steps in prop::collection::vec(step(), 1..40)) {
        let mut cluster = Cluster::of(3, "");
        let mut live = vec![(cluster.log.len(), cluster.image().clone())];
        for step in steps {
            run(&mut cluster, step);
            check_partitions(cluster.image());
            live.push((cluster.log.len(), cluster.image().clone()));
        }
        let mut replayed = Image::empty();
        let mut at = 0;
        for (end, image) in live {
            while at < end {
                replayed.replay_at(Offset(at as i64), &cluster.log[at]);
                at += 1;
                prop_assert!(replayed == snapshot_of(&replayed), "snapshot differs at {at}");
            }
            prop_assert!(replayed == image, "replay differs at {end}");
        }
    }

    /// Records that are missing, repeated or out of place change something else, and stop nothing.
    #[test]
    fn replay_is_total(
        steps in prop::collection::vec(step(), 1..30),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..200),
    ) {
        let mut cluster = Cluster::of(3, "");
        steps.into_iter().for_each(|step| run(&mut cluster, step));
        let mut image = Image::empty();
        for pick in picks {
            image.replay(pick.get(&cluster.log));
        }
        let mut copy = Image::empty();
        image.to_records().iter().for_each(|record| copy.replay(record));
        prop_assert!(copy == image);
    }
}

#[test]
fn a_metadata_transaction_shows_when_it_ends() {
    let mut cluster = Cluster::single();
    cluster.created(topic("t", 1, 1));
    let records = &cluster.log;
    let begin = MetadataRecord::BeginTransaction(Default::default());
    let end = MetadataRecord::EndTransaction(Default::default());
    let abort = MetadataRecord::AbortTransaction(Default::default());
    for (last, shows) in [(end, true), (abort, false)] {
        let mut image = Image::empty();
        image.replay(&begin);
        records.iter().for_each(|record| image.replay(record));
        assert!(image.topic("t").is_none());
        image.replay(&last);
        assert_eq!(image.topic("t").is_some(), shows);
    }
}

#[test]
fn a_delta_names_what_was_touched() {
    let mut cluster = Cluster::single();
    let before = cluster.log.len();
    cluster.created(topic("t", 2, 1));
    let delta = ImageDelta::of(&cluster.log[before..]);
    let id = cluster.image().topic("t").unwrap().id;
    assert_eq!(delta.topics_created.iter().collect::<Vec<_>>(), [&id]);
    assert_eq!(delta.partitions.len(), 2);
    assert!(delta.topics_removed.is_empty() && delta.configs.is_empty());
    delete(&mut cluster, 0);
    assert!(cluster.log.iter().all(|record| record_version(record) <= 4));
}
