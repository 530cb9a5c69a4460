//! Logs that become empty: their offsets never shift.

use std::thread;
use std::time::{Duration, Instant};

use highwater_testkit::topics::fetched_bytes;
use highwater_testkit::{BrokerOptions, BrokerProcess, Topic, Wire, batch, now_ms};
use highwater_wire::ErrorCode;
use highwater_wire::messages::FetchRequest;

use super::admin;
use crate::shared;

const HOUR_MS: i64 = 3_600_000;
const RECORDS: i64 = 10;
const EXPIRED_WITHIN: Duration = Duration::from_secs(30);

/// Every record of the partition is gone, `end` were there once.
#[track_caller]
fn check_empty_at(wire: &mut Wire, topic: &Topic, end: i64) {
    assert_eq!(wire.offsets(topic, 0), (end, end));
    let here = wire.fetch(topic, 0, end);
    assert_eq!((here.error_code, here.high_watermark, here.log_start_offset), (0, end, end));
    assert!(fetched_bytes(&here).is_empty());
    for gone in [0, end - 1, end + 1] {
        let code = ErrorCode(wire.fetch(topic, 0, gone).error_code);
        assert_eq!(code, ErrorCode::OFFSET_OUT_OF_RANGE, "offset {gone}");
    }
}

/// One answer for an expired partition and for one that is not.
#[track_caller]
fn check_neighbour_is_read(wire: &mut Wire, expired: &Topic, neighbour: &Topic) {
    let mut request = expired.fetch(13, 0, 0);
    request.topics.push(neighbour.fetch_topic(13, 0, 0));
    let answer = wire.call(13, &request);
    assert_eq!(answer.error_code, 0);
    let of = |topic: &Topic| {
        let found = answer.responses.iter().find(|response| response.topic_id == topic.id);
        found.expect("in the answer").partitions[0].clone()
    };
    assert_eq!(ErrorCode(of(expired).error_code), ErrorCode::OFFSET_OUT_OF_RANGE);
    assert_eq!(batch::records(&fetched_bytes(&of(neighbour))).len(), 1);
}

fn settled(broker: &BrokerProcess, topic: &Topic) -> Wire {
    let mut wire = broker.connect();
    while wire.list_offset(topic, 0, -1).error_code != 0 {
        thread::sleep(Duration::from_millis(50));
    }
    wire
}

/// Stays as it is where the broker is not ours to stop.
fn restart(broker: &mut BrokerProcess, is_clean: bool) {
    if !broker.is_ours() {
        return;
    }
    if is_clean {
        broker.terminate();
    } else {
        broker.kill();
    }
    broker.run();
}

#[test]
fn everything_expires_even_the_active_segment() {
    let mut broker = BrokerOptions::default()
        .set("log.retention.check.interval.ms", "200")
        .set("log.initial.task.delay.ms", "200")
        .start();
    let mut wire = broker.connect();
    // The old records lie in several segments: each is more than `segment.ms` after the last.
    let settings = [("retention.ms", "10000"), ("segment.ms", "60000")];
    let topic = wire.new_topic(1, &settings);
    let neighbour = wire.new_topic(1, &[]);
    wire.must_produce(&neighbour, 0, &batch::one(now_ms()));
    for number in 0..RECORDS {
        let time = now_ms() - HOUR_MS + number * 100_000;
        wire.must_produce(&topic, 0, &batch::one(time));
    }
    let deadline = Instant::now() + EXPIRED_WITHIN;
    while wire.offsets(&topic, 0).0 < RECORDS {
        assert!(Instant::now() < deadline, "{:?}", wire.offsets(&topic, 0));
        thread::sleep(Duration::from_millis(50));
    }
    check_empty_at(&mut wire, &topic, RECORDS);
    check_neighbour_is_read(&mut wire, &topic, &neighbour);
    for is_clean in [true, false] {
        restart(&mut broker, is_clean);
        wire = settled(&broker, &topic);
        check_empty_at(&mut wire, &topic, RECORDS);
    }
    assert_eq!(wire.must_produce(&topic, 0, &batch::one(now_ms())), RECORDS);
}

