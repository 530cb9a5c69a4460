//! The consumer against a real broker; see `kafka.rs`.

mod kafka_at;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use highwater_client::{
    Client, Committed, Committer, Consumer, ConsumerOptions, ConsumerRecord, Producer,
    ProducerOptions, ProducerRecord, RecordHeader, Reset, Start,
};
use highwater_records::Compression;
use highwater_types::Offset;
use kafka_at::{at, client, create_topic, unique};

async fn fill(client: &Client, topic: &str, partitions: i32, count: i32, options: ProducerOptions) {
    let producer = Producer::new(client.clone(), options).await.unwrap();
    for number in 0..count {
        let mut record = ProducerRecord::new(topic, number.to_string())
            .with_key(format!("key {number}"))
            .with_partition(number % partitions);
        record.headers = vec![RecordHeader { name: "h".into(), value: None }];
        producer.send(record).await.unwrap();
    }
    producer.flush().await.unwrap();
}

/// Polls until there are so many records.
async fn read(consumer: &mut Consumer, count: usize) -> Vec<ConsumerRecord> {
    let mut records = Vec::new();
    let begun = Instant::now();
    while records.len() < count {
        assert!(begun.elapsed() < Duration::from_secs(30), "{} of {count}", records.len());
        records.extend(consumer.poll(Duration::from_millis(500)).await.unwrap());
    }
    records
}

fn numbers(records: &[ConsumerRecord]) -> Vec<i32> {
    let number = |record: &ConsumerRecord| {
        std::str::from_utf8(record.value.as_deref().unwrap()).unwrap().parse().unwrap()
    };
    let mut numbers: Vec<i32> = records.iter().map(number).collect();
    numbers.sort_unstable();
    numbers
}

