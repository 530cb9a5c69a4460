//! The effective settings of one broker, typed: what the broker, its network and its coordinators
//! act on.
//!
//! Owns the meaning of values. Refuses to decide when they apply; those that may change while
//! running are marked by [`Mode`](crate::Mode) in the registry.

use highwater_types::BrokerId;

use crate::error::ConfigError;
use crate::layers::{Layers, Overrides, Read};
use crate::listeners::{Listener, SecurityProtocol, parse_listeners};
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
    pub producers: ProducersConfig,
    pub replication: ReplicationConfig,
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
pub struct NetworkConfig {
    pub listeners: Vec<Listener>,
    /// As told to clients, never the controller's. Where none is given those of `listeners`; an
    /// empty host among them means that the machine's name must be put in.
    pub advertised_listeners: Vec<Listener>,
    pub controller_listener_names: Vec<String>,
    pub inter_broker_listener_name: String,
    /// Connections over all listeners.
    pub connections_max: u32,
    pub connections_per_ip_max: u32,
    /// `None`: idle connections stay.
    pub connections_idle_max_ms: Option<u64>,
    /// Largest request frame.
    pub request_bytes_max: u32,
    /// Bytes of requests in flight over the whole broker; `None`: no limit was set.
    pub queued_request_bytes_max: Option<u64>,
    pub queued_requests_max: u32,
    /// `None`: the operating system decides.
    pub socket_send_buffer_bytes: Option<u32>,
    /// `None`: the operating system decides.
    pub socket_receive_buffer_bytes: Option<u32>,
    pub socket_listen_backlog_size: u32,
    pub network_threads: u32,
    pub io_threads: u32,
}

