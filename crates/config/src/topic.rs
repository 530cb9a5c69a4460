//! The effective settings of one topic, typed.
//!
//! Owns the meaning of values ("-1 is no limit"). Refuses to decide when they apply. Called by
//! the broker and the log whenever a topic's or the broker's settings change.

use crate::layers::{Layers, Overrides, Read};
use crate::setting::Level;

/// When an in-sync replica counts a record as held (`acks.all.flush`, Highwater's own).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FlushPolicy {
    /// A lone in-sync replica counts only what is flushed; several count what all hold.
    #[default]
    Auto,
    /// Every in-sync replica counts only what it has flushed.
    Always,
    /// Nobody waits for a flush (Kafka's default behaviour).
    Never,
}

impl FlushPolicy {
    pub(crate) fn from_name(name: &str) -> Option<FlushPolicy> {
        match name {
            "auto" => Some(FlushPolicy::Auto),
            "always" => Some(FlushPolicy::Always),
            "never" => Some(FlushPolicy::Never),
            _ => None,
        }
    }
}

/// What a topic does with old records; neither means it keeps all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CleanupPolicy {
    pub compact: bool,
    pub delete: bool,
}

impl CleanupPolicy {
    fn from_items(items: &[String]) -> CleanupPolicy {
        CleanupPolicy {
            compact: items.iter().any(|i| i == "compact"),
            delete: items.iter().any(|i| i == "delete"),
        }
    }
}

