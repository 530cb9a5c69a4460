//! Limits on connections, which change while the broker runs, and on answers.

use std::time::{Duration, Instant};

use highwater_testkit::{BrokerOptions, BrokerProcess, Wire, WireError};
use highwater_wire::messages::describe_topic_partitions_request::TopicRequest;
use highwater_wire::messages::{ApiVersionsRequest, DescribeTopicPartitionsRequest};

use crate::field_cases::admin::{BROKER, touch};

const TAKEN_WITHIN: Duration = Duration::from_secs(10);

/// Whether one more connection is served.
fn one_more(broker: &BrokerProcess) -> Option<Wire> {
    let mut wire = Wire::try_connect(broker.address()).ok()?;
    match wire.try_call(4, &asked()) {
        Ok(_) => Some(wire),
        Err(WireError::Closed) => None,
        Err(other) => panic!("{other}"),
    }
}

fn asked() -> ApiVersionsRequest {
    ApiVersionsRequest {
        client_software_name: "test".into(),
        client_software_version: "1".into(),
        ..Default::default()
    }
}

/// Kafka's broker hears of a change some moments after it was answered.
fn eventually(broker: &BrokerProcess, is_served: bool) -> Option<Wire> {
    let deadline = Instant::now() + TAKEN_WITHIN;
    loop {
        let wire = one_more(broker);
        if wire.is_some() == is_served {
            return wire;
        }
        assert!(Instant::now() < deadline, "served is not {is_served}");
        drop(wire);
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn connections_by_address() {
    let broker = BrokerProcess::start();
    let mut wire = broker.connect();
    // Of all brokers, then of this one, which goes before.
    for resource in ["", "1"] {
        let second = eventually(&broker, true);
        drop(second);
        touch(&mut wire, BROKER, resource, ("max.connections.per.ip", "1"), false);
        eventually(&broker, false);
        let overrides = ("max.connections.per.ip.overrides", "10.0.0.1:7, 127.0.0.1:2");
        touch(&mut wire, BROKER, resource, overrides, false);
        let second = eventually(&broker, true);
        assert!(one_more(&broker).is_none(), "two are there");
        drop(second);
        touch(&mut wire, BROKER, resource, ("max.connections.per.ip.overrides", ""), false);
        touch(&mut wire, BROKER, resource, ("max.connections.per.ip", "100"), false);
    }
}

#[test]
fn partitions_described_in_one_answer() {
    let broker = BrokerOptions::default().set("max.request.partition.size.limit", "3").start();
    let mut wire = broker.connect();
    let topic = wire.new_topic(5, &[]);
    let asked = TopicRequest { name: topic.name.clone(), ..Default::default() };
    let request = DescribeTopicPartitionsRequest {
        topics: vec![asked],
        response_partition_limit: 2_000,
        ..Default::default()
    };
    let answer = wire.call(0, &request);
    assert_eq!(answer.topics[0].partitions.len(), 3);
    let next = answer.next_cursor.expect("there are more");
    assert_eq!((next.topic_name, next.partition_index), (topic.name, 3));
}
