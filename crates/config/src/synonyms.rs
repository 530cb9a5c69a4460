//! Which broker settings give the default of a topic or group setting, first match wins.
//!
//! Owns the pairs and their units. Called by `layers` (values) and `describe` (synonym chains).

use crate::setting::{Level, Value};

/// One broker setting behind a topic or group setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Synonym {
    pub broker: &'static str,
    pub unit: Unit,
}

/// How the broker's value becomes that of the topic or group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Same,
    Minutes,
    Hours,
    /// The first item of a list.
    First,
}

impl Unit {
    /// The broker's value in the topic's or group's unit. Times saturate.
    pub(crate) fn convert(self, value: Value) -> Value {
        match (self, &value) {
            (Unit::Minutes, Value::Int(n)) => Value::Long(i64::from(*n) * 60_000),
            (Unit::Hours, Value::Int(n)) => Value::Long(i64::from(*n) * 3_600_000),
            (Unit::First, Value::List(items)) => {
                Value::Text(items.first().cloned().unwrap_or_default())
            }
            _ => value,
        }
    }
}

/// The broker settings behind a topic or group setting, the one that wins first.
pub fn broker_names_of(level: Level, name: &str) -> &'static [Synonym] {
    let table = match level {
        Level::Topic => TOPIC,
        Level::Group => GROUP,
        Level::Broker | Level::ClientMetrics => return &[],
    };
    table.iter().find(|(n, _)| *n == name).map_or(&[], |(_, synonyms)| *synonyms)
}

/// The broker settings that say the same as this one, in other units, the one that wins first.
/// Empty for the many that stand alone.
pub(crate) fn broker_chain(name: &str) -> &'static [Synonym] {
    let stands_for = |chain: &&&'static [Synonym]| chain[0].broker == name;
    CHAINS.iter().find(stands_for).copied().unwrap_or(&[])
}

/// Each is found by its first name, the one typed configs read.
const CHAINS: &[&[Synonym]] = &[
    &[same("log.dirs"), same("log.dir")],
    &[same("node.id"), same("broker.id")],
    &[same("log.flush.interval.ms"), same("log.flush.scheduler.interval.ms")],
    &[same("log.roll.ms"), hours("log.roll.hours")],
    &[same("log.roll.jitter.ms"), hours("log.roll.jitter.hours")],
    &[same("log.retention.ms"), minutes("log.retention.minutes"), hours("log.retention.hours")],
];

/// The names that DescribeConfigs looks up, in this order, for a broker setting; empty for the
/// many that stand alone.
pub(crate) fn describe_chain(name: &str) -> &'static [&'static str] {
    match name {
        "log.flush.interval.ms" => &["log.flush.interval.ms", "log.flush.scheduler.interval.ms"],
        "log.roll.ms" | "log.roll.hours" => &["log.roll.ms", "log.roll.hours"],
        "log.roll.jitter.ms" | "log.roll.jitter.hours" => {
            &["log.roll.jitter.ms", "log.roll.jitter.hours"]
        }
        "log.retention.ms" | "log.retention.minutes" | "log.retention.hours" => {
            &["log.retention.ms", "log.retention.minutes", "log.retention.hours"]
        }
        _ => &[],
    }
}

const fn same(broker: &'static str) -> Synonym {
    Synonym { broker, unit: Unit::Same }
}

const fn minutes(broker: &'static str) -> Synonym {
    Synonym { broker, unit: Unit::Minutes }
}

const fn hours(broker: &'static str) -> Synonym {
    Synonym { broker, unit: Unit::Hours }
}

const fn first(broker: &'static str) -> Synonym {
    Synonym { broker, unit: Unit::First }
}

type Table = &'static [(&'static str, &'static [Synonym])];

