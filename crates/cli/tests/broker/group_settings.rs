//! Limits of groups and offsets that settings give.

use std::time::{Duration, Instant};

use highwater_testkit::groups::simple_commit;
use highwater_testkit::{BrokerProcess, Wire, unique};
use highwater_wire::ErrorCode;

use crate::field_cases::admin::{TOPIC, touch};

const OFFSETS: &str = "__consumer_offsets";
const TAKEN_WITHIN: Duration = Duration::from_secs(10);

/// The largest commit is what the offsets topic takes, and that may change.
#[test]
fn a_commit_larger_than_the_offsets_topic_takes() {
    let broker = BrokerProcess::start();
    let mut wire = broker.connect();
    let group = unique("large");
    wire.wait_for_coordinator(&group);
    let topic = wire.new_topic(1, &[]);
    let mut request = simple_commit(&group, &topic.name, 0, 1);
    request.topics[0].partitions[0].committed_metadata = Some("x".repeat(2_000).as_str().into());
    let eventually = |wire: &mut Wire, expected| {
        let deadline = Instant::now() + TAKEN_WITHIN;
        // Kafka's broker hears of a change some moments after it was answered.
        while wire.commit(&request) != expected {
            assert!(Instant::now() < deadline, "{expected} does not come");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    eventually(&mut wire, ErrorCode::NONE);
    touch(&mut wire, TOPIC, OFFSETS, ("max.message.bytes", "1500"), false);
    // Kafka has no better word for it.
    let refusal = match broker.is_kafka() {
        true => ErrorCode::UNKNOWN_SERVER_ERROR,
        false => ErrorCode::INVALID_COMMIT_OFFSET_SIZE,
    };
    eventually(&mut wire, refusal);
    touch(&mut wire, TOPIC, OFFSETS, ("max.message.bytes", "3000"), false);
    eventually(&mut wire, ErrorCode::NONE);
}
