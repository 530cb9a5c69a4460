//! The words every other crate speaks: newtypes for the numbers of the protocol, `invariant!`,
//! and the named limits.
//!
//! Owns no behaviour beyond conversion and display. Knows nothing of any other crate, of clocks,
//! files or sockets; time and randomness reach the pure crates as [`Timestamp`], [`Mono`] and
//! [`Entropy`] arguments.

mod entropy;
mod ids;
mod invariant;
pub mod limits;
mod time;
mod uuid;

pub use entropy::{Entropy, SplitMix};
pub use ids::{
    BrokerId, LeaderEpoch, Offset, PartitionIndex, ProducerEpoch, ProducerId, TopicId,
    TopicIdPartition, TopicPartition,
};
pub use time::{Mono, Timestamp};
pub use uuid::{ParseUuidError, Uuid};
