//! Idempotent producers that send again: after a crash, after a stop, after their records went.

use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use highwater_testkit::{BrokerOptions, BrokerProcess, Topic, Wire, batch, now_ms};
use highwater_wire::ErrorCode;

fn settled(broker: &BrokerProcess, topic: &Topic) -> Wire {
    let mut wire = broker.connect();
    while wire.list_offset(topic, 0, -1).error_code != 0 {
        thread::sleep(Duration::from_millis(50));
    }
    wire
}

/// Five batches of ten records.
fn five_batches(producer: (i64, i16)) -> Vec<Bytes> {
    (0..5).map(|n| batch::of_producer(producer, n * 10, 10, now_ms())).collect()
}

/// A producer sent `sent` of its five batches, without waiting for answers in between, and saw
/// `acknowledged` of them when the broker ended. It sends all five again: each is there once, and
/// those that were acknowledged are told their offset.
fn check_sent_again(is_clean: bool, sent: usize, acknowledged: usize) {
    let mut broker = BrokerProcess::start();
    if !broker.is_ours() {
        return;
    }
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[]);
    let batches = five_batches(wire.new_producer());
    let send = |batch: &Bytes| wire.send(11, &topic.produce(11, 0, Some(batch.clone())));
    let in_flight: Vec<_> = batches[..sent].iter().map(send).collect();
    for (number, waiting) in in_flight.into_iter().take(acknowledged).enumerate() {
        let answer = wire.receive(waiting).responses.remove(0).partition_responses.remove(0);
        assert_eq!((answer.error_code, answer.base_offset), (0, number as i64 * 10));
    }
    if is_clean {
        broker.terminate();
    } else {
        broker.kill();
    }
    broker.run();
    let mut wire = settled(&broker, &topic);
    for (number, batch) in batches.iter().enumerate() {
        let answer = wire.produce(&topic, 0, batch);
        let got = (ErrorCode(answer.error_code), answer.base_offset);
        // Kafka remembers the newest batch only: its snapshot has no room for more. Its clients
        // then take the older ones for lost.
        let is_forgotten = broker.is_kafka()
            && number + 1 < sent
            && got == (ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER, -1);
        let expected = (ErrorCode::NONE, number as i64 * 10);
        assert!(got == expected || is_forgotten, "batch {number}, {sent} sent: {got:?}");
    }
    assert_eq!(wire.offsets(&topic, 0), (0, 50));
}

#[test]
fn sent_again_after_a_kill() {
    for acknowledged in 1..=5 {
        check_sent_again(false, acknowledged, acknowledged);
        check_sent_again(false, 5, acknowledged);
    }
}

#[test]
fn sent_again_after_a_stop() {
    for acknowledged in [1, 3, 5] {
        check_sent_again(true, acknowledged, acknowledged);
    }
}

/// The records of a producer are all deleted: what is known of it outlives them.
#[test]
fn a_producer_outlives_its_records() {
    let mut broker = BrokerProcess::start();
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[]);
    let producer = wire.new_producer();
    let batch = |sequence| batch::of_producer(producer, sequence, 3, 1_000 + now_ms());
    let (first, second, third) = (batch(0), batch(3), batch(6));
    wire.must_produce(&topic, 0, &first);
    assert_eq!(wire.delete_records(&topic, 0, -1).low_watermark, 3);
    assert_eq!(wire.must_produce(&topic, 0, &second), 3);
    assert_eq!(wire.delete_records(&topic, 0, -1).low_watermark, 6);
    // The last one again is known as such, and one that skips a sequence is not taken.
    assert_eq!(wire.must_produce(&topic, 0, &second), 3);
    let gap = wire.produce(&topic, 0, &batch(12));
    assert_eq!(ErrorCode(gap.error_code), ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER);
    if broker.is_ours() {
        broker.terminate();
        broker.run();
        wire = settled(&broker, &topic);
        assert_eq!(wire.offsets(&topic, 0), (6, 6));
        // Kafka has forgotten it by now, and stores the duplicate.
        let forgotten = broker.is_kafka();
        let again = if forgotten { 6 } else { 3 };
        assert_eq!(wire.must_produce(&topic, 0, &second), again);
        assert_eq!(wire.must_produce(&topic, 0, &third), if forgotten { 9 } else { 6 });
    }
}

/// The same when they were too old to be kept.
#[test]
fn a_producer_outlives_records_that_expire() {
    let broker = BrokerOptions::default()
        .set("log.retention.check.interval.ms", "200")
        .set("log.initial.task.delay.ms", "200")
        .start();
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[("retention.ms", "10000")]);
    let producer = wire.new_producer();
    let old = |sequence| batch::of_producer(producer, sequence, 3, now_ms() - 60_000);
    let (first, second) = (old(0), old(3));
    for (batch, end) in [(&first, 3), (&second, 6)] {
        assert_eq!(wire.must_produce(&topic, 0, batch), end - 3);
        let deadline = Instant::now() + Duration::from_secs(30);
        while wire.offsets(&topic, 0) != (end, end) {
            assert!(Instant::now() < deadline, "{:?}", wire.offsets(&topic, 0));
            thread::sleep(Duration::from_millis(50));
        }
    }
    assert_eq!(wire.must_produce(&topic, 0, &second), 3);
    assert_eq!(wire.offsets(&topic, 0), (6, 6));
    let last = batch::of_producer(producer, 6, 3, now_ms());
    assert_eq!(wire.must_produce(&topic, 0, &last), 6);
}
