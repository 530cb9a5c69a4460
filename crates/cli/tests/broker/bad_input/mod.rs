//! Peers that send nonsense, too much, too slowly, or do not listen. Whatever one does, another
//! works on undisturbed, the process lives, and its memory stays bounded.

mod bytes;
mod memory;
mod peers;
mod witness;

use highwater_testkit::{BrokerOptions, BrokerProcess};

/// A broker for one test: what it uses is counted.
fn own_broker() -> BrokerProcess {
    BrokerOptions::default().start()
}

/// The memory that a broker may gain while the closure runs. Kafka's heap says nothing.
fn check_memory(broker: &BrokerProcess, bytes_max: u64, run: impl FnOnce()) {
    if broker.is_kafka() {
        return run();
    }
    let before = broker.resources().resident;
    run();
    let gained = broker.resources().resident.saturating_sub(before);
    println!("{} KiB gained, {} KiB before", gained >> 10, before >> 10);
    assert!(gained <= bytes_max, "{} KiB gained, at most {}", gained >> 10, bytes_max >> 10);
}
