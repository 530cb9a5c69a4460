//! The effective settings of one broker, typed: what the broker, its network and its coordinators
//! act on.
//!
//! Owns the meaning of values. Refuses to decide when they apply; those that may change while
//! running are marked by [`Mode`](crate::Mode) in the registry.

mod coordinators;
mod network;

pub use coordinators::{
    ClassicGroupsConfig, MigrationPolicy, ModernGroupsConfig, OffsetsConfig, ProducersConfig,
    ShareStateConfig,
};
pub use network::NetworkConfig;
pub(crate) use network::{counts_by_host, resolve_listeners};

use highwater_types::BrokerId;

use crate::error::ConfigError;
use crate::layers::{Layers, Overrides, Read};
use crate::static_config::StaticConfig;

/// Effective settings of one broker.
#[derive(Clone, Debug, PartialEq)]
pub struct BrokerConfig {
    pub node: NodeConfig,
    pub network: NetworkConfig,
    pub topics: TopicDefaults,
    pub logs: LogsConfig,
    pub fetch: FetchConfig,
    pub offsets: OffsetsConfig,
    pub classic_groups: ClassicGroupsConfig,
    pub modern_groups: ModernGroupsConfig,
    pub share_state: ShareStateConfig,
    pub producers: ProducersConfig,
    pub replication: ReplicationConfig,
    pub controller: ControllerConfig,
    pub quotas: QuotasConfig,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NodeConfig {
    pub node_id: BrokerId,
    pub rack: Option<String>,
    pub roles: Roles,
    pub log_dirs: Vec<String>,
    /// Where the metadata log lies: `metadata.log.dir`, else the first of `log_dirs`.
    pub metadata_log_dir: String,
    pub broker_heartbeat_interval_ms: u64,
    pub broker_session_timeout_ms: u64,
}

/// What a node is (`process.roles`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roles {
    pub broker: bool,
    pub controller: bool,
}

