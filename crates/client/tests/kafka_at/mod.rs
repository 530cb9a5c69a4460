//! The broker that `HIGHWATER_TEST_BOOTSTRAP` names, and topics of our own on it.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::time::SystemTime;

use highwater_client::{Client, ClientError, ClientOptions};
use highwater_types::{PartitionIndex, TopicPartition};
use highwater_wire::messages::CreateTopicsRequest;
use highwater_wire::messages::create_topics_request::CreatableTopic;

pub fn bootstrap() -> Option<String> {
    let address = std::env::var("HIGHWATER_TEST_BOOTSTRAP").ok();
    if address.is_none() {
        eprintln!("HIGHWATER_TEST_BOOTSTRAP is not set: nothing is checked");
    }
    address
}

pub async fn client() -> Option<Client> {
    let options = ClientOptions::at(&bootstrap()?).with_client_id("test");
    Some(Client::connect(options).await.unwrap())
}

/// A name that no earlier run has used.
pub fn unique(name: &str) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    format!("{name}-{}", now.as_nanos())
}

pub async fn create_topic(client: &Client, name: &str, partitions: i32) -> String {
    let name = unique(name);
    let topic = CreatableTopic {
        name: name.as_str().into(),
        num_partitions: partitions,
        replication_factor: 1,
        ..Default::default()
    };
    let request =
        CreateTopicsRequest { topics: vec![topic], timeout_ms: 10_000, ..Default::default() };
    let answer = client.call_controller(&request).await.unwrap();
    ClientError::check("create", answer.topics[0].error_code, None).unwrap();
    name
}

pub fn at(topic: &str, partition: i32) -> TopicPartition {
    TopicPartition { topic: topic.into(), partition: PartitionIndex(partition) }
}
