//! The group coordinator: classic consumer groups and committed offsets, as one [`Shard`] per
//! partition of `__consumer_offsets`.
//!
//! Durable state ([`State`]) follows from the records of that partition alone and is rebuilt from
//! them; what a rebalance in progress adds (waiting joins and syncs, members not yet settled) is
//! soft and dies with the leader. Requests come in as wire messages with the caller's
//! [`MemberOrigin`]; replies leave as wire messages.
//!
//! Refuses to know files, sockets, clocks, authorization and other coordinators. Which partition
//! a group lives in is [`partition_of`]; splitting a request over partitions and merging the
//! answers is the caller's part. The caller (the broker's coordinator host) feeds a
//! `highwater_shard::Driver<GroupCoordinator>`.
//!
//! [`Shard`]: highwater_shard::Shard

mod classic;
mod coordinator;
mod describe;
mod limits;
mod offsets;
mod partition;
mod record;
mod refuse;
mod request;
mod state;
mod turn;
mod view;

#[cfg(test)]
mod tests;

pub use coordinator::{GroupCoordinator, LiveGroup, SoftEvent, Timer};
pub use offsets::CommittedOffset;
pub use partition::partition_of;
pub use record::{Record, RecordError};
pub use refuse::{refuse, unavailable_code};
pub use request::{Call, MemberOrigin, Reply, Request};
pub use state::{GroupImage, MemberImage, State};
pub use view::{GroupConfig, GroupView, TopicView};
