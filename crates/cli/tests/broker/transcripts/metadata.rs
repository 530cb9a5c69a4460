//! Topics, the cluster, coordinators, log directories and the quorum, of one broker.

use std::fs;
use std::path::Path;

use highwater_testkit::{BrokerProcess, Topic, Wire, batch, now_ms, unique};
use highwater_types::Uuid;
use highwater_wire::messages::create_topics_response::{
    CreatableTopicConfigs, CreatableTopicResult,
};
use highwater_wire::messages::describe_cluster_response::DescribeClusterBroker;
use highwater_wire::messages::describe_log_dirs_request::DescribableLogDirTopic;
use highwater_wire::messages::describe_quorum_request::{PartitionData, TopicData};
use highwater_wire::messages::describe_topic_partitions_request::TopicRequest;
use highwater_wire::messages::describe_topic_partitions_response::{
    DescribeTopicPartitionsResponsePartition, DescribeTopicPartitionsResponseTopic,
};
use highwater_wire::messages::find_coordinator_response::Coordinator;
use highwater_wire::messages::metadata_request::MetadataRequestTopic;
use highwater_wire::messages::metadata_response::{
    MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic,
};
use highwater_wire::messages::{
    CreateTopicsRequest, DescribeClusterRequest, DescribeClusterResponse, DescribeLogDirsRequest,
    DescribeQuorumRequest, DescribeTopicPartitionsRequest, FindCoordinatorRequest, MetadataRequest,
    MetadataResponse,
};

use crate::shared;

/// What is told of operations when nobody asked.
const NOT_ASKED: i32 = i32::MIN;
/// Every operation on a topic, as bits.
const TOPIC_OPERATIONS: i32 = 3_576;
const SELF: i32 = 1;
/// Settings of a topic that only Highwater has.
const OURS: [&str; 1] = ["acks.all.flush"];

fn port(broker: &BrokerProcess) -> i32 {
    let (host, port) = broker.address().rsplit_once(':').expect("host:port");
    assert_eq!(host, "127.0.0.1");
    port.parse().expect("a number")
}

fn ask_of(wire: &mut Wire, topic: &Topic) -> MetadataResponse {
    let asked = MetadataRequestTopic { name: Some(topic.name.clone()), ..Default::default() };
    let request = MetadataRequest {
        topics: Some(vec![asked]),
        allow_auto_topic_creation: false,
        ..Default::default()
    };
    wire.call(13, &request)
}

#[test]
fn metadata_of_a_topic() {
    let broker = shared::broker();
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[]);
    let answer = ask_of(&mut wire, &topic);
    let cluster_id = answer.cluster_id.clone().expect("an id");
    // A random id, written as 22 characters.
    assert!(cluster_id.parse::<Uuid>().is_ok_and(|id| !id.is_zero()), "{cluster_id}");
    let node = MetadataResponseBroker {
        node_id: SELF,
        host: "127.0.0.1".into(),
        port: port(&broker),
        rack: None,
        ..Default::default()
    };
    let partition = MetadataResponsePartition {
        leader_id: SELF,
        leader_epoch: 0,
        replica_nodes: vec![SELF],
        isr_nodes: vec![SELF],
        ..Default::default()
    };
    let described = MetadataResponseTopic {
        name: Some(topic.name.clone()),
        topic_id: topic.id,
        partitions: vec![partition],
        topic_authorized_operations: NOT_ASKED,
        ..Default::default()
    };
    let expected = MetadataResponse {
        brokers: vec![node],
        cluster_id: Some(cluster_id),
        controller_id: SELF,
        topics: vec![described],
        ..answer.clone()
    };
    assert_eq!(answer, expected);
    assert_eq!(answer.error_code, 0);
}

#[test]
fn the_cluster() {
    let broker = shared::broker();
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[]);
    let answer = wire.call(2, &DescribeClusterRequest { endpoint_type: 1, ..Default::default() });
    let node = DescribeClusterBroker {
        broker_id: SELF,
        host: "127.0.0.1".into(),
        port: port(&broker),
        rack: None,
        is_fenced: false,
        ..Default::default()
    };
    let expected = DescribeClusterResponse {
        error_message: None,
        endpoint_type: 1,
        cluster_id: ask_of(&mut wire, &topic).cluster_id.expect("an id"),
        controller_id: SELF,
        brokers: vec![node],
        cluster_authorized_operations: NOT_ASKED,
        ..Default::default()
    };
    assert_eq!(answer, expected);
}

#[test]
fn coordinators_of_two_groups() {
    let broker = shared::broker();
    let mut wire = broker.connect();
    wire.wait_for_coordinator("g1");
    let request = FindCoordinatorRequest {
        coordinator_keys: vec!["g1".into(), "g2".into()],
        ..Default::default()
    };
    let expected = ["g1", "g2"].map(|key| Coordinator {
        key: key.into(),
        node_id: SELF,
        host: "127.0.0.1".into(),
        port: port(&broker),
        error_message: Some("".into()),
        ..Default::default()
    });
    assert_eq!(wire.call(6, &request).coordinators, expected);
}

