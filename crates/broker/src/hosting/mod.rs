//! Hosts the coordinators: one task and one mailbox per shard, its log a partition like any
//! other.
//!
//! [`Host`] runs any [`highwater_shard::Shard`]; [`Journal`] is how its records reach a partition
//! and come back at start. `metadata` and `groups` are the two shards hosted today.

mod groups;
mod host;
mod journal;
mod metadata;
mod snapshot;

pub use groups::{GroupHosts, OFFSETS_TOPIC};
pub use metadata::{CommittedImage, METADATA_TOPIC, MetadataHandle, MetadataHost};
pub use snapshot::write as write_snapshot;