impl NetworkConfig {
    /// The listeners that serve clients: all but the controller's.
    pub fn client_listeners(&self) -> impl Iterator<Item = &Listener> {
        self.listeners.iter().filter(|l| !self.controller_listener_names.contains(&l.name))
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
    pub cleaner_threads: u32,
    pub cleaner_dedupe_buffer_bytes: u64,
    pub cleaner_io_bytes_per_second_max: f64,
    pub cleaner_backoff_ms: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FetchConfig {
    /// Largest answer to one fetch.
    pub response_bytes_max: u32,
    pub incremental_session_cache_slots: u32,
}

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

impl BrokerConfig {
    /// Computes what applies. Only listeners can fail: their parts depend on each other.
    pub fn resolve(layers: &Layers<'_>) -> Result<BrokerConfig, ConfigError> {
        let read = Read::broker(layers);
        Ok(BrokerConfig {
            node: node(&read),
            network: network(&read)?,
            topics: topics(&read),
            logs: logs(&read),
            fetch: FetchConfig {
                response_bytes_max: read.size("fetch.max.bytes"),
                incremental_session_cache_slots: read
                    .size("max.incremental.fetch.session.cache.slots"),
            },
            offsets: offsets(&read),
            classic_groups: ClassicGroupsConfig {
                session_timeout_min_ms: read.int("group.min.session.timeout.ms"),
                session_timeout_max_ms: read.int("group.max.session.timeout.ms"),
                initial_rebalance_delay_ms: read.span_ms("group.initial.rebalance.delay.ms"),
                size_max: read.size("group.max.size"),
            },
            producers: producers(&read),
            replication: replication(&read),
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

/// Listeners and the names that say which is for what.
pub(crate) struct ResolvedListeners {
    pub(crate) listeners: Vec<Listener>,
    pub(crate) advertised: Vec<Listener>,
    pub(crate) controller_names: Vec<String>,
    pub(crate) inter_broker_name: String,
}

pub(crate) fn resolve_listeners(read: &Read<'_>) -> Result<ResolvedListeners, ConfigError> {
    let controller_names: Vec<String> =
        read.list("controller.listener.names").iter().map(|n| n.to_ascii_uppercase()).collect();
    let mut protocols = read.text("listener.security.protocol.map").unwrap_or_default();
    if !read.is_given("listener.security.protocol.map") {
        // As in Kafka: controller listeners are plain text unless somebody gives the map.
        for name in controller_names.iter().filter(|n| SecurityProtocol::from_name(n).is_none()) {
            protocols.push_str(&format!(",{name}:PLAINTEXT"));
        }
    }
    let listeners = parse_listeners("listeners", &read.list("listeners"), &protocols)?;
    let given = read.list("advertised.listeners");
    let mut advertised = if given.is_empty() {
        listeners.clone()
    } else {
        parse_listeners("advertised.listeners", &given, &protocols)?
    };
    advertised.retain(|l| !controller_names.contains(&l.name));
    let inter_broker_name = read
        .text("inter.broker.listener.name")
        .or_else(|| read.text("security.inter.broker.protocol"))
        .unwrap_or_default()
        .to_ascii_uppercase();
    Ok(ResolvedListeners { listeners, advertised, controller_names, inter_broker_name })
}

fn network(read: &Read<'_>) -> Result<NetworkConfig, ConfigError> {
    let resolved = resolve_listeners(read)?;
    Ok(NetworkConfig {
        listeners: resolved.listeners,
        advertised_listeners: resolved.advertised,
        controller_listener_names: resolved.controller_names,
        inter_broker_listener_name: resolved.inter_broker_name,
        connections_max: read.size("max.connections"),
        connections_per_ip_max: read.size("max.connections.per.ip"),
        connections_idle_max_ms: read.limit("connections.max.idle.ms"),
        request_bytes_max: read.size("socket.request.max.bytes"),
        queued_request_bytes_max: read.limit("queued.max.request.bytes"),
        queued_requests_max: read.size("queued.max.requests"),
        socket_send_buffer_bytes: buffer_bytes(read, "socket.send.buffer.bytes"),
        socket_receive_buffer_bytes: buffer_bytes(read, "socket.receive.buffer.bytes"),
        socket_listen_backlog_size: read.size("socket.listen.backlog.size"),
        network_threads: read.size("num.network.threads"),
        io_threads: read.size("num.io.threads"),
    })
}

fn buffer_bytes(read: &Read<'_>, name: &'static str) -> Option<u32> {
    u32::try_from(read.int(name)).ok()
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
        cleaner_threads: read.size("log.cleaner.threads"),
        cleaner_dedupe_buffer_bytes: read.span_ms("log.cleaner.dedupe.buffer.size"),
        cleaner_io_bytes_per_second_max: read.fraction("log.cleaner.io.max.bytes.per.second"),
        cleaner_backoff_ms: read.span_ms("log.cleaner.backoff.ms"),
    }
}

fn offsets(read: &Read<'_>) -> OffsetsConfig {
    OffsetsConfig {
        metadata_bytes_max: buffer_bytes(read, "offset.metadata.max.bytes").unwrap_or(0),
        commit_timeout_ms: read.span_ms("offsets.commit.timeout.ms"),
        retention_ms: read.span_ms("offsets.retention.minutes").saturating_mul(60_000),
        retention_check_interval_ms: read.span_ms("offsets.retention.check.interval.ms"),
        topic_partitions: read.size("offsets.topic.num.partitions"),
        topic_replication_factor: replication_factor(read, "offsets.topic.replication.factor"),
        topic_segment_bytes: read.size("offsets.topic.segment.bytes"),
    }
}

fn producers(read: &Read<'_>) -> ProducersConfig {
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
    }
}

fn replication(read: &Read<'_>) -> ReplicationConfig {
    ReplicationConfig {
        lag_time_max_ms: read.span_ms("replica.lag.time.max.ms"),
        fetch_bytes_max: read.size("replica.fetch.max.bytes"),
        fetch_response_bytes_max: read.size("replica.fetch.response.max.bytes"),
        fetch_bytes_min: buffer_bytes(read, "replica.fetch.min.bytes").unwrap_or(0),
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