#[test]
fn everything_is_deleted() {
    let mut broker = BrokerProcess::start();
    let mut wire = broker.connect();
    let (topic, neighbour) = (wire.new_topic(1, &[]), wire.new_topic(1, &[]));
    wire.must_produce(&neighbour, 0, &batch::one(now_ms()));
    for _ in 0..RECORDS {
        wire.must_produce(&topic, 0, &batch::one(now_ms()));
    }
    let deleted = wire.delete_records(&topic, 0, -1);
    assert_eq!((deleted.error_code, deleted.low_watermark), (0, RECORDS));
    check_empty_at(&mut wire, &topic, RECORDS);
    check_neighbour_is_read(&mut wire, &topic, &neighbour);
    for is_clean in [true, false] {
        restart(&mut broker, is_clean);
        wire = settled(&broker, &topic);
        check_empty_at(&mut wire, &topic, RECORDS);
    }
    assert_eq!(wire.must_produce(&topic, 0, &batch::one(now_ms())), RECORDS);
}

/// A fetch waits for more bytes than there are, at an offset that is deleted meanwhile: it ends
/// with the error that a new fetch would get, and does not wait for ever.
#[test]
fn records_are_deleted_under_a_waiting_fetch() {
    let broker = shared::broker();
    let (mut waiting, mut wire) = (broker.connect(), broker.connect());
    let topic = wire.new_topic(1, &[]);
    for _ in 0..RECORDS {
        wire.must_produce(&topic, 0, &batch::one(now_ms()));
    }
    let request = FetchRequest { max_wait_ms: 2_000, min_bytes: 1 << 20, ..topic.fetch(13, 0, 5) };
    let sent = waiting.send(13, &request);
    thread::sleep(Duration::from_millis(100));
    assert_eq!(wire.delete_records(&topic, 0, -1).error_code, 0);
    let answer = waiting.receive(sent);
    let partition = &answer.responses[0].partitions[0];
    assert_eq!(ErrorCode(partition.error_code), ErrorCode::OFFSET_OUT_OF_RANGE);
    // At the new end it waits as anywhere else, and is woken by the next record.
    let request = FetchRequest { max_wait_ms: 10_000, min_bytes: 1, ..topic.fetch(13, 0, RECORDS) };
    let sent = waiting.send(13, &request);
    thread::sleep(Duration::from_millis(100));
    let begun = Instant::now();
    wire.must_produce(&topic, 0, &batch::one(now_ms()));
    let answer = waiting.receive(sent);
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(batch::records(&fetched_bytes(&answer.responses[0].partitions[0])).len(), 1);
}

/// The same when the records expire.
#[test]
fn records_expire_under_a_waiting_fetch() {
    let broker = BrokerOptions::default()
        .set("log.retention.check.interval.ms", "200")
        .set("log.initial.task.delay.ms", "200")
        .start();
    let (mut waiting, mut wire) = (broker.connect(), broker.connect());
    let topic = wire.new_topic(1, &[("retention.ms", "-1")]);
    for _ in 0..RECORDS {
        wire.must_produce(&topic, 0, &batch::one(now_ms() - HOUR_MS));
    }
    let request = FetchRequest { max_wait_ms: 5_000, min_bytes: 1 << 20, ..topic.fetch(13, 0, 5) };
    let sent = waiting.send(13, &request);
    admin::touch(&mut wire, admin::TOPIC, &topic.name, ("retention.ms", "10000"), false);
    let answer = waiting.receive(sent);
    let partition = &answer.responses[0].partitions[0];
    assert_eq!(ErrorCode(partition.error_code), ErrorCode::OFFSET_OUT_OF_RANGE);
    check_empty_at(&mut wire, &topic, RECORDS);
}
