//! Against a real broker, if `HIGHWATER_TEST_BOOTSTRAP` names one (`host:port`); otherwise each
//! test says so and passes.

mod kafka_at;

use highwater_client::{Connection, CoordinatorKind, OffsetQuery};
use highwater_types::Offset;
use highwater_wire::messages::{HeartbeatRequest, ListGroupsRequest, MetadataRequest};
use highwater_wire::{ApiKey, ErrorCode};
use kafka_at::{at, bootstrap, client, create_topic, unique};

#[tokio::test]
async fn connects_and_calls() {
    let Some(address) = bootstrap() else { return };
    let connection = Connection::connect(&address, "test").await.unwrap();
    assert!(connection.versions().of(ApiKey::FETCH).is_some());
    let request = MetadataRequest { topics: None, ..MetadataRequest::default() };
    for version in 1..=connection.version_of::<MetadataRequest>().unwrap() {
        let answer = connection.call_version(&request, version).await.unwrap();
        assert_eq!(answer.brokers.len(), 1);
    }
    connection.call(&ListGroupsRequest::default()).await.unwrap();
}

#[tokio::test]
async fn finds_its_way_in_a_cluster() {
    let Some(client) = client().await else { return };
    let name = create_topic(&client, "way", 3).await;
    let topic = client.topic(&name).await.unwrap();
    assert_eq!(topic.partitions.len(), 3);
    let wanted = (0..3).map(|p| (at(&name, p), OffsetQuery::Latest)).collect();
    for (partition, listed) in client.list_offsets(&wanted, false).await {
        assert_eq!(listed.unwrap().offset, Some(Offset(0)), "{partition}");
    }
    let group = unique("group");
    let request = HeartbeatRequest { group_id: group.as_str().into(), ..Default::default() };
    let answer = client
        .call_coordinator(CoordinatorKind::Group, &group, &request, |answer| answer.error_code)
        .await
        .unwrap();
    assert_eq!(ErrorCode(answer.error_code), ErrorCode::UNKNOWN_MEMBER_ID);
    let error = client.topic(&unique("nope")).await.unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION));
}
