//! The settings that Highwater acts on today. All others are accepted, checked and shown, and
//! named in a warning at start.
//!
//! Whoever makes a setting work adds its name here. Topic settings also count for the broker
//! settings that give their defaults.

use crate::setting::Level;
use crate::synonyms::broker_names_of;

/// Whether Highwater does something with the setting.
pub(crate) fn acted_on(level: Level, name: &str) -> bool {
    match level {
        Level::Broker => BROKER.contains(&name) || is_default_of_acted_on_topic(name),
        Level::Topic => TOPIC.contains(&name),
        Level::Group | Level::ClientMetrics => false,
    }
}

fn is_default_of_acted_on_topic(name: &str) -> bool {
    TOPIC.iter().any(|topic| broker_names_of(Level::Topic, topic).iter().any(|s| s.broker == name))
}

const BROKER: &[&str] = &[
    "advertised.listeners",
    "auto.create.topics.enable",
    "broker.id",
    "broker.rack",
    "broker.session.timeout.ms",
    "connections.max.idle.ms",
    "controller.listener.names",
    "default.replication.factor",
    "delete.topic.enable",
    "fetch.max.bytes",
    "group.initial.rebalance.delay.ms",
    "group.max.session.timeout.ms",
    "group.max.size",
    "group.min.session.timeout.ms",
    "inter.broker.listener.name",
    "listener.security.protocol.map",
    "listeners",
    "log.cleaner.backoff.ms",
    "log.cleaner.dedupe.buffer.size",
    "log.cleaner.enable",
    "log.cleaner.io.buffer.load.factor",
    "log.cleaner.io.max.bytes.per.second",
    "log.cleaner.threads",
    "log.dir",
    "log.dirs",
    "log.flush.offset.checkpoint.interval.ms",
    "log.retention.check.interval.ms",
    "max.connection.creation.rate",
    "max.connections",
    "max.connections.per.ip",
    "max.connections.per.ip.overrides",
    "max.incremental.fetch.session.cache.slots",
    "max.request.partition.size.limit",
    "node.id",
    "num.partitions",
    "num.recovery.threads.per.data.dir",
    "offset.metadata.max.bytes",
    "offsets.retention.check.interval.ms",
    "offsets.retention.minutes",
    "offsets.topic.num.partitions",
    "offsets.topic.replication.factor",
    "offsets.topic.segment.bytes",
    "process.roles",
    "producer.id.expiration.ms",
    "queued.max.request.bytes",
    "security.inter.broker.protocol",
    "socket.listen.backlog.size",
    "socket.receive.buffer.bytes",
    "socket.request.max.bytes",
    "socket.send.buffer.bytes",
];

const TOPIC: &[&str] = &[
    "acks.all.flush",
    "cleanup.policy",
    "compression.gzip.level",
    "compression.lz4.level",
    "compression.type",
    "compression.zstd.level",
    "delete.retention.ms",
    "file.delete.delay.ms",
    "index.interval.bytes",
    "max.compaction.lag.ms",
    "max.message.bytes",
    "message.timestamp.after.max.ms",
    "message.timestamp.before.max.ms",
    "message.timestamp.type",
    "min.cleanable.dirty.ratio",
    "min.compaction.lag.ms",
    "min.insync.replicas",
    "preallocate",
    "retention.bytes",
    "retention.ms",
    "segment.bytes",
    "segment.index.bytes",
    "segment.jitter.ms",
    "segment.ms",
    "unclean.leader.election.enable",
];
