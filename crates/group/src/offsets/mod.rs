//! Committed offsets: commit, fetch, delete, expire.

mod commit;
mod committed;
mod delete;
mod expire;
mod fetch;
mod subscription;
mod topic_deleted;

pub use committed::CommittedOffset;
pub(crate) use committed::GroupOffsets;
pub(crate) use fetch::GROUPS_FROM;
pub(crate) use subscription::subscribed_topics;
