//! Levels of loggers that clients set: they count at once, and until the broker ends.

use std::thread;
use std::time::{Duration, Instant};

use highwater_testkit::{BrokerProcess, Wire};

use crate::field_cases::admin::{LOGGERS, described, touch};

const PRINTED_WITHIN: Duration = Duration::from_secs(10);
/// Printed for each connection that ends.
const DEBUG_LINE: &str = "DEBUG highwater_net";

fn level(wire: &mut Wire, name: &str) -> Option<String> {
    let all = described(wire, LOGGERS, "1");
    let found = all.iter().find(|logger| logger.name == *name)?;
    found.value.as_ref().map(ToString::to_string)
}

#[test]
fn a_level_counts_until_the_broker_ends() {
    let mut broker = BrokerProcess::start();
    if !broker.is_ours() {
        return;
    }
    let mut wire = broker.connect();
    let name = match broker.is_kafka() {
        true => "org.apache.kafka.common.metrics.Metrics",
        false => "highwater_net",
    };
    assert_ne!(level(&mut wire, name).as_deref(), Some("DEBUG"));
    drop(broker.connect());
    touch(&mut wire, LOGGERS, "1", (name, "TRACE"), true);
    assert_ne!(level(&mut wire, name).as_deref(), Some("TRACE"), "only validated");
    assert!(!broker.has_printed(DEBUG_LINE));

    touch(&mut wire, LOGGERS, "1", (name, "DEBUG"), false);
    assert_eq!(level(&mut wire, name).as_deref(), Some("DEBUG"));
    if !broker.is_kafka() {
        drop(broker.connect());
        let deadline = Instant::now() + PRINTED_WITHIN;
        while !broker.has_printed(DEBUG_LINE) {
            assert!(Instant::now() < deadline, "{}", broker.output());
            thread::sleep(Duration::from_millis(20));
        }
    }

    broker.terminate();
    broker.run();
    let mut wire = broker.connect();
    assert_ne!(level(&mut wire, name).as_deref(), Some("DEBUG"), "it is not kept");
}
