//! What a log obeys: the topic settings that storage acts on, in storage's own words.
//!
//! The broker fills this from the registry of settings; this crate reads no setting itself.

/// Effective settings of one log. Kafka's names are given where they differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogConfig {
    /// `segment.bytes`: no segment grows past this, unless by one batch that alone is larger.
    pub segment_bytes: u32,
    /// `segment.ms`
    pub segment_ms: i64,
    /// `segment.jitter.ms`
    pub segment_jitter_ms: i64,
    /// `segment.index.bytes`
    pub index_bytes_max: u32,
    /// `index.interval.bytes`
    pub index_interval_bytes: u32,
    /// `preallocate`
    pub preallocate: bool,
    /// `retention.ms`; negative keeps for ever.
    pub retention_ms: i64,
    /// `retention.bytes`; negative keeps everything.
    pub retention_bytes: i64,
    /// `cleanup.policy` contains `delete`; without it only records below the log start go.
    pub delete_old: bool,
    /// `cleanup.policy` contains `compact`.
    pub compact: bool,
    /// `min.compaction.lag.ms`
    pub min_compaction_lag_ms: i64,
    /// `max.compaction.lag.ms`
    pub max_compaction_lag_ms: i64,
    /// `delete.retention.ms`: how long tombstones stay after the compaction that first met them.
    pub delete_retention_ms: i64,
    /// `file.delete.delay.ms`
    pub file_delete_delay_ms: i64,
    /// `producer.id.expiration.ms`
    pub producer_id_expiration_ms: i64,
}

impl Default for LogConfig {
    /// Kafka 4.4.0's defaults.
    fn default() -> Self {
        LogConfig {
            segment_bytes: 1024 * 1024 * 1024,
            segment_ms: 7 * 24 * 3600 * 1000,
            segment_jitter_ms: 0,
            index_bytes_max: 10 * 1024 * 1024,
            index_interval_bytes: 4096,
            preallocate: false,
            retention_ms: 7 * 24 * 3600 * 1000,
            retention_bytes: -1,
            delete_old: true,
            compact: false,
            min_compaction_lag_ms: 0,
            max_compaction_lag_ms: i64::MAX,
            delete_retention_ms: 24 * 3600 * 1000,
            file_delete_delay_ms: 60_000,
            producer_id_expiration_ms: 24 * 3600 * 1000,
        }
    }
}
