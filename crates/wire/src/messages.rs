//! Every message and record, generated from `schema/` by the build script.
//!
//! One module per message, named as Kafka names it in snake case; it holds the message and the
//! structures inside. All messages are re-exported here.

#![expect(
    unused_variables,
    clippy::field_reassign_with_default,
    reason = "a generated codec keeps one shape, also for a structure whose versions are all alike"
)]

include!(concat!(env!("OUT_DIR"), "/messages.rs"));
