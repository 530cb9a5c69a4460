//! Offsets by time: of records, not of batches.

use std::fs;
use std::thread;
use std::time::Duration;

use highwater_records::{Compression, NewRecord};
use highwater_testkit::batch::{self, CODECS, record};
use highwater_testkit::{BrokerProcess, Topic, Wire, now_ms};

const LARGEST: i64 = -3;
/// The records lie in the first minute of 1970.
const KEPT: (&str, &str) = ("retention.ms", "-1");

fn at(times: &[i64]) -> Vec<NewRecord<'static>> {
    times.iter().map(|&time| record(Some("k"), Some("v"), time)).collect()
}

/// What each question finds: time and offset of the first record that is not older.
const FOUND: [(i64, (i64, i64)); 8] = [
    (5, (10, 0)),
    (10, (10, 0)),
    (11, (20, 1)),
    (26, (30, 2)),
    (30, (30, 2)),
    (31, (40, 4)),
    (41, (60, 6)),
    (61, (-1, -1)),
];

#[track_caller]
fn check_found(wire: &mut Wire, topic: &Topic) {
    for (asked, (timestamp, offset)) in FOUND {
        let found = wire.list_offset(topic, 0, asked);
        assert_eq!((found.timestamp, found.offset), (timestamp, offset), "{asked}");
        assert_eq!(found.leader_epoch >= 0, offset >= 0, "{asked}");
    }
}

fn settled(broker: &BrokerProcess, topic: &Topic) -> Wire {
    let mut wire = broker.connect();
    while wire.list_offset(topic, 0, -1).error_code != 0 {
        thread::sleep(Duration::from_millis(50));
    }
    wire
}

/// Inside compressed batches too, and when the index of times is gone.
#[test]
fn the_first_record_that_is_not_older() {
    let mut broker = BrokerProcess::start();
    let mut wire = broker.connect();
    let topics: Vec<_> = CODECS
        .iter()
        .map(|&codec| {
            let topic = wire.new_topic(1, &[KEPT]);
            wire.must_produce(&topic, 0, &batch::compressed(codec, &at(&[10, 20, 30, 25, 40])));
            wire.must_produce(&topic, 0, &batch::compressed(codec, &at(&[35, 60])));
            check_found(&mut wire, &topic);
            topic
        })
        .collect();
    if !broker.is_ours() {
        return;
    }
    broker.terminate();
    for topic in &topics {
        let folder = broker.data_dir().join(format!("{}-0", topic.name));
        fs::remove_file(folder.join("00000000000000000000.timeindex")).expect("it was there");
    }
    broker.run();
    for topic in &topics {
        let mut wire = settled(&broker, topic);
        check_found(&mut wire, topic);
    }
}

#[track_caller]
fn check_largest(wire: &mut Wire, topic: &Topic, what: &str, expected: (i64, i64)) {
    let found = wire.list_offset(topic, 0, LARGEST);
    assert_eq!((found.timestamp, found.offset), expected, "{what}");
}

/// The record of the largest time, not the end of its batch or of the log; of several the first.
#[test]
fn the_record_of_the_largest_time() {
    let mut broker = BrokerProcess::start();
    let mut wire = broker.connect();
    let mut topics = Vec::new();
    for codec in CODECS {
        let one = wire.new_topic(1, &[KEPT]);
        check_largest(&mut wire, &one, "empty", (-1, -1));
        wire.must_produce(&one, 0, &batch::compressed(codec, &at(&[10, 30, 20])));
        check_largest(&mut wire, &one, "one batch", (30, 1));
        wire.must_produce(&one, 0, &batch::compressed(codec, &at(&[15, 25])));
        check_largest(&mut wire, &one, "an older batch follows", (30, 1));
        wire.must_produce(&one, 0, &batch::compressed(codec, &at(&[30, 30])));
        check_largest(&mut wire, &one, "the same time again", (30, 1));
        topics.push((one, (30, 1)));
    }
    let three = wire.new_topic(1, &[KEPT]);
    for time in [10, 30, 20] {
        wire.must_produce(&three, 0, &batch::plain(&at(&[time])));
    }
    check_largest(&mut wire, &three, "three batches", (30, 1));
    topics.push((three, (30, 1)));

    let recompressed = wire.new_topic(1, &[KEPT, ("compression.type", "gzip")]);
    wire.must_produce(&recompressed, 0, &batch::compressed(Compression::Zstd, &at(&[10, 30, 20])));
    check_largest(&mut wire, &recompressed, "recompressed", (30, 1));
    topics.push((recompressed, (30, 1)));

    if broker.is_ours() {
        broker.terminate();
        broker.run();
        for (topic, expected) in &topics {
            let mut wire = settled(&broker, topic);
            check_largest(&mut wire, topic, "after a restart", *expected);
        }
    }
}

/// Where the broker's clock counts, all records of a batch have one time: the first is meant.
#[test]
fn the_largest_time_where_the_broker_sets_it() {
    let broker = crate::shared::broker();
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[("message.timestamp.type", "LogAppendTime")]);
    let before = now_ms();
    for offset in [0, 3] {
        let answer = wire.produce(&topic, 0, &batch::plain(&at(&[10, 30, 20])));
        assert_eq!((answer.error_code, answer.base_offset), (0, offset));
        assert!(answer.log_append_time_ms >= before);
        check_largest(&mut wire, &topic, "of the broker", (answer.log_append_time_ms, offset));
        thread::sleep(Duration::from_millis(5));
    }
    let read = wire.read_all(&topic, 0, 0);
    assert!(read[..3].iter().all(|record| record.timestamp == read[0].timestamp));
}
