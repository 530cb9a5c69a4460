//! What the coordinators of groups, offsets, transactions and share state act on, typed.

use super::replication_factor;
use crate::layers::Read;

/// Committed offsets and their internal topic.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetsConfig {
    pub metadata_bytes_max: u32,
    pub commit_timeout_ms: u64,
    pub retention_ms: u64,
    pub retention_check_interval_ms: u64,
    pub topic_partitions: u32,
    /// As configured; the broker takes at most the number of live brokers.
    pub topic_replication_factor: i16,
    pub topic_segment_bytes: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ClassicGroupsConfig {
    pub session_timeout_min_ms: i32,
    pub session_timeout_max_ms: i32,
    pub initial_rebalance_delay_ms: u64,
    /// Most members of one group.
    pub size_max: u32,
}

/// What the three newer kinds of groups have in common on one broker; a group's own settings are
/// in [`GroupConfig`](crate::GroupConfig).
#[derive(Clone, Debug, PartialEq)]
pub struct ModernGroupsConfig {
    pub consumer_size_max: u32,
    /// By name, the default first.
    pub consumer_assignors: Vec<String>,
    pub migration_policy: MigrationPolicy,
    pub consumer_regex_refresh_interval_ms: u64,
    pub share_size_max: u32,
    pub share_sessions_max: u32,
    pub streams_size_max: u32,
    /// By name, the default first.
    pub streams_assignors: Vec<String>,
    pub dead_letter_topics_auto_create: bool,
    /// Empty: any name may be a dead-letter topic's.
    pub dead_letter_topic_prefix: String,
}

/// In which directions a group that is not empty may change its protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MigrationPolicy {
    /// Classic to consumer.
    pub upgrade: bool,
    /// Consumer to classic.
    pub downgrade: bool,
}

impl MigrationPolicy {
    fn from_name(name: &str) -> Option<MigrationPolicy> {
        let (upgrade, downgrade) = match name.to_ascii_uppercase().as_str() {
            "DISABLED" => (false, false),
            "UPGRADE" => (true, false),
            "DOWNGRADE" => (false, true),
            "BIDIRECTIONAL" => (true, true),
            _ => return None,
        };
        Some(MigrationPolicy { upgrade, downgrade })
    }
}

/// State of share groups and its internal topic.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareStateConfig {
    pub topic_partitions: u32,
    /// As configured; the broker takes at most the number of live brokers.
    pub topic_replication_factor: i16,
    pub topic_segment_bytes: u32,
    pub topic_min_insync_replicas: u32,
    /// Updates of a partition between two snapshots.
    pub updates_per_snapshot: u32,
    pub write_timeout_ms: u64,
    pub cold_snapshot_interval_ms: u64,
    pub prune_interval_ms: u64,
    /// Before the state of a partition is initialised again after a failure.
    pub initialize_retry_interval_ms: u64,
}

/// Idempotent and transactional producers.
#[derive(Clone, Debug, PartialEq)]
pub struct ProducersConfig {
    pub id_expiration_ms: u64,
    pub transaction_timeout_max_ms: i32,
    pub transactional_id_expiration_ms: u64,
    pub abort_timed_out_interval_ms: u64,
    pub remove_expired_interval_ms: u64,
    pub transaction_topic_partitions: u32,
    pub transaction_topic_replication_factor: i16,
    pub transaction_topic_segment_bytes: u32,
    pub transaction_topic_min_insync_replicas: u32,
    /// A partition must have been added to a transaction before its records are appended.
    pub partition_verification_enable: bool,
}

pub(super) fn offsets(read: &Read<'_>) -> OffsetsConfig {
    OffsetsConfig {
        metadata_bytes_max: u32::try_from(read.int("offset.metadata.max.bytes")).unwrap_or(0),
        commit_timeout_ms: read.span_ms("offsets.commit.timeout.ms"),
        retention_ms: read.span_ms("offsets.retention.minutes").saturating_mul(60_000),
        retention_check_interval_ms: read.span_ms("offsets.retention.check.interval.ms"),
        topic_partitions: read.size("offsets.topic.num.partitions"),
        topic_replication_factor: replication_factor(read, "offsets.topic.replication.factor"),
        topic_segment_bytes: read.size("offsets.topic.segment.bytes"),
    }
}

