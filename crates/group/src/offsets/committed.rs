//! What was committed for one partition.

use std::collections::BTreeMap;

use highwater_types::{LeaderEpoch, Offset, Timestamp, TopicId};
use highwater_wire::Str;
use highwater_wire::messages::OffsetCommitValue;

/// The offsets of one group by topic name and partition; no entry is empty.
///
/// The records are keyed by name, so the state is too; the topic's id stands in the offset, and
/// decides whether it is still meant.
pub type GroupOffsets = BTreeMap<Str, BTreeMap<i32, CommittedOffset>>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommittedOffset {
    /// The next offset to read; -1 is kept as committed, and read back as "none".
    pub offset: Offset,
    /// Of the last record read, if the client told.
    pub leader_epoch: LeaderEpoch,
    pub metadata: Str,
    pub committed_at: Timestamp,
    /// Only if the client asked for a retention of its own (OffsetCommit v2 to v4).
    pub expires_at: Option<Timestamp>,
    /// [`TopicId::ZERO`] if the record does not say.
    pub topic_id: TopicId,
}

impl CommittedOffset {
    pub(crate) fn from_value(value: &OffsetCommitValue) -> Self {
        CommittedOffset {
            offset: Offset(value.offset),
            leader_epoch: LeaderEpoch(value.leader_epoch),
            metadata: value.metadata.detached(),
            committed_at: Timestamp(value.commit_timestamp),
            expires_at: Some(Timestamp(value.expire_timestamp)).filter(|at| at.0 != -1),
            topic_id: TopicId(value.topic_id),
        }
    }

    pub(crate) fn to_value(&self) -> OffsetCommitValue {
        // The one layout that can say when an offset expires has no room for the rest.
        let (leader_epoch, topic_id) = match self.expires_at {
            Some(_) => (LeaderEpoch::NONE, TopicId::ZERO),
            None => (self.leader_epoch, self.topic_id),
        };
        OffsetCommitValue {
            offset: self.offset.0,
            leader_epoch: leader_epoch.0,
            metadata: self.metadata.clone(),
            commit_timestamp: self.committed_at.0,
            expire_timestamp: self.expires_at.unwrap_or(Timestamp::NONE).0,
            topic_id: topic_id.0,
            ..OffsetCommitValue::default()
        }
    }

    /// Whether it was committed for the topic that has `id` now, not for a deleted one that had
    /// the same name.
    pub(crate) fn is_of(&self, id: Option<TopicId>) -> bool {
        self.topic_id == TopicId::ZERO || id.is_none_or(|id| id == self.topic_id)
    }
}