const TOPIC: Table = &[
    ("acks.all.flush", &[same("acks.all.flush")]),
    ("cleanup.policy", &[same("log.cleanup.policy")]),
    ("compression.gzip.level", &[same("compression.gzip.level")]),
    ("compression.lz4.level", &[same("compression.lz4.level")]),
    ("compression.type", &[same("compression.type")]),
    ("compression.zstd.level", &[same("compression.zstd.level")]),
    ("delete.retention.ms", &[same("log.cleaner.delete.retention.ms")]),
    ("file.delete.delay.ms", &[same("log.segment.delete.delay.ms")]),
    ("flush.messages", &[same("log.flush.interval.messages")]),
    ("flush.ms", &[same("log.flush.interval.ms"), same("log.flush.scheduler.interval.ms")]),
    ("index.interval.bytes", &[same("log.index.interval.bytes")]),
    ("local.retention.bytes", &[same("log.local.retention.bytes")]),
    ("local.retention.ms", &[same("log.local.retention.ms")]),
    ("max.compaction.lag.ms", &[same("log.cleaner.max.compaction.lag.ms")]),
    ("max.decompressed.message.bytes", &[same("max.decompressed.message.bytes")]),
    ("max.message.bytes", &[same("message.max.bytes")]),
    ("message.timestamp.after.max.ms", &[same("log.message.timestamp.after.max.ms")]),
    ("message.timestamp.before.max.ms", &[same("log.message.timestamp.before.max.ms")]),
    ("message.timestamp.type", &[same("log.message.timestamp.type")]),
    ("min.cleanable.dirty.ratio", &[same("log.cleaner.min.cleanable.ratio")]),
    ("min.compaction.lag.ms", &[same("log.cleaner.min.compaction.lag.ms")]),
    ("min.insync.replicas", &[same("min.insync.replicas")]),
    ("preallocate", &[same("log.preallocate")]),
    ("remote.copy.lag.bytes", &[same("log.remote.copy.lag.bytes")]),
    ("remote.copy.lag.ms", &[same("log.remote.copy.lag.ms")]),
    ("retention.bytes", &[same("log.retention.bytes")]),
    (
        "retention.ms",
        &[same("log.retention.ms"), minutes("log.retention.minutes"), hours("log.retention.hours")],
    ),
    ("segment.bytes", &[same("log.segment.bytes")]),
    ("segment.index.bytes", &[same("log.index.size.max.bytes")]),
    ("segment.jitter.ms", &[same("log.roll.jitter.ms"), hours("log.roll.jitter.hours")]),
    ("segment.ms", &[same("log.roll.ms"), hours("log.roll.hours")]),
    ("unclean.leader.election.enable", &[same("unclean.leader.election.enable")]),
];

const GROUP: Table = &[
    ("consumer.assignment.interval.ms", &[same("group.consumer.assignment.interval.ms")]),
    ("consumer.assignor.offload.enable", &[same("group.consumer.assignor.offload.enable")]),
    ("consumer.heartbeat.interval.ms", &[same("group.consumer.heartbeat.interval.ms")]),
    ("consumer.session.timeout.ms", &[same("group.consumer.session.timeout.ms")]),
    ("share.assignment.interval.ms", &[same("group.share.assignment.interval.ms")]),
    ("share.assignor.offload.enable", &[same("group.share.assignor.offload.enable")]),
    ("share.delivery.count.limit", &[same("group.share.delivery.count.limit")]),
    ("share.heartbeat.interval.ms", &[same("group.share.heartbeat.interval.ms")]),
    ("share.partition.max.record.locks", &[same("group.share.partition.max.record.locks")]),
    ("share.record.lock.duration.ms", &[same("group.share.record.lock.duration.ms")]),
    ("share.session.timeout.ms", &[same("group.share.session.timeout.ms")]),
    ("streams.acceptable.recovery.lag", &[same("group.streams.acceptable.recovery.lag")]),
    ("streams.assignment.interval.ms", &[same("group.streams.assignment.interval.ms")]),
    ("streams.assignor.name", &[first("group.streams.assignors")]),
    ("streams.assignor.offload.enable", &[same("group.streams.assignor.offload.enable")]),
    ("streams.heartbeat.interval.ms", &[same("group.streams.heartbeat.interval.ms")]),
    ("streams.initial.rebalance.delay.ms", &[same("group.streams.initial.rebalance.delay.ms")]),
    ("streams.num.standby.replicas", &[same("group.streams.num.standby.replicas")]),
    ("streams.num.warmup.replicas", &[same("group.streams.num.warmup.replicas")]),
    ("streams.rack.aware.assignment.tags", &[same("group.streams.rack.aware.assignment.tags")]),
    ("streams.session.timeout.ms", &[same("group.streams.session.timeout.ms")]),
    ("streams.task.offset.interval.ms", &[same("group.streams.task.offset.interval.ms")]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::lookup;

    #[test]
    fn both_ends_exist_and_have_fitting_kinds() {
        for (level, table) in [(Level::Topic, TOPIC), (Level::Group, GROUP)] {
            for (name, synonyms) in table {
                let own = lookup(level, name).unwrap_or_else(|| panic!("{name}"));
                for s in *synonyms {
                    let broker =
                        lookup(Level::Broker, s.broker).unwrap_or_else(|| panic!("{}", s.broker));
                    assert!(s.unit != Unit::Same || own.kind == broker.kind, "{name}");
                }
            }
        }
    }

    #[test]
    fn units_convert() {
        assert_eq!(Unit::Hours.convert(Value::Int(168)), Value::Long(604_800_000));
        assert_eq!(Unit::Minutes.convert(Value::Int(-1)), Value::Long(-60_000));
    }
}
