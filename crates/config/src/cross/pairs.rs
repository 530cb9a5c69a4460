//! Pairs of numbers that must stand in order, as a table.

use crate::error::ConfigError;
use crate::layers::Read;

use super::conflict;

#[derive(Clone, Copy)]
enum Order {
    AtLeast,
    AtMost,
    Below,
}
use Order::{AtLeast, AtMost, Below};

/// Kafka's order: the first broken one is reported.
const PAIRS: &[(&str, Order, &str)] = &[
    ("replica.socket.timeout.ms", AtLeast, "replica.fetch.wait.max.ms"),
    ("replica.fetch.wait.max.ms", AtMost, "replica.lag.time.max.ms"),
    ("group.max.session.timeout.ms", AtLeast, "group.min.session.timeout.ms"),
    (
        "group.consumer.max.heartbeat.interval.ms",
        AtLeast,
        "group.consumer.min.heartbeat.interval.ms",
    ),
    ("group.consumer.heartbeat.interval.ms", AtLeast, "group.consumer.min.heartbeat.interval.ms"),
    ("group.consumer.heartbeat.interval.ms", AtMost, "group.consumer.max.heartbeat.interval.ms"),
    ("group.consumer.max.session.timeout.ms", AtLeast, "group.consumer.min.session.timeout.ms"),
    ("group.consumer.session.timeout.ms", AtLeast, "group.consumer.min.session.timeout.ms"),
    ("group.consumer.session.timeout.ms", AtMost, "group.consumer.max.session.timeout.ms"),
    ("group.consumer.heartbeat.interval.ms", Below, "group.consumer.session.timeout.ms"),
    (
        "group.consumer.max.assignment.interval.ms",
        AtLeast,
        "group.consumer.min.assignment.interval.ms",
    ),
    ("group.consumer.assignment.interval.ms", AtLeast, "group.consumer.min.assignment.interval.ms"),
    ("group.consumer.assignment.interval.ms", AtMost, "group.consumer.max.assignment.interval.ms"),
    ("group.share.max.heartbeat.interval.ms", AtLeast, "group.share.min.heartbeat.interval.ms"),
    ("group.share.heartbeat.interval.ms", AtLeast, "group.share.min.heartbeat.interval.ms"),
    ("group.share.heartbeat.interval.ms", AtMost, "group.share.max.heartbeat.interval.ms"),
    ("group.share.max.session.timeout.ms", AtLeast, "group.share.min.session.timeout.ms"),
    ("group.share.session.timeout.ms", AtLeast, "group.share.min.session.timeout.ms"),
    ("group.share.session.timeout.ms", AtMost, "group.share.max.session.timeout.ms"),
    ("group.share.heartbeat.interval.ms", Below, "group.share.session.timeout.ms"),
    ("group.share.max.assignment.interval.ms", AtLeast, "group.share.min.assignment.interval.ms"),
    ("group.share.assignment.interval.ms", AtLeast, "group.share.min.assignment.interval.ms"),
    ("group.share.assignment.interval.ms", AtMost, "group.share.max.assignment.interval.ms"),
    ("group.share.delivery.count.limit", AtMost, "group.share.max.delivery.count.limit"),
    ("group.share.delivery.count.limit", AtLeast, "group.share.min.delivery.count.limit"),
    (
        "group.share.partition.max.record.locks",
        AtMost,
        "group.share.max.partition.max.record.locks",
    ),
    (
        "group.share.partition.max.record.locks",
        AtLeast,
        "group.share.min.partition.max.record.locks",
    ),
    ("group.share.record.lock.duration.ms", AtLeast, "group.share.min.record.lock.duration.ms"),
    ("group.share.record.lock.duration.ms", AtMost, "group.share.max.record.lock.duration.ms"),
    ("group.share.max.share.sessions", AtLeast, "group.share.max.size"),
    ("group.streams.max.heartbeat.interval.ms", AtLeast, "group.streams.min.heartbeat.interval.ms"),
    ("group.streams.heartbeat.interval.ms", AtLeast, "group.streams.min.heartbeat.interval.ms"),
    ("group.streams.heartbeat.interval.ms", AtMost, "group.streams.max.heartbeat.interval.ms"),
    ("group.streams.max.session.timeout.ms", AtLeast, "group.streams.min.session.timeout.ms"),
    ("group.streams.session.timeout.ms", AtLeast, "group.streams.min.session.timeout.ms"),
    ("group.streams.session.timeout.ms", AtMost, "group.streams.max.session.timeout.ms"),
    ("group.streams.heartbeat.interval.ms", Below, "group.streams.session.timeout.ms"),
    (
        "group.streams.max.assignment.interval.ms",
        AtLeast,
        "group.streams.min.assignment.interval.ms",
    ),
    ("group.streams.assignment.interval.ms", AtLeast, "group.streams.min.assignment.interval.ms"),
    ("group.streams.assignment.interval.ms", AtMost, "group.streams.max.assignment.interval.ms"),
    ("group.streams.num.standby.replicas", AtMost, "group.streams.max.standby.replicas"),
    ("group.streams.task.offset.interval.ms", AtLeast, "group.streams.min.task.offset.interval.ms"),
    ("group.streams.num.warmup.replicas", AtMost, "group.streams.max.warmup.replicas"),
    ("log.cleaner.min.compaction.lag.ms", AtMost, "log.cleaner.max.compaction.lag.ms"),
];

pub(super) fn check_pairs(read: &Read<'_>) -> Result<(), ConfigError> {
    for (left, order, right) in PAIRS {
        let (a, b) = (read.long(left), read.long(right));
        let (holds, words) = match order {
            AtLeast => (a >= b, "must be at least"),
            AtMost => (a <= b, "must be at most"),
            Below => (a < b, "must be below"),
        };
        if !holds {
            return Err(conflict(left, format!("{a} {words} {right}, which is {b}")));
        }
    }
    Ok(())
}