#[tokio::test]
async fn reads_every_codec_from_the_start() {
    let Some(client) = client().await else { return };
    for compression in Compression::ALL {
        let topic = create_topic(&client, "read", 2).await;
        fill(&client, &topic, 2, 3000, ProducerOptions { compression, ..Default::default() }).await;
        let mut consumer = Consumer::new(&client, ConsumerOptions::default());
        consumer.assign([0, 1].map(|p| (at(&topic, p), Start::Earliest))).unwrap();
        let records = read(&mut consumer, 3000).await;
        assert_eq!(numbers(&records), (0..3000).collect::<Vec<_>>(), "{compression}");
        for partition in [0, 1] {
            let of = records.iter().filter(|r| r.partition.get() == partition);
            assert!(of.map(|r| r.offset.get()).eq(0..1500), "{compression}");
            assert_eq!(consumer.position(&at(&topic, partition)), Some(Offset(1500)));
        }
        let last = records.last().unwrap();
        assert!(last.key.as_ref().unwrap().starts_with(b"key "));
        assert_eq!(last.headers, [RecordHeader { name: "h".into(), value: None }]);
        assert!(consumer.poll(Duration::from_millis(50)).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn seeks_pauses_and_resets() {
    let Some(client) = client().await else { return };
    let topic = create_topic(&client, "seek", 1).await;
    fill(&client, &topic, 1, 100, ProducerOptions::default()).await;
    let options = ConsumerOptions { reset: Reset::Earliest, ..Default::default() };
    let mut consumer = Consumer::new(&client, options.clone());
    let place = at(&topic, 0);
    consumer.assign([(place.clone(), Start::Offset(Offset(90)))]).unwrap();
    assert_eq!(numbers(&read(&mut consumer, 10).await), (90..100).collect::<Vec<_>>());
    assert_eq!(consumer.high_watermark(&place), Some(Offset(100)));
    consumer.seek(&place, Start::Offset(Offset(95))).unwrap();
    consumer.pause(&place).unwrap();
    assert!(consumer.poll(Duration::from_millis(200)).await.unwrap().is_empty());
    consumer.resume(&place).unwrap();
    assert_eq!(numbers(&read(&mut consumer, 5).await), (95..100).collect::<Vec<_>>());
    consumer.seek(&place, Start::Latest).unwrap();
    assert!(consumer.poll(Duration::from_millis(200)).await.unwrap().is_empty());
    // An offset that is not there: from the earliest on.
    consumer.seek(&place, Start::Offset(Offset(1000))).unwrap();
    assert_eq!(numbers(&read(&mut consumer, 100).await), (0..100).collect::<Vec<_>>());
    // Or an error, if it is to be one.
    let mut strict = Consumer::new(&client, ConsumerOptions { reset: Reset::None, ..options });
    strict.assign([(place, Start::Offset(Offset(1000)))]).unwrap();
    let error = strict.poll(Duration::from_secs(5)).await.unwrap_err();
    assert!(error.to_string().contains("auto.offset.reset is none"), "{error}");
}

#[tokio::test]
async fn records_written_later_arrive_at_once() {
    let Some(client) = client().await else { return };
    let topic = create_topic(&client, "later", 1).await;
    let mut consumer = Consumer::new(&client, ConsumerOptions::default());
    consumer.assign([(at(&topic, 0), Start::Earliest)]).unwrap();
    assert!(consumer.poll(Duration::from_millis(300)).await.unwrap().is_empty());
    let begun = Instant::now();
    fill(&client, &topic, 1, 1, ProducerOptions::default()).await;
    assert_eq!(read(&mut consumer, 1).await.len(), 1);
    assert!(begun.elapsed() < Duration::from_millis(400), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn commits_and_goes_on_behind_them() {
    let Some(client) = client().await else { return };
    let topic = create_topic(&client, "commit", 2).await;
    fill(&client, &topic, 2, 100, ProducerOptions::default()).await;
    let group = unique("commit");
    let options = ConsumerOptions {
        reset: Reset::Earliest,
        records_max: 10,
        auto_commit: None,
        ..ConsumerOptions::in_group(&group)
    };
    let mut consumer = Consumer::new(&client, options.clone());
    consumer.subscribe(&[&topic]).unwrap();
    let mut seen = read(&mut consumer, 50).await;
    consumer.commit().await.unwrap();
    let committed = client.committed_offsets(&group, None, false).await.unwrap();
    let sum: i64 = committed.values().map(|committed| committed.offset.get()).sum();
    assert_eq!(sum, seen.len() as i64);
    consumer.close().await.unwrap();

    let mut consumer = Consumer::new(&client, options);
    consumer.subscribe(&[&topic]).unwrap();
    let rest = 100 - seen.len();
    seen.extend(read(&mut consumer, rest).await);
    assert_eq!(numbers(&seen), (0..100).collect::<Vec<_>>());
    consumer.close().await.unwrap();

    // From outside, and with words.
    let words = Committed { metadata: "words".into(), ..Committed::at(Offset(7)) };
    let offsets = BTreeMap::from([(at(&topic, 0), words)]);
    client.commit_offsets(&group, &Committer::outside(), &offsets).await.unwrap();
    let committed = client.committed_offsets(&group, Some(&[at(&topic, 0)]), true).await.unwrap();
    assert_eq!(committed[&at(&topic, 0)].metadata, "words");
    assert_eq!(committed[&at(&topic, 0)].offset, Offset(7));
}

#[tokio::test]
async fn members_share_partitions_and_take_over() {
    let Some(client) = client().await else { return };
    let topic = create_topic(&client, "share", 4).await;
    fill(&client, &topic, 4, 400, ProducerOptions::default()).await;
    let group = unique("share");
    let options = ConsumerOptions {
        reset: Reset::Earliest,
        heartbeat_interval: Duration::from_millis(200),
        ..ConsumerOptions::in_group(&group)
    };
    let mut first = Consumer::new(&client, options.clone());
    first.subscribe(&[&topic]).unwrap();
    let mut seen = read(&mut first, 400).await;
    assert_eq!(first.assignment().len(), 4);

    let mut second = Consumer::new(&client, options);
    second.subscribe(&[&topic]).unwrap();
    // Both must poll for the group to settle. Nothing is read twice: the first has committed.
    for _ in 0..100 {
        let poll = Duration::from_millis(50);
        let (a, b) = tokio::join!(first.poll(poll), second.poll(poll));
        seen.extend(a.unwrap());
        seen.extend(b.unwrap());
        if first.assignment().len() == 2 && second.assignment().len() == 2 {
            break;
        }
    }
    let both: BTreeSet<_> = first.assignment().into_iter().chain(second.assignment()).collect();
    assert_eq!(both.len(), 4);
    fill(&client, &topic, 4, 400, ProducerOptions::default()).await;
    let (a, b) = tokio::join!(read(&mut first, 200), read(&mut second, 200));
    seen.extend(a);
    seen.extend(b);
    let mut expected: Vec<i32> = (0..400).chain(0..400).collect();
    expected.sort_unstable();
    assert_eq!(numbers(&seen), expected);

    first.close().await.unwrap();
    fill(&client, &topic, 4, 40, ProducerOptions::default()).await;
    assert_eq!(numbers(&read(&mut second, 40).await), (0..40).collect::<Vec<_>>());
    assert_eq!(second.assignment().len(), 4);
    second.close().await.unwrap();
}

#[tokio::test]
async fn misuse_is_an_error_in_words() {
    let Some(client) = client().await else { return };
    let mut consumer = Consumer::new(&client, ConsumerOptions::default());
    assert_eq!(consumer.subscribe(&["t"]).unwrap_err().to_string(), "this needs a group id");
    let place = at("t", 0);
    let error = consumer.seek(&place, Start::Latest).unwrap_err();
    assert_eq!(error.to_string(), "t-0 is not assigned to this consumer");
    let mut consumer = Consumer::new(&client, ConsumerOptions::in_group("g"));
    consumer.subscribe(&["t"]).unwrap();
    assert!(consumer.assign([(place, Start::Latest)]).is_err());
}
