//! Compacted topics as clients see them, and what the coordinators keep in theirs.

use std::thread;
use std::time::{Duration, Instant};

use highwater_testkit::batch::{self, plain, record};
use highwater_testkit::groups::simple_commit;
use highwater_testkit::{BrokerOptions, BrokerProcess, Topic, Wire, now_ms};
use highwater_wire::ErrorCode;

use crate::field_cases::admin;

/// Kafka's cleaner rests for at least as long as its back-off, and longer on a busy machine.
const COMPACTED_WITHIN: Duration = Duration::from_secs(30);

fn broker() -> BrokerProcess {
    BrokerOptions::default()
        .set("log.cleaner.backoff.ms", "100")
        .set("offsets.topic.num.partitions", "1")
        .set("offsets.topic.segment.bytes", "1048576")
        .start()
}

const COMPACTED: [(&str, &str); 3] =
    [("cleanup.policy", "compact"), ("min.cleanable.dirty.ratio", "0.01"), ("segment.ms", "1")];

/// Closes the segment: a record later than `segment.ms` begins the next.
fn close_segment(wire: &mut Wire, topic: &Topic, number: i64) -> i64 {
    let last = record(Some("last"), Some("1"), now_ms() + number * 1000);
    wire.must_produce(topic, 0, &plain(&[last]))
}

fn wait_for(what: &str, mut is_there: impl FnMut() -> bool) {
    let deadline = Instant::now() + COMPACTED_WITHIN;
    while !is_there() {
        assert!(Instant::now() < deadline, "not within {COMPACTED_WITHIN:?}: {what}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn offsets(wire: &mut Wire, topic: &Topic) -> Vec<i64> {
    wire.read_all(topic, 0, 0).iter().map(|record| record.offset).collect()
}

#[test]
fn readers_find_the_newest_record_of_each_key() {
    let mut broker = broker();
    if !broker.is_ours() {
        return;
    }
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &COMPACTED);
    let now = now_ms();
    let of = |key, value| record(Some(key), value, now);
    wire.must_produce(&topic, 0, &plain(&[of("a", Some("1")), of("b", Some("1"))]));
    wire.must_produce(&topic, 0, &plain(&[of("a", Some("2")), of("c", None), of("a", Some("3"))]));
    assert_eq!(close_segment(&mut wire, &topic, 1), 5);
    wait_for("compaction", || offsets(&mut wire, &topic) == [1, 3, 4, 5]);

    // Offsets stay what they were: a fetch in a gap begins behind it.
    assert_eq!(wire.offsets(&topic, 0), (0, 6));
    let fetched = wire.fetch(&topic, 0, 2);
    assert_eq!((fetched.error_code, fetched.log_start_offset, fetched.high_watermark), (0, 0, 6));
    let headers = batch::headers(&highwater_testkit::topics::fetched_bytes(&fetched));
    assert_eq!((headers[0].base_offset, headers[0].last_offset()), (2, 4));
    assert_eq!(headers[0].record_count, 2);
    assert!(headers[0].delete_horizon().is_some(), "a tombstone has its time from now on");

    broker.kill();
    broker.run();
    let mut wire = broker.connect();
    wait_for("the leader", || wire.list_offset(&topic, 0, -1).error_code == 0);
    assert_eq!(offsets(&mut wire, &topic), [1, 3, 4, 5]);
    assert_eq!(wire.must_produce(&topic, 0, &plain(&[of("a", Some("4"))])), 6);
}

/// Gaps stay readable when the topic is compacted no more, also after an unclean stop.
#[test]
fn a_topic_may_leave_off_compaction() {
    let mut broker = broker();
    if broker.is_kafka() || !broker.is_ours() {
        return;
    }
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &COMPACTED);
    for number in 0..3 {
        close_segment(&mut wire, &topic, number * 2);
    }
    wait_for("compaction", || offsets(&mut wire, &topic) == [1, 2]);
    admin::touch(&mut wire, admin::TOPIC, &topic.name, ("cleanup.policy", "delete"), false);
    broker.kill();
    broker.run();
    let mut wire = broker.connect();
    assert_eq!(offsets(&mut wire, &topic), [1, 2]);
}

/// Committed offsets fill their topic again and again, and a start finds the newest.
#[test]
fn committed_offsets_stay_while_their_log_is_compacted() {
    let mut broker = broker();
    if broker.is_kafka() || !broker.is_ours() {
        return;
    }
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[]);
    let partitions = 200;
    let wide = wire.new_topic(partitions, &[]);
    wire.wait_for_coordinator("g");
    assert_eq!(wire.commit(&simple_commit("quiet", &topic.name, 0, 7)), ErrorCode::NONE);
    let folder = broker.data_dir().join("__consumer_offsets-0");
    let mut last = 0;
    wait_for("compaction", || {
        for _ in 0..20 {
            last += 1;
            let mut request = simple_commit("g", &wide.name, 0, last);
            let one = request.topics[0].partitions[0].clone();
            request.topics[0].partitions = (0..partitions)
                .map(|partition| {
                    let mut commit = one.clone();
                    commit.partition_index = partition;
                    commit
                })
                .collect();
            assert_eq!(wire.commit(&request), ErrorCode::NONE);
        }
        let oldest = folder.join("00000000000000000000.log");
        last > 40 && oldest.metadata().is_ok_and(|file| file.len() < 100_000)
    });
    broker.kill();
    broker.run();
    let mut wire = broker.connect();
    wire.wait_for_coordinator("g");
    assert_eq!(wire.committed("quiet", &topic, 0), 7);
    assert_eq!(wire.committed("g", &wide, 0), last);
    assert_eq!(wire.committed("g", &wide, partitions - 1), last);
}
