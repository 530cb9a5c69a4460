//! Which settings a group may have: within what the brokers allow.

use highwater_config::{Level, Overrides};
use highwater_wire::ErrorCode;

use super::{broker_value, check_value, check_values};
use crate::error::{ApiError, Outcome};
use crate::image::Image;
use crate::view::ControllerView;

/// Group setting, and the broker settings that bound it.
const BOUNDS: [(&str, Option<&str>, Option<&str>); 14] = [
    (
        "consumer.session.timeout.ms",
        Some("group.consumer.min.session.timeout.ms"),
        Some("group.consumer.max.session.timeout.ms"),
    ),
    (
        "consumer.heartbeat.interval.ms",
        Some("group.consumer.min.heartbeat.interval.ms"),
        Some("group.consumer.max.heartbeat.interval.ms"),
    ),
    (
        "consumer.assignment.interval.ms",
        Some("group.consumer.min.assignment.interval.ms"),
        Some("group.consumer.max.assignment.interval.ms"),
    ),
    (
        "share.session.timeout.ms",
        Some("group.share.min.session.timeout.ms"),
        Some("group.share.max.session.timeout.ms"),
    ),
    (
        "share.heartbeat.interval.ms",
        Some("group.share.min.heartbeat.interval.ms"),
        Some("group.share.max.heartbeat.interval.ms"),
    ),
    (
        "share.assignment.interval.ms",
        Some("group.share.min.assignment.interval.ms"),
        Some("group.share.max.assignment.interval.ms"),
    ),
    (
        "share.record.lock.duration.ms",
        Some("group.share.min.record.lock.duration.ms"),
        Some("group.share.max.record.lock.duration.ms"),
    ),
    (
        "share.delivery.count.limit",
        Some("group.share.min.delivery.count.limit"),
        Some("group.share.max.delivery.count.limit"),
    ),
    (
        "share.partition.max.record.locks",
        Some("group.share.min.partition.max.record.locks"),
        Some("group.share.max.partition.max.record.locks"),
    ),
    (
        "streams.session.timeout.ms",
        Some("group.streams.min.session.timeout.ms"),
        Some("group.streams.max.session.timeout.ms"),
    ),
    (
        "streams.heartbeat.interval.ms",
        Some("group.streams.min.heartbeat.interval.ms"),
        Some("group.streams.max.heartbeat.interval.ms"),
    ),
    (
        "streams.assignment.interval.ms",
        Some("group.streams.min.assignment.interval.ms"),
        Some("group.streams.max.assignment.interval.ms"),
    ),
    ("streams.num.standby.replicas", None, Some("group.streams.max.standby.replicas")),
    ("streams.task.offset.interval.ms", Some("group.streams.min.task.offset.interval.ms"), None),
];

/// Protocols with a heartbeat interval that must stay below the session timeout.
const PROTOCOLS: [&str; 3] = ["consumer", "share", "streams"];

pub fn check(name: &str, all: &Overrides, view: &ControllerView, image: &Image) -> Outcome {
    if name.is_empty() {
        return Err(ApiError::new(
            ErrorCode::INVALID_REQUEST,
            "Groups have no common default: a group's name is needed.",
        ));
    }
    check_values(Level::Group, all)?;
    for (key, min, max) in BOUNDS {
        let Some(value) = number(all, key) else { continue };
        let bound = |name: Option<&str>| broker_value(view, image, name?)?.as_i64();
        check_bounds(key, value, (min, bound(min)), (max, bound(max)))?;
    }
    for protocol in PROTOCOLS {
        check_heartbeat(all, protocol, view, image)?;
    }
    Ok(())
}

type Bound<'a> = (Option<&'a str>, Option<i64>);

fn check_bounds(key: &str, value: i64, min: Bound<'_>, max: Bound<'_>) -> Outcome {
    let below = min.1.is_some_and(|min| value < min);
    let above = max.1.is_some_and(|max| value > max);
    if !below && !above {
        return Ok(());
    }
    let range = match (min, max) {
        ((Some(min_key), Some(min)), (Some(max_key), Some(max))) => {
            format!("must be from {min} ({min_key}) to {max} ({max_key})")
        }
        ((Some(min_key), Some(min)), _) => format!("must be at least {min} ({min_key})"),
        (_, (Some(max_key), Some(max))) => format!("must be at most {max} ({max_key})"),
        _ => return Ok(()),
    };
    Err(ApiError::new(ErrorCode::INVALID_CONFIG, format!("{key} {range}, but is {value}.")))
}

fn check_heartbeat(
    all: &Overrides,
    protocol: &str,
    view: &ControllerView,
    image: &Image,
) -> Outcome {
    let in_force = |what: &str| {
        number(all, &format!("{protocol}.{what}"))
            .or_else(|| broker_value(view, image, &format!("group.{protocol}.{what}"))?.as_i64())
    };
    let (Some(heartbeat), Some(session)) =
        (in_force("heartbeat.interval.ms"), in_force("session.timeout.ms"))
    else {
        return Ok(());
    };
    if heartbeat >= session {
        return Err(ApiError::new(
            ErrorCode::INVALID_CONFIG,
            format!(
                "{protocol}.heartbeat.interval.ms ({heartbeat}) must be below \
                 {protocol}.session.timeout.ms ({session})."
            ),
        ));
    }
    Ok(())
}

fn number(all: &Overrides, key: &str) -> Option<i64> {
    check_value(Level::Group, key, all.get(key)?).ok()?.as_i64()
}
