//! Bounds that the broker's settings put on those of a group.

use crate::error::ConfigError;
use crate::layers::{Layers, Overrides, Read};
use crate::setting::Level;

use super::conflict;

/// A group setting, its least and its largest value by broker settings; empty for no bound.
/// Kafka's order: the first broken one is reported.
const BOUNDS: &[(&str, &str, &str)] = &[
    (
        "consumer.heartbeat.interval.ms",
        "group.consumer.min.heartbeat.interval.ms",
        "group.consumer.max.heartbeat.interval.ms",
    ),
    (
        "consumer.session.timeout.ms",
        "group.consumer.min.session.timeout.ms",
        "group.consumer.max.session.timeout.ms",
    ),
    (
        "consumer.assignment.interval.ms",
        "group.consumer.min.assignment.interval.ms",
        "group.consumer.max.assignment.interval.ms",
    ),
    (
        "share.heartbeat.interval.ms",
        "group.share.min.heartbeat.interval.ms",
        "group.share.max.heartbeat.interval.ms",
    ),
    (
        "share.session.timeout.ms",
        "group.share.min.session.timeout.ms",
        "group.share.max.session.timeout.ms",
    ),
    (
        "share.record.lock.duration.ms",
        "group.share.min.record.lock.duration.ms",
        "group.share.max.record.lock.duration.ms",
    ),
    (
        "share.delivery.count.limit",
        "group.share.min.delivery.count.limit",
        "group.share.max.delivery.count.limit",
    ),
    (
        "share.partition.max.record.locks",
        "group.share.min.partition.max.record.locks",
        "group.share.max.partition.max.record.locks",
    ),
    (
        "share.assignment.interval.ms",
        "group.share.min.assignment.interval.ms",
        "group.share.max.assignment.interval.ms",
    ),
    (
        "streams.heartbeat.interval.ms",
        "group.streams.min.heartbeat.interval.ms",
        "group.streams.max.heartbeat.interval.ms",
    ),
    (
        "streams.session.timeout.ms",
        "group.streams.min.session.timeout.ms",
        "group.streams.max.session.timeout.ms",
    ),
    ("streams.num.standby.replicas", "", "group.streams.max.standby.replicas"),
    (
        "streams.assignment.interval.ms",
        "group.streams.min.assignment.interval.ms",
        "group.streams.max.assignment.interval.ms",
    ),
    ("streams.task.offset.interval.ms", "group.streams.min.task.offset.interval.ms", ""),
    ("streams.num.warmup.replicas", "", "group.streams.max.warmup.replicas"),
];

/// The bounds that hold for a group setting, as (least, largest).
pub(crate) fn bounds(broker: &Read<'_>, name: &str) -> Option<(i64, i64)> {
    let (_, min, max) = BOUNDS.iter().find(|(n, _, _)| *n == name)?;
    let least = if min.is_empty() { i64::MIN } else { broker.long(min) };
    let largest = if max.is_empty() { i64::MAX } else { broker.long(max) };
    Some((least, largest))
}

/// The first rule that a group's own settings break. What the group does not set is not judged:
/// it follows the broker.
pub(crate) fn check_group(overrides: &Overrides, layers: &Layers<'_>) -> Result<(), ConfigError> {
    let broker = Read::broker(layers);
    let group = Read::of(Level::Group, overrides, layers);
    for (name, _, _) in BOUNDS.iter().filter(|(name, _, _)| overrides.contains_key(*name)) {
        let Some((min, max)) = bounds(&broker, name) else { continue };
        let value = group.long(name);
        if value < min || value > max {
            let reason = format!("{value} is out of the broker's bounds, {}", range(min, max));
            return Err(conflict(name, reason));
        }
    }
    check_assignor(overrides, &broker)?;
    for kind in ["consumer", "share", "streams"] {
        check_session(kind, overrides, &group)?;
    }
    let dead_letters = group.text("errors.deadletterqueue.topic.name").unwrap_or_default();
    if dead_letters.starts_with("__") {
        let reason = "names that begin with __ are for internal topics".into();
        return Err(conflict("errors.deadletterqueue.topic.name", reason));
    }
    Ok(())
}

fn range(min: i64, max: i64) -> String {
    match (min, max) {
        (i64::MIN, max) => format!("at most {max}"),
        (min, i64::MAX) => format!("at least {min}"),
        (min, max) => format!("{min} to {max}"),
    }
}

fn check_assignor(overrides: &Overrides, broker: &Read<'_>) -> Result<(), ConfigError> {
    let Some(name) = overrides.get("streams.assignor.name") else { return Ok(()) };
    let known = broker.list("group.streams.assignors");
    if known.iter().any(|n| n == name.trim()) {
        return Ok(());
    }
    let reason = format!("{name:?} is not one of {}", known.join(", "));
    Err(conflict("streams.assignor.name", reason))
}

fn check_session(kind: &str, overrides: &Overrides, group: &Read<'_>) -> Result<(), ConfigError> {
    let (session, heartbeat) = match kind {
        "consumer" => ("consumer.session.timeout.ms", "consumer.heartbeat.interval.ms"),
        "share" => ("share.session.timeout.ms", "share.heartbeat.interval.ms"),
        _ => ("streams.session.timeout.ms", "streams.heartbeat.interval.ms"),
    };
    let given = overrides.contains_key(session) || overrides.contains_key(heartbeat);
    let (session_ms, heartbeat_ms) = (group.long(session), group.long(heartbeat));
    if given && session_ms <= heartbeat_ms {
        let reason = format!("{session_ms} must be above {heartbeat}, which is {heartbeat_ms}");
        return Err(conflict(session, reason));
    }
    Ok(())
}
