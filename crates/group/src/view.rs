//! What the coordinator may see of the rest of the broker: its settings and the topics.

use highwater_types::TopicId;
use highwater_wire::Str;

/// The settings that decisions read; each field names Kafka's setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupConfig {
    /// `group.min.session.timeout.ms`
    pub session_timeout_ms_min: i32,
    /// `group.max.session.timeout.ms`, inclusive
    pub session_timeout_ms_max: i32,
    /// `group.initial.rebalance.delay.ms`
    pub initial_rebalance_delay_ms: u64,
    /// `group.max.size`: members of one classic group
    pub members_max: usize,
    /// `offsets.retention.minutes`, in milliseconds
    pub offsets_retention_ms: i64,
    /// `offsets.retention.check.interval.ms`
    pub offsets_check_interval_ms: u64,
    /// `offset.metadata.max.bytes`; Kafka counts UTF-16 units, so do we
    pub offset_metadata_max: usize,
    /// The largest batch that the offsets topic takes (its `max.message.bytes`)
    pub batch_bytes_max: usize,
}

impl Default for GroupConfig {
    /// Kafka's defaults.
    fn default() -> Self {
        GroupConfig {
            session_timeout_ms_min: 6_000,
            session_timeout_ms_max: 1_800_000,
            initial_rebalance_delay_ms: 3_000,
            members_max: i32::MAX as usize,
            offsets_retention_ms: 7 * 24 * 60 * 60 * 1000,
            offsets_check_interval_ms: 600_000,
            offset_metadata_max: 4_096,
            batch_bytes_max: 1_048_588,
        }
    }
}

/// A topic as it exists now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicView {
    pub id: TopicId,
    pub name: Str,
    pub partitions: i32,
}

/// What the host lets a decision see.
pub trait GroupView: Send + Sync {
    fn config(&self) -> GroupConfig;
    fn topic(&self, name: &str) -> Option<TopicView>;
    fn topic_by_id(&self, id: TopicId) -> Option<TopicView>;
}
