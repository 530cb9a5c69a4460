//! Peers that are slow, silent, many, or do not listen.

use std::thread;
use std::time::{Duration, Instant};

use highwater_testkit::batch::{self, record};
use highwater_testkit::{Wire, now_ms};
use highwater_wire::messages::{FetchRequest, MetadataRequest};
use highwater_wire::{ApiKey, Message};

use super::witness::Witness;
use super::{check_memory, own_broker};

const MIB: u64 = 1 << 20;
const PATIENCE: Duration = Duration::from_secs(5);

fn metadata_of_nothing() -> MetadataRequest {
    MetadataRequest { topics: Some(vec![]), ..Default::default() }
}

fn framed(wire: &mut Wire, request: &MetadataRequest) -> Vec<u8> {
    let (_, payload) = wire.encode(ApiKey::METADATA, 12, |w| {
        request.encode(w, 12).expect("a valid request");
    });
    [&(payload.len() as i32).to_be_bytes(), &payload[..]].concat()
}

/// A request that comes byte by byte is answered like any other.
#[test]
fn a_slow_peer() {
    let broker = crate::shared::broker();
    let witness = Witness::of(&broker);
    let mut wire = broker.connect();
    for byte in framed(&mut wire, &metadata_of_nothing()) {
        wire.send_raw(&[byte]).expect("still open");
        thread::sleep(Duration::from_millis(10));
    }
    wire.receive_frame().expect("an answer");
    witness.check_undisturbed(PATIENCE);
}

/// Idle connections cost little, hinder nobody, and give back what they had.
#[test]
fn a_thousand_idle_connections() {
    const IDLE: usize = 1_000;
    let broker = own_broker();
    let witness = Witness::of(&broker);
    let mut idle = Vec::new();
    check_memory(&broker, 12 * MIB, || {
        for number in 0..IDLE {
            let mut wire = broker.connect();
            // Half of them have said something once.
            if number % 2 == 0 {
                wire.call(12, &metadata_of_nothing());
            }
            idle.push(wire);
        }
        // The buffers of silent connections are given back after a second.
        thread::sleep(Duration::from_millis(1_500));
    });
    let open = broker.resources().open_files;
    assert!(open >= IDLE, "{open} files are open");
    for wire in idle.iter_mut().step_by(50) {
        wire.call(12, &metadata_of_nothing());
    }
    drop(idle);
    let deadline = Instant::now() + PATIENCE;
    while broker.resources().open_files > open - IDLE {
        assert!(Instant::now() < deadline, "{} files are open", broker.resources().open_files);
        thread::sleep(Duration::from_millis(20));
    }
    witness.check_undisturbed(PATIENCE);
}

/// A client that sends requests and never reads the answers is at some point not read from any
/// more; what it costs is bounded.
#[test]
fn a_client_that_does_not_read_records() {
    let broker = own_broker();
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[]);
    let value = "x".repeat(900_000);
    let batch = batch::plain(&[record(None, Some(&value), now_ms())]);
    for _ in 0..8 {
        wire.must_produce(&topic, 0, &batch);
    }
    let fetch = FetchRequest { max_bytes: 8 << 20, ..topic.fetch(13, 0, 0) };
    check_deaf_client(&broker, |deaf| deaf.try_send(13, &fetch).is_ok());
}

/// The same with answers that do not come from files.
#[test]
fn a_client_that_does_not_read_metadata() {
    let broker = own_broker();
    let mut wire = broker.connect();
    for _ in 0..20 {
        wire.new_topic(50, &[]);
    }
    let all = MetadataRequest { topics: None, ..Default::default() };
    check_deaf_client(&broker, |deaf| deaf.try_send(12, &all).is_ok());
}

fn check_deaf_client(
    broker: &highwater_testkit::BrokerProcess,
    mut send: impl FnMut(&mut Wire) -> bool,
) {
    let witness = Witness::of(broker);
    let mut deaf = broker.connect().with_timeout(Duration::from_millis(500));
    check_memory(broker, 16 * MIB, || {
        let sent = (0..20_000).take_while(|_| send(&mut deaf)).count();
        assert!(sent > 0);
        thread::sleep(Duration::from_millis(300));
    });
    witness.check_undisturbed(PATIENCE);
    // It may still listen, and gets what it was promised, in order.
    deaf.receive_frame().expect("the answer to its first request");
}
