//! What tests need to treat a broker as a client does: a broker process ([`BrokerProcess`]) and a
//! small blocking client ([`Wire`]) that can also send what no client would.
//!
//! The same tests run against Highwater and against Apache Kafka, which settles what is right:
//!
//! | variable | the tests talk to |
//! |---|---|
//! | none, or `HIGHWATER_BIN` | a `highwater` binary, started by the test |
//! | `HIGHWATER_TEST_KAFKA` | Kafka, started by the test; the folder of its jars |
//! | `HIGHWATER_TEST_BOOTSTRAP` | the broker that runs at `host:port`, where a test needs no own one |
//!
//! Everything here panics on what a test does not expect. No shipped code may depend on it.

pub mod batch;
pub mod groups;
mod names;
mod output;
mod process;
mod resources;
mod start;
mod target;
pub mod topics;
mod watchdog;
mod wire;

pub use groups::Member;
pub use names::{free_port, now_ms, unique};
pub use process::{BrokerOptions, BrokerProcess};
pub use resources::Resources;
pub use target::Target;
pub use topics::Topic;
pub use wire::{Sent, Wire, WireError};
