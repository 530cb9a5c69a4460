//! A cluster whose brokers move, lead, refuse and go away.

mod fake;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::time::Duration;

use fake::{FakeBroker, ready, versions};
use highwater_client::{Client, ClientError, ClientOptions, CoordinatorKind, OffsetQuery};
use highwater_net::Stage;
use highwater_types::{BrokerId, Offset, PartitionIndex, TopicPartition};
use highwater_wire::header::RequestHeader;
use highwater_wire::messages::find_coordinator_response::Coordinator;
use highwater_wire::messages::list_offsets_response::{
    ListOffsetsPartitionResponse, ListOffsetsTopicResponse,
};
use highwater_wire::messages::metadata_response::{
    MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic,
};
use highwater_wire::messages::{
    FindCoordinatorResponse, HeartbeatRequest, HeartbeatResponse, ListOffsetsRequest,
    ListOffsetsResponse, MetadataRequest, MetadataResponse,
};
use highwater_wire::{ApiKey, ErrorCode, Message, Reader, Request};

/// Two brokers, one topic `t` with one partition, led by `leader`; `leader` also coordinates.
#[derive(Default)]
struct Scene {
    ports: [AtomicI32; 2],
    leader: AtomicI32,
    asked_offsets: [AtomicUsize; 2],
    asked_metadata: AtomicUsize,
}

const APIS: &[(ApiKey, i16, i16)] = &[
    (ApiKey::API_VERSIONS, 0, 5),
    (ApiKey::METADATA, 0, 12),
    (ApiKey::LIST_OFFSETS, 1, 8),
    (ApiKey::FIND_COORDINATOR, 0, 5),
    (ApiKey::HEARTBEAT, 0, 4),
];

impl Scene {
    fn answer(&self, me: i32, header: RequestHeader, mut body: Reader) -> Stage {
        let is_leader = self.leader.load(Ordering::SeqCst) == me;
        match header.api_key {
            ApiKey::API_VERSIONS => versions(&header, APIS),
            ApiKey::METADATA => {
                let request = MetadataRequest::decode(&mut body, header.api_version).unwrap();
                ready(&header, &self.metadata(&request))
            }
            ApiKey::LIST_OFFSETS => {
                self.asked_offsets[me as usize].fetch_add(1, Ordering::SeqCst);
                let request = ListOffsetsRequest::decode(&mut body, header.api_version).unwrap();
                ready(&header, &offsets(&request, is_leader))
            }
            ApiKey::FIND_COORDINATOR => {
                let leader = self.leader.load(Ordering::SeqCst);
                let coordinator = Coordinator { node_id: leader, ..Default::default() };
                let coordinators = vec![coordinator];
                ready(&header, &FindCoordinatorResponse { coordinators, ..Default::default() })
            }
            HeartbeatRequest::KEY => {
                let code = if is_leader { ErrorCode::NONE } else { ErrorCode::NOT_COORDINATOR };
                ready(&header, &HeartbeatResponse { error_code: code.0, ..Default::default() })
            }
            _ => Stage::Close("not in this scene"),
        }
    }

    fn metadata(&self, request: &MetadataRequest) -> MetadataResponse {
        self.asked_metadata.fetch_add(1, Ordering::SeqCst);
        let broker = |id: i32| MetadataResponseBroker {
            node_id: id,
            host: "127.0.0.1".into(),
            port: self.ports[id as usize].load(Ordering::SeqCst),
            ..Default::default()
        };
        let topic = |name: &str| MetadataResponseTopic {
            name: Some(name.into()),
            error_code: match name {
                "t" => 0,
                _ => ErrorCode::UNKNOWN_TOPIC_OR_PARTITION.0,
            },
            partitions: vec![MetadataResponsePartition {
                leader_id: self.leader.load(Ordering::SeqCst),
                ..Default::default()
            }],
            ..Default::default()
        };
        let names = request.topics.iter().flatten().filter_map(|t| t.name.clone());
        MetadataResponse {
            brokers: vec![broker(0), broker(1)],
            controller_id: 0,
            topics: names.map(|name| topic(&name)).collect(),
            ..Default::default()
        }
    }
}

fn offsets(request: &ListOffsetsRequest, is_leader: bool) -> ListOffsetsResponse {
    let code = if is_leader { ErrorCode::NONE } else { ErrorCode::NOT_LEADER_OR_FOLLOWER };
    let partition = ListOffsetsPartitionResponse {
        error_code: code.0,
        offset: if request.topics[0].partitions[0].timestamp == -2 { 3 } else { 9 },
        timestamp: -1,
        ..Default::default()
    };
    let topic = ListOffsetsTopicResponse {
        name: request.topics[0].name.clone(),
        partitions: vec![partition],
        ..Default::default()
    };
    ListOffsetsResponse { topics: vec![topic], ..Default::default() }
}