impl Roles {
    pub(crate) fn from_items(items: &[String]) -> Roles {
        let has = |role: &str| items.iter().any(|i| i == role);
        Roles { broker: has("broker"), controller: has("controller") }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct TopicDefaults {
    pub num_partitions: u32,
    pub default_replication_factor: i16,
    pub auto_create_topics_enable: bool,
    pub delete_topic_enable: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LogsConfig {
    pub retention_check_interval_ms: u64,
    pub flush_offset_checkpoint_interval_ms: u64,
    pub flush_start_offset_checkpoint_interval_ms: u64,
    /// `None`: only at the size limits of `flush.messages` and `flush.ms`.
    pub flush_scheduler_interval_ms: u64,
    pub recovery_threads_per_data_dir: u32,
    pub cleaner_enable: bool,
    pub cleaner_threads: u32,
    pub cleaner_dedupe_buffer_bytes: u64,
    /// Share of the buffer that keys may fill, 0 to 1.
    pub cleaner_dedupe_buffer_load: f64,
    pub cleaner_io_bytes_per_second_max: f64,
    pub cleaner_backoff_ms: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FetchConfig {
    /// Largest answer to one fetch.
    pub response_bytes_max: u32,
    pub incremental_session_cache_slots: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReplicationConfig {
    pub lag_time_max_ms: u64,
    pub fetch_bytes_max: u32,
    pub fetch_response_bytes_max: u32,
    pub fetch_bytes_min: u32,
    pub fetch_wait_max_ms: u64,
    pub fetch_backoff_ms: u64,
    pub high_watermark_checkpoint_interval_ms: u64,
    pub fetchers: u32,
}

/// What the active controller acts on, and the metadata log.
#[derive(Clone, Debug, PartialEq)]
pub struct ControllerConfig {
    pub auto_leader_rebalance_enable: bool,
    pub leader_imbalance_check_interval_ms: u64,
    pub unclean_election_interval_ms: u64,
    pub metadata_segment_bytes: u32,
    pub metadata_segment_ms: u64,
    /// `None`: no limit.
    pub metadata_retention_bytes: Option<u64>,
    /// `None`: no limit.
    pub metadata_retention_ms: Option<u64>,
    /// A snapshot follows this many bytes of records.
    pub snapshot_after_record_bytes: u64,
    /// `None`: no snapshot by time.
    pub snapshot_interval_max_ms: Option<u64>,
    /// Most partitions described in one answer.
    pub partitions_per_answer_max: u32,
}

/// How the rates that quotas limit are measured.
#[derive(Clone, Debug, PartialEq)]
pub struct QuotasConfig {
    pub client: QuotaWindow,
    pub controller: QuotaWindow,
    pub replication: QuotaWindow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaWindow {
    pub samples: u32,
    pub sample_ms: u64,
}

impl BrokerConfig {
    /// Computes what applies. Only listeners can fail: their parts depend on each other.
    pub fn resolve(layers: &Layers<'_>) -> Result<BrokerConfig, ConfigError> {
        let read = Read::broker(layers);
        Ok(BrokerConfig {
            node: node(&read),
            network: network::network(&read)?,
            topics: topics(&read),
            logs: logs(&read),
            fetch: FetchConfig {
                response_bytes_max: read.size("fetch.max.bytes"),
                incremental_session_cache_slots: read
                    .size("max.incremental.fetch.session.cache.slots"),
            },
            offsets: coordinators::offsets(&read),
            classic_groups: coordinators::classic_groups(&read),
            modern_groups: coordinators::modern_groups(&read),
            share_state: coordinators::share_state(&read),
            producers: coordinators::producers(&read),
            replication: replication(&read),
            controller: controller(&read),
            quotas: QuotasConfig {
                client: window(&read, "quota.window.num", "quota.window.size.seconds"),
                controller: window(
                    &read,
                    "controller.quota.window.num",
                    "controller.quota.window.size.seconds",
                ),
                replication: window(
                    &read,
                    "replication.quota.window.num",
                    "replication.quota.window.size.seconds",
                ),
            },
        })
    }

    /// What applies with static settings alone.
    pub fn from_static(fixed: &StaticConfig) -> Result<BrokerConfig, ConfigError> {
        let none = Overrides::new();
        BrokerConfig::resolve(&Layers { broker: &none, cluster: &none, fixed })
    }
}

fn node(read: &Read<'_>) -> NodeConfig {
    let log_dirs = read.list("log.dirs");
    NodeConfig {
        node_id: BrokerId(read.int("node.id")),
        rack: read.text("broker.rack"),
        roles: Roles::from_items(&read.list("process.roles")),
        metadata_log_dir: read
            .text("metadata.log.dir")
            .or_else(|| log_dirs.first().cloned())
            .unwrap_or_default(),
        log_dirs,
        broker_heartbeat_interval_ms: read.span_ms("broker.heartbeat.interval.ms"),
        broker_session_timeout_ms: read.span_ms("broker.session.timeout.ms"),
    }
}

fn topics(read: &Read<'_>) -> TopicDefaults {
    TopicDefaults {
        num_partitions: read.size("num.partitions"),
        default_replication_factor: replication_factor(read, "default.replication.factor"),
        auto_create_topics_enable: read.flag("auto.create.topics.enable"),
        delete_topic_enable: read.flag("delete.topic.enable"),
    }
}

/// Replica counts are 16-bit on the wire, 32-bit in one setting.
fn replication_factor(read: &Read<'_>, name: &'static str) -> i16 {
    i16::try_from(read.long(name)).unwrap_or(i16::MAX)
}

fn logs(read: &Read<'_>) -> LogsConfig {
    LogsConfig {
        retention_check_interval_ms: read.span_ms("log.retention.check.interval.ms"),
        flush_offset_checkpoint_interval_ms: read
            .span_ms("log.flush.offset.checkpoint.interval.ms"),
        flush_start_offset_checkpoint_interval_ms: read
            .span_ms("log.flush.start.offset.checkpoint.interval.ms"),
        flush_scheduler_interval_ms: read.span_ms("log.flush.scheduler.interval.ms"),
        recovery_threads_per_data_dir: read.size("num.recovery.threads.per.data.dir"),
        cleaner_enable: read.flag("log.cleaner.enable"),
        cleaner_threads: read.size("log.cleaner.threads"),
        cleaner_dedupe_buffer_bytes: read.span_ms("log.cleaner.dedupe.buffer.size"),
        cleaner_dedupe_buffer_load: read.fraction("log.cleaner.io.buffer.load.factor"),
        cleaner_io_bytes_per_second_max: read.fraction("log.cleaner.io.max.bytes.per.second"),
        cleaner_backoff_ms: read.span_ms("log.cleaner.backoff.ms"),
    }
}

fn controller(read: &Read<'_>) -> ControllerConfig {
    let snapshot_ms = read.span_ms("metadata.log.max.snapshot.interval.ms");
    ControllerConfig {
        auto_leader_rebalance_enable: read.flag("auto.leader.rebalance.enable"),
        leader_imbalance_check_interval_ms: read
            .span_ms("leader.imbalance.check.interval.seconds")
            .saturating_mul(1000),
        unclean_election_interval_ms: read.span_ms("unclean.leader.election.interval.ms"),
        metadata_segment_bytes: read.size("metadata.log.segment.bytes"),
        metadata_segment_ms: read.span_ms("metadata.log.segment.ms"),
        metadata_retention_bytes: read.limit("metadata.max.retention.bytes"),
        metadata_retention_ms: read.limit("metadata.max.retention.ms"),
        snapshot_after_record_bytes: read
            .span_ms("metadata.log.max.record.bytes.between.snapshots"),
        snapshot_interval_max_ms: (snapshot_ms > 0).then_some(snapshot_ms),
        partitions_per_answer_max: read.size("max.request.partition.size.limit"),
    }
}

fn window(read: &Read<'_>, samples: &'static str, seconds: &'static str) -> QuotaWindow {
    QuotaWindow {
        samples: read.size(samples),
        sample_ms: read.span_ms(seconds).saturating_mul(1000),
    }
}

fn replication(read: &Read<'_>) -> ReplicationConfig {
    ReplicationConfig {
        lag_time_max_ms: read.span_ms("replica.lag.time.max.ms"),
        fetch_bytes_max: read.size("replica.fetch.max.bytes"),
        fetch_response_bytes_max: read.size("replica.fetch.response.max.bytes"),
        fetch_bytes_min: u32::try_from(read.int("replica.fetch.min.bytes")).unwrap_or(0),
        fetch_wait_max_ms: read.span_ms("replica.fetch.wait.max.ms"),
        fetch_backoff_ms: read.span_ms("replica.fetch.backoff.ms"),
        high_watermark_checkpoint_interval_ms: read
            .span_ms("replica.high.watermark.checkpoint.interval.ms"),
        fetchers: read.size("num.replica.fetchers"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_machine_starts_on_loopback() {
        let config = BrokerConfig::from_static(&StaticConfig::default()).unwrap();
        assert_eq!(config.node.node_id, BrokerId(1));
        assert!(config.node.roles.broker && config.node.roles.controller);
        assert_eq!(config.node.log_dirs, ["./highwater-data"]);
        let [listener] = config.network.listeners.as_slice() else {
            panic!("{:?}", config.network.listeners);
        };
        assert_eq!(listener.to_string(), "PLAINTEXT://127.0.0.1:9092");
        assert_eq!(config.network.advertised_listeners, config.network.listeners);
        assert_eq!(config.network.request_bytes_max, 104_857_600);
        assert_eq!(config.network.queued_request_bytes_max, None);
        assert_eq!(config.offsets.retention_ms, 7 * 24 * 3_600_000);
    }
}