#[test]
fn partitions_of_a_topic() {
    let broker = shared::broker();
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[]);
    let request = DescribeTopicPartitionsRequest {
        topics: vec![TopicRequest { name: topic.name.clone(), ..Default::default() }],
        response_partition_limit: 10,
        cursor: None,
        ..Default::default()
    };
    let partition = DescribeTopicPartitionsResponsePartition {
        leader_id: SELF,
        leader_epoch: 0,
        replica_nodes: vec![SELF],
        isr_nodes: vec![SELF],
        eligible_leader_replicas: Some(vec![]),
        last_known_elr: Some(vec![]),
        ..Default::default()
    };
    let expected = DescribeTopicPartitionsResponseTopic {
        name: Some(topic.name.clone()),
        topic_id: topic.id,
        partitions: vec![partition],
        topic_authorized_operations: TOPIC_OPERATIONS,
        ..Default::default()
    };
    let answer = wire.call(0, &request);
    assert_eq!(answer.topics, [expected]);
    assert_eq!(answer.next_cursor, None);
}

/// Name, value and source of every setting, as the answer to a creation lists them.
fn settings_of_a_new_topic() -> Vec<CreatableTopicConfigs> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/config/describe_topic.txt");
    let text = fs::read_to_string(path).expect("readable");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let setting = |line: &str| {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let config_source = match (fields[0], fields[3]) {
            ("retention.ms", _) => 1,
            (_, "default") => 5,
            (_, "cluster") => 3,
            (name, other) => panic!("{name}: {other}"),
        };
        let value = if fields[0] == "retention.ms" { "1000" } else { fields[2] };
        CreatableTopicConfigs {
            name: fields[0].into(),
            value: Some(value.into()),
            config_source,
            ..Default::default()
        }
    };
    lines.map(setting).collect()
}

#[test]
fn the_answer_to_a_creation() {
    let broker = shared::broker();
    let name = unique("v");
    let mut topic = highwater_testkit::topics::creation(&name, 2, &[("retention.ms", "1000")]);
    topic.replication_factor = -1;
    let request =
        CreateTopicsRequest { topics: vec![topic], timeout_ms: 1_000, ..Default::default() };
    let [answer] = broker.connect().call(7, &request).topics.try_into().expect("one topic");
    let mut answer: CreatableTopicResult = answer;
    assert!(!answer.topic_id.is_zero());
    let mut configs = answer.configs.take().expect("the settings");
    configs.retain(|setting| !OURS.contains(&&*setting.name));
    let expected = CreatableTopicResult {
        name: name.as_str().into(),
        topic_id: answer.topic_id,
        error_message: None,
        num_partitions: 2,
        replication_factor: 1,
        configs: None,
        ..Default::default()
    };
    assert_eq!(answer, expected);
    assert_eq!(configs, settings_of_a_new_topic());
}

#[test]
fn log_directories() {
    let broker = shared::broker();
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[]);
    let batch = batch::one(now_ms());
    wire.must_produce(&topic, 0, &batch);
    let asked = DescribableLogDirTopic {
        topic: topic.name.clone(),
        partitions: vec![0],
        ..Default::default()
    };
    let request = DescribeLogDirsRequest { topics: Some(vec![asked]), ..Default::default() };
    let answer = wire.call(5, &request);
    assert_eq!(answer.error_code, 0);
    let [dir] = answer.results.as_slice() else { panic!("{:?}", answer.results) };
    assert_eq!((dir.error_code, dir.is_cordoned), (0, false));
    if broker.is_ours() {
        assert_eq!(&*dir.log_dir, broker.data_dir().to_str().expect("UTF-8"));
    }
    assert!(dir.usable_bytes > 0 && dir.usable_bytes < dir.total_bytes, "{dir:?}");
    let [listed] = dir.topics.as_slice() else { panic!("{:?}", dir.topics) };
    assert_eq!(listed.name, topic.name);
    let partition = &listed.partitions[0];
    assert_eq!(partition.partition_size, batch.len() as i64);
    assert_eq!((partition.offset_lag, partition.is_future_key), (0, false));
}

#[test]
fn the_quorum() {
    let broker = shared::broker();
    let partition = PartitionData { partition_index: 0, ..Default::default() };
    let topic = TopicData {
        topic_name: "__cluster_metadata".into(),
        partitions: vec![partition],
        ..Default::default()
    };
    let request = DescribeQuorumRequest { topics: vec![topic], ..Default::default() };
    let answer = broker.connect().call(2, &request);
    assert_eq!((answer.error_code, answer.error_message.as_deref()), (0, Some("")));
    assert_eq!(answer.topics[0].topic_name, *"__cluster_metadata");
    let partition = &answer.topics[0].partitions[0];
    assert_eq!((partition.error_code, partition.error_message.as_deref()), (0, Some("")));
    assert_eq!(partition.leader_id, SELF);
    assert!(partition.leader_epoch > 0 && partition.high_watermark > 0, "{partition:?}");
    let [voter] = partition.current_voters.as_slice() else { panic!("{partition:?}") };
    assert_eq!(voter.replica_id, SELF);
    assert!(voter.log_end_offset >= partition.high_watermark, "{partition:?}");
    assert!(voter.last_fetch_timestamp > 0 && voter.last_caught_up_timestamp > 0, "{voter:?}");
    assert!(partition.observers.is_empty());
    assert_eq!(answer.nodes.iter().map(|node| node.node_id).collect::<Vec<_>>(), [SELF]);
}
