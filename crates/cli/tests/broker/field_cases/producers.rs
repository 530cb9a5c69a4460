//! Idempotent producers that send again: after a crash, after a stop, after their records went.

use std::thread;
use std::time::Duration;

use bytes::Bytes;
use highwater_testkit::{BrokerProcess, Topic, Wire, batch, now_ms};
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

/// A producer with five requests in flight saw `acknowledged` answers when the broker ended. It
/// sends all five again: each is there once, and those that were there are told their offset.
fn check_sent_again(is_clean: bool, acknowledged: usize) {
    let mut broker = BrokerProcess::start();
    if !broker.is_ours() {
        return;
    }
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[]);
    let batches = five_batches(wire.new_producer());
    for batch in &batches[..acknowledged] {
        wire.must_produce(&topic, 0, batch);
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
        // Kafka remembers the newest batch only: its snapshot has no room for more. Its clients
        // then take the older ones for lost.
        let is_forgotten = broker.is_kafka() && number + 1 < acknowledged;
        let expected = if is_forgotten {
            (ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER, -1)
        } else {
            (ErrorCode::NONE, number as i64 * 10)
        };
        let got = (ErrorCode(answer.error_code), answer.base_offset);
        assert_eq!(got, expected, "batch {number} of {acknowledged}");
    }
    assert_eq!(wire.offsets(&topic, 0), (0, 50));
}

#[test]
fn sent_again_after_a_kill() {
    for acknowledged in [1, 3, 5] {
        check_sent_again(false, acknowledged);
    }
}

#[test]
fn sent_again_after_a_stop() {
    for acknowledged in [1, 3, 5] {
        check_sent_again(true, acknowledged);
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