/// How batches are compressed on disk, with the codec's level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CompressionType {
    /// As the producer sent them.
    #[default]
    Producer,
    Uncompressed,
    /// Level 1 to 9, `None` for the codec's default.
    Gzip {
        level: Option<u32>,
    },
    Snappy,
    /// Level 1 to 17.
    Lz4 {
        level: u32,
    },
    /// Level -131072 to 22.
    Zstd {
        level: i32,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TimestampType {
    #[default]
    CreateTime,
    LogAppendTime,
}

/// Effective settings of one topic. `None` stands for "no limit".
#[derive(Clone, Debug, PartialEq)]
pub struct TopicConfig {
    pub acks_all_flush: FlushPolicy,
    pub cleanup_policy: CleanupPolicy,
    pub compression: CompressionType,
    /// How long a tombstone stays after compaction, milliseconds.
    pub delete_retention_ms: u64,
    /// From the `-delete` rename to the removal of a segment, milliseconds.
    pub file_delete_delay_ms: u64,
    /// Appended records between forced flushes.
    pub flush_messages: u64,
    /// Between forced flushes, milliseconds.
    pub flush_ms: u64,
    /// Bytes between index entries.
    pub index_interval_bytes: u32,
    pub max_compaction_lag_ms: u64,
    /// A bound on what one batch may decompress to.
    pub max_decompressed_message_bytes: u32,
    /// Largest batch, header included.
    pub max_message_bytes: u32,
    /// How far a record's time may lie after the broker's, milliseconds.
    pub message_timestamp_after_max_ms: u64,
    /// How far a record's time may lie before the broker's, milliseconds.
    pub message_timestamp_before_max_ms: u64,
    pub message_timestamp_type: TimestampType,
    /// Share of uncompacted bytes that makes a log worth compacting, 0 to 1.
    pub min_cleanable_dirty_ratio: f64,
    pub min_compaction_lag_ms: u64,
    /// At least 1. The effective one is at most the number of replicas.
    pub min_insync_replicas: u32,
    pub preallocate: bool,
    pub retention_bytes: Option<u64>,
    pub retention_ms: Option<u64>,
    /// A segment holds at most this many bytes.
    pub segment_bytes: u32,
    /// Size reserved for each index file; a full index rolls the segment.
    pub segment_index_bytes: u32,
    /// Largest random part subtracted from `segment_ms`, milliseconds.
    pub segment_jitter_ms: u64,
    pub segment_ms: u64,
    pub unclean_leader_election_enable: bool,
}

impl TopicConfig {
    /// Computes what applies to a topic with these overrides.
    pub fn resolve(overrides: &Overrides, layers: &Layers<'_>) -> TopicConfig {
        let read = Read::of(Level::Topic, overrides, layers);
        TopicConfig {
            acks_all_flush: read.word("acks.all.flush", FlushPolicy::from_name),
            cleanup_policy: CleanupPolicy::from_items(&read.list("cleanup.policy")),
            compression: compression(&read),
            delete_retention_ms: read.span_ms("delete.retention.ms"),
            file_delete_delay_ms: read.span_ms("file.delete.delay.ms"),
            flush_messages: read.span_ms("flush.messages"),
            flush_ms: read.span_ms("flush.ms"),
            index_interval_bytes: read.size("index.interval.bytes"),
            max_compaction_lag_ms: read.span_ms("max.compaction.lag.ms"),
            max_decompressed_message_bytes: read.size("max.decompressed.message.bytes"),
            max_message_bytes: read.size("max.message.bytes"),
            message_timestamp_after_max_ms: read.span_ms("message.timestamp.after.max.ms"),
            message_timestamp_before_max_ms: read.span_ms("message.timestamp.before.max.ms"),
            message_timestamp_type: read.word("message.timestamp.type", timestamp_type),
            min_cleanable_dirty_ratio: read.fraction("min.cleanable.dirty.ratio"),
            min_compaction_lag_ms: read.span_ms("min.compaction.lag.ms"),
            min_insync_replicas: read.size("min.insync.replicas"),
            preallocate: read.flag("preallocate"),
            retention_bytes: read.limit("retention.bytes"),
            retention_ms: read.limit("retention.ms"),
            segment_bytes: read.size("segment.bytes"),
            segment_index_bytes: read.size("segment.index.bytes"),
            segment_jitter_ms: read.span_ms("segment.jitter.ms"),
            segment_ms: read.span_ms("segment.ms"),
            unclean_leader_election_enable: read.flag("unclean.leader.election.enable"),
        }
    }
}

impl Default for TopicConfig {
    /// What applies when nobody has set anything.
    fn default() -> TopicConfig {
        let (none, fixed) = (Overrides::new(), crate::StaticConfig::default());
        TopicConfig::resolve(&none, &Layers { broker: &none, cluster: &none, fixed: &fixed })
    }
}

fn compression(read: &Read<'_>) -> CompressionType {
    read.word("compression.type", |name| {
        Some(match name {
            "producer" => CompressionType::Producer,
            "uncompressed" => CompressionType::Uncompressed,
            "gzip" => CompressionType::Gzip {
                level: u32::try_from(read.int("compression.gzip.level")).ok(),
            },
            "snappy" => CompressionType::Snappy,
            "lz4" => CompressionType::Lz4 { level: read.size("compression.lz4.level") },
            "zstd" => CompressionType::Zstd { level: read.int("compression.zstd.level") },
            _ => return None,
        })
    })
}

fn timestamp_type(name: &str) -> Option<TimestampType> {
    match name {
        "CreateTime" => Some(TimestampType::CreateTime),
        "LogAppendTime" => Some(TimestampType::LogAppendTime),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::static_config::{Sources, StaticConfig};

    fn map(pairs: &[(&str, &str)]) -> Overrides {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    fn fixed(text: &str) -> StaticConfig {
        let sources = Sources { properties: Some(text), ..Sources::default() };
        StaticConfig::load(&sources).unwrap().0
    }

    #[test]
    fn defaults_are_kafkas() {
        let config = TopicConfig::default();
        assert_eq!(config.segment_bytes, 1 << 30);
        assert_eq!(config.segment_ms, 604_800_000);
        assert_eq!(config.retention_ms, Some(604_800_000));
        assert_eq!(config.retention_bytes, None);
        assert_eq!(config.flush_ms, i64::MAX as u64);
        assert_eq!(config.cleanup_policy, CleanupPolicy { compact: false, delete: true });
        assert_eq!(config.compression, CompressionType::Producer);
        assert_eq!(config.acks_all_flush, FlushPolicy::Auto);
        assert_eq!(config.min_insync_replicas, 1);
    }

    #[track_caller]
    fn check_retention(
        topic: &[(&str, &str)],
        broker: &[(&str, &str)],
        text: &str,
        want: Option<u64>,
    ) {
        let (broker, none, fixed) = (map(broker), Overrides::new(), fixed(text));
        let layers = Layers { broker: &broker, cluster: &none, fixed: &fixed };
        assert_eq!(TopicConfig::resolve(&map(topic), &layers).retention_ms, want);
    }

    #[test]
    fn retention_comes_from_the_highest_layer_then_the_finest_unit() {
        check_retention(&[], &[], "log.retention.hours=2", Some(7_200_000));
        check_retention(&[], &[], "log.retention.hours=2\nlog.retention.minutes=3", Some(180_000));
        check_retention(&[], &[], "log.retention.hours=-1", None);
        check_retention(&[], &[("log.retention.ms", "9")], "log.retention.ms=5", Some(9));
        check_retention(&[("retention.ms", "7")], &[("log.retention.ms", "9")], "", Some(7));
    }

    #[test]
    fn an_override_that_is_not_valid_is_passed_over() {
        check_retention(
            &[("retention.ms", "-7")],
            &[("log.retention.ms", "x")],
            "",
            Some(604_800_000),
        );
    }

    #[test]
    fn levels_belong_to_their_codec() {
        let (none, fixed) = (Overrides::new(), StaticConfig::default());
        let layers = Layers { broker: &none, cluster: &none, fixed: &fixed };
        let topic = map(&[("compression.type", "zstd"), ("compression.zstd.level", "-5")]);
        let config = TopicConfig::resolve(&topic, &layers);
        assert_eq!(config.compression, CompressionType::Zstd { level: -5 });
    }
}
