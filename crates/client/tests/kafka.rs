//! Against a real broker, if `HIGHWATER_TEST_BOOTSTRAP` names one (`host:port`); otherwise each
//! test says so and passes.

use highwater_client::Connection;
use highwater_wire::ApiKey;
use highwater_wire::messages::{ListGroupsRequest, MetadataRequest};

fn bootstrap() -> Option<String> {
    let address = std::env::var("HIGHWATER_TEST_BOOTSTRAP").ok();
    if address.is_none() {
        eprintln!("HIGHWATER_TEST_BOOTSTRAP is not set: nothing is checked");
    }
    address
}

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