pub(super) fn classic_groups(read: &Read<'_>) -> ClassicGroupsConfig {
    ClassicGroupsConfig {
        session_timeout_min_ms: read.int("group.min.session.timeout.ms"),
        session_timeout_max_ms: read.int("group.max.session.timeout.ms"),
        initial_rebalance_delay_ms: read.span_ms("group.initial.rebalance.delay.ms"),
        size_max: read.size("group.max.size"),
    }
}

pub(super) fn modern_groups(read: &Read<'_>) -> ModernGroupsConfig {
    ModernGroupsConfig {
        consumer_size_max: read.size("group.consumer.max.size"),
        consumer_assignors: read.list("group.consumer.assignors"),
        migration_policy: read.word("group.consumer.migration.policy", MigrationPolicy::from_name),
        consumer_regex_refresh_interval_ms: read
            .span_ms("group.consumer.regex.refresh.interval.ms"),
        share_size_max: read.size("group.share.max.size"),
        share_sessions_max: read.size("group.share.max.share.sessions"),
        streams_size_max: read.size("group.streams.max.size"),
        streams_assignors: read.list("group.streams.assignors"),
        dead_letter_topics_auto_create: read
            .flag("errors.deadletterqueue.auto.create.topics.enable"),
        dead_letter_topic_prefix: read
            .text("errors.deadletterqueue.topic.name.prefix")
            .unwrap_or_default(),
    }
}

pub(super) fn share_state(read: &Read<'_>) -> ShareStateConfig {
    ShareStateConfig {
        topic_partitions: read.size("share.coordinator.state.topic.num.partitions"),
        topic_replication_factor: replication_factor(
            read,
            "share.coordinator.state.topic.replication.factor",
        ),
        topic_segment_bytes: read.size("share.coordinator.state.topic.segment.bytes"),
        topic_min_insync_replicas: read.size("share.coordinator.state.topic.min.isr"),
        updates_per_snapshot: read.size("share.coordinator.snapshot.update.records.per.snapshot"),
        write_timeout_ms: read.span_ms("share.coordinator.write.timeout.ms"),
        cold_snapshot_interval_ms: read
            .span_ms("share.coordinator.cold.partition.snapshot.interval.ms"),
        prune_interval_ms: read.span_ms("share.coordinator.state.topic.prune.interval.ms"),
        initialize_retry_interval_ms: read
            .span_ms("group.share.initialize.retry.interval.ms")
            .max(read.span_ms("offsets.commit.timeout.ms")),
    }
}

pub(super) fn producers(read: &Read<'_>) -> ProducersConfig {
    ProducersConfig {
        id_expiration_ms: read.span_ms("producer.id.expiration.ms"),
        transaction_timeout_max_ms: read.int("transaction.max.timeout.ms"),
        transactional_id_expiration_ms: read.span_ms("transactional.id.expiration.ms"),
        abort_timed_out_interval_ms: read
            .span_ms("transaction.abort.timed.out.transaction.cleanup.interval.ms"),
        remove_expired_interval_ms: read
            .span_ms("transaction.remove.expired.transaction.cleanup.interval.ms"),
        transaction_topic_partitions: read.size("transaction.state.log.num.partitions"),
        transaction_topic_replication_factor: replication_factor(
            read,
            "transaction.state.log.replication.factor",
        ),
        transaction_topic_segment_bytes: read.size("transaction.state.log.segment.bytes"),
        transaction_topic_min_insync_replicas: read.size("transaction.state.log.min.isr"),
        partition_verification_enable: read.flag("transaction.partition.verification.enable"),
    }
}
