//! The producer against a real broker; see `kafka.rs`.

mod kafka_at;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use highwater_client::{
    Acks, Client, OffsetQuery, Producer, ProducerOptions, ProducerRecord, partition_of_key,
};
use highwater_records::Compression;
use highwater_types::Offset;
use kafka_at::{at, client, create_topic};

async fn end_of(client: &Client, topic: &str, partition: i32) -> i64 {
    let wanted = BTreeMap::from([(at(topic, partition), OffsetQuery::Latest)]);
    let mut found = client.list_offsets(&wanted, false).await;
    found.pop_first().unwrap().1.unwrap().offset.unwrap().get()
}

/// A topic whose leaders take records: without retries in order, or without answers, it is too
/// early for them right after the topic was made.
async fn ready_topic(client: &Client) -> String {
    let topic = create_topic(client, "produce", 2).await;
    let producer = Producer::new(client.clone(), ProducerOptions::default()).await.unwrap();
    for partition in 0..2 {
        let record = ProducerRecord::new(topic.as_str(), "first").with_partition(partition);
        producer.send_and_wait(record).await.unwrap();
    }
    topic
}

/// Waits for the end of a partition: acknowledged is not yet readable unless `acks=all`.
async fn check_end(client: &Client, topic: &str, partition: i32, expected: i64) {
    let begun = Instant::now();
    while end_of(client, topic, partition).await != expected {
        let end = end_of(client, topic, partition).await;
        assert!(begun.elapsed() < Duration::from_secs(10), "{end} instead of {expected}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn check_delivers(client: &Client, options: ProducerOptions) {
    let topic = ready_topic(client).await;
    let producer = Producer::new(client.clone(), options.clone()).await.unwrap();
    let mut deliveries = Vec::new();
    for number in 0..3000 {
        let record = ProducerRecord::new(topic.as_str(), format!("value {number}"))
            .with_partition(number % 2);
        deliveries.push(producer.send(record).await.unwrap());
    }
    producer.flush().await.unwrap();
    for (number, delivery) in deliveries.iter().enumerate() {
        let delivered = delivery.result().unwrap().unwrap();
        let expected = (options.acks != Acks::None).then_some(Offset(1 + number as i64 / 2));
        assert_eq!(delivered.offset, expected, "{options:?}");
    }
    for partition in 0..2 {
        check_end(client, &topic, partition, 1501).await;
    }
}

#[tokio::test]
async fn delivers_with_every_codec_and_acks() {
    let Some(client) = client().await else { return };
    for compression in Compression::ALL {
        check_delivers(&client, ProducerOptions { compression, ..Default::default() }).await;
    }
    for acks in [Acks::None, Acks::Leader] {
        let options = ProducerOptions { acks, is_idempotent: false, ..Default::default() };
        check_delivers(&client, options).await;
    }
    let linger = Duration::ZERO;
    check_delivers(&client, ProducerOptions { linger, ..Default::default() }).await;
    check_delivers(&client, ProducerOptions { batch_bytes: 1, ..Default::default() }).await;
    let buffer_bytes = 10_000;
    check_delivers(&client, ProducerOptions { buffer_bytes, ..Default::default() }).await;
}

#[tokio::test]
async fn keys_choose_partitions_and_one_record_goes_at_once() {
    let Some(client) = client().await else { return };
    let topic = create_topic(&client, "keys", 5).await;
    let linger = Duration::from_secs(10);
    let options = ProducerOptions { linger, ..Default::default() };
    let producer = Producer::new(client.clone(), options).await.unwrap();
    let begun = Instant::now();
    for key in ["a", "b", "some longer key"] {
        let record = ProducerRecord::new(topic.as_str(), "v").with_key(key);
        let delivered = producer.send_and_wait(record).await.unwrap();
        assert_eq!(delivered.partition, partition_of_key(key.as_bytes(), 5));
    }
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_record_that_is_refused_does_not_stop_the_others() {
    let Some(client) = client().await else { return };
    let topic = create_topic(&client, "refused", 1).await;
    let options = ProducerOptions { request_bytes_max: 8 << 20, ..Default::default() };
    let producer = Producer::new(client.clone(), options).await.unwrap();
    let mut deliveries = Vec::new();
    for size in [10, 10, 3 << 20, 10, 10] {
        let record = ProducerRecord::new(topic.as_str(), vec![b'x'; size]);
        deliveries.push(producer.send(record).await.unwrap());
    }
    let error = producer.close().await.unwrap_err();
    assert_eq!(error.code().map(|code| code.name()), Some("MESSAGE_TOO_LARGE"));
    let mut offsets = Vec::new();
    for delivery in &deliveries {
        offsets.push(delivery.wait().await.ok().and_then(|d| d.offset).map(Offset::get));
    }
    assert_eq!(offsets, [Some(0), Some(1), None, Some(2), Some(3)]);
    let late = producer.send(ProducerRecord::new(topic.as_str(), "late")).await;
    assert_eq!(late.err().unwrap().to_string(), "the producer is closed");
}