fn broker(scene: &Arc<Scene>, id: i32) -> FakeBroker {
    let shared = scene.clone();
    let broker = FakeBroker::start(move |header, body| shared.answer(id, header, body));
    scene.ports[id as usize].store(broker.address.port().into(), Ordering::SeqCst);
    broker
}

async fn cluster() -> (Arc<Scene>, Vec<FakeBroker>, Client) {
    let scene = Arc::new(Scene::default());
    let brokers = vec![broker(&scene, 0), broker(&scene, 1)];
    let mut options = ClientOptions::at(&brokers[0].address());
    options.unknown_topic_for = Duration::from_millis(100);
    options.retry_for = Duration::from_secs(5);
    let client = Client::connect(options).await.unwrap();
    (scene, brokers, client)
}

fn t0() -> TopicPartition {
    TopicPartition { topic: "t".into(), partition: PartitionIndex(0) }
}

async fn check_offset(client: &Client, query: OffsetQuery, expected: i64) {
    let mut found = client.list_offsets(&BTreeMap::from([(t0(), query)]), false).await;
    assert_eq!(found.remove(&t0()).unwrap().unwrap().offset, Some(Offset(expected)));
}

#[tokio::test]
async fn requests_follow_the_leader() {
    let (scene, _brokers, client) = cluster().await;
    check_offset(&client, OffsetQuery::Earliest, 3).await;
    scene.leader.store(1, Ordering::SeqCst);
    check_offset(&client, OffsetQuery::Latest, 9).await;
    check_offset(&client, OffsetQuery::Latest, 9).await;
    let asked = |id: usize| scene.asked_offsets[id].load(Ordering::SeqCst);
    assert_eq!((asked(0), asked(1)), (2, 2));
}

#[tokio::test]
async fn topics_are_remembered_until_they_prove_wrong() {
    let (scene, _brokers, client) = cluster().await;
    let asked = || scene.asked_metadata.load(Ordering::SeqCst);
    assert_eq!(asked(), 1);
    for _ in 0..3 {
        assert_eq!(client.topic("t").await.unwrap().partitions.len(), 1);
    }
    assert_eq!(asked(), 2);
    client.forget_topic("t");
    let leader = client.leader("t", PartitionIndex(0)).await.unwrap();
    assert_eq!((leader.id, asked()), (BrokerId(0), 3));
    let missing = client.leader("t", PartitionIndex(1)).await.unwrap_err();
    assert_eq!(missing.to_string(), "topic t has no partition 1; it has 1");
}

#[tokio::test]
async fn a_topic_that_nobody_knows() {
    let (_scene, _brokers, client) = cluster().await;
    let error = client.topic("nope").await.unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION));
    assert!(error.to_string().starts_with("topic nope: UNKNOWN_TOPIC_OR_PARTITION"), "{error}");
}

#[tokio::test]
async fn coordinators_are_followed_too() {
    let (scene, _brokers, client) = cluster().await;
    let heartbeat = HeartbeatRequest { group_id: "g".into(), ..Default::default() };
    for leader in [0, 1, 0] {
        scene.leader.store(leader, Ordering::SeqCst);
        let answer = client
            .call_coordinator(CoordinatorKind::Group, "g", &heartbeat, |answer| answer.error_code)
            .await
            .unwrap();
        assert_eq!(answer.error_code, 0);
    }
}

#[tokio::test]
async fn a_broker_that_moves_is_found_again() {
    let (scene, mut brokers, client) = cluster().await;
    check_offset(&client, OffsetQuery::Latest, 9).await;
    // The same broker, at another port; the bootstrap address leads nowhere.
    brokers[0] = broker(&scene, 0);
    scene.leader.store(1, Ordering::SeqCst);
    client.forget_topic("t");
    check_offset(&client, OffsetQuery::Latest, 9).await;
    scene.leader.store(0, Ordering::SeqCst);
    check_offset(&client, OffsetQuery::Latest, 9).await;
}

#[tokio::test]
async fn several_addresses_that_lead_nowhere_are_all_named() {
    let gone = FakeBroker::start(|_, _| Stage::Close("")).address();
    tokio::time::sleep(Duration::from_millis(20)).await;
    let error = Client::connect(ClientOptions::at(&format!("{gone}, {gone}"))).await.unwrap_err();
    assert!(matches!(error, ClientError::Connect { .. }), "{error}");
    let error =
        Client::connect(ClientOptions::at(&format!("{gone},127.0.0.1:1"))).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&gone) && text.contains("127.0.0.1:1"), "{text}");
}
