//! Which dynamic settings a broker, or all brokers (the empty name), may have.

use highwater_config::{Level, Mode, Overrides, lookup};
use highwater_types::BrokerId;
use highwater_wire::ErrorCode;

use super::{MIN_INSYNC_REPLICAS, broker_value};
use crate::error::{ApiError, Outcome};
use crate::image::{Image, ResourceKind};
use crate::view::ControllerView;

/// Pools that may at most double or halve in one step, so that a slip does not stall a broker.
const THREAD_POOLS: [&str; 5] = [
    "background.threads",
    "num.io.threads",
    "num.network.threads",
    "num.recovery.threads.per.data.dir",
    "num.replica.fetchers",
];

/// A broker takes changes of itself or of all brokers.
pub fn check_broker_name(name: &str, receiver: BrokerId) -> Outcome {
    if name.is_empty() {
        return Ok(());
    }
    let refused = |why: String| Err(ApiError::new(ErrorCode::INVALID_REQUEST, why));
    match name.parse::<i32>() {
        Err(_) => refused(format!("A broker is named by its id, a whole number, not by {name:?}.")),
        Ok(id) if BrokerId(id) != receiver => {
            refused(format!("This is broker {receiver}; settings of broker {name} go to that one."))
        }
        Ok(_) => Ok(()),
    }
}

/// Unknown keys pass: they may belong to a plugin.
pub fn check(name: &str, all: &Overrides, view: &ControllerView, image: &Image) -> Outcome {
    let per_broker = !name.is_empty();
    let keys_that = |refuse: fn(Mode, bool) -> bool| {
        let keys = all.keys().map(String::as_str);
        keys.filter(|key| lookup(Level::Broker, key).is_some_and(|s| refuse(s.mode, per_broker)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let fixed = keys_that(|mode, _| mode == Mode::ReadOnly);
    if !fixed.is_empty() {
        return refused(format!("Can only be set when the broker starts: {fixed}."));
    }
    let single = keys_that(|mode, per_broker| mode == Mode::PerBroker && !per_broker);
    if !single.is_empty() {
        return refused(format!("Can only be set for one broker, not for all: {single}."));
    }
    for (key, text) in all {
        let Some(setting) = lookup(Level::Broker, key) else { continue };
        let value =
            setting.parse(text).or_else(|error| refused(format!("Invalid value: {error}.")))?;
        let current = image.configs.value(ResourceKind::Broker, name, key);
        if current != Some(text.as_str()) && THREAD_POOLS.contains(&key.as_str()) {
            check_pool(
                key,
                value.as_i64(),
                broker_value(view, image, key).and_then(|v| v.as_i64()),
            )?;
        }
    }
    Ok(())
}

fn check_pool(key: &str, wanted: Option<i64>, current: Option<i64>) -> Outcome {
    let (Some(wanted), Some(current)) = (wanted, current) else { return Ok(()) };
    if wanted > current * 2 {
        return refused(format!(
            "{key} may at most double at a time: it is {current}, not {wanted}."
        ));
    }
    if wanted < current / 2 {
        return refused(format!(
            "{key} may at most halve at a time: it is {current}, not {wanted}."
        ));
    }
    Ok(())
}

/// With eligible leader replicas all brokers must agree on the minimum ISR.
pub fn check_changed_keys<'a>(
    name: &str,
    changed: impl IntoIterator<Item = (&'a str, bool)>,
    image: &Image,
) -> Outcome {
    if !image.features.elr_enabled() {
        return Ok(());
    }
    for (key, removed) in changed {
        if key != MIN_INSYNC_REPLICAS {
            continue;
        }
        let why = if !name.is_empty() {
            "is the same on all brokers while eligible leader replicas are in use: \
             set it for all (empty name) or for a topic"
        } else if removed {
            "cannot be removed while eligible leader replicas are in use: set another value"
        } else {
            continue;
        };
        return Err(ApiError::new(
            ErrorCode::INVALID_CONFIG,
            format!("{MIN_INSYNC_REPLICAS} {why}."),
        ));
    }
    Ok(())
}

fn refused<T>(why: String) -> Outcome<T> {
    Err(ApiError::new(ErrorCode::INVALID_REQUEST, why))
}
