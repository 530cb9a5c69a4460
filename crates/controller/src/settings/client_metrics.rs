//! Which settings a client metrics subscription may have.

use highwater_config::{Level, Overrides, lookup};
use highwater_wire::ErrorCode;

use super::{check_value, unknown};
use crate::error::{ApiError, Outcome};

/// What a client can be matched by.
const SELECTORS: [&str; 6] = [
    "client_instance_id",
    "client_id",
    "client_software_name",
    "client_software_version",
    "client_source_address",
    "client_source_port",
];

const INTERVAL_MS: std::ops::RangeInclusive<i64> = 100..=3_600_000;

pub fn check(name: &str, all: &Overrides) -> Outcome {
    if name.is_empty() {
        return Err(ApiError::new(
            ErrorCode::INVALID_REQUEST,
            "A client metrics subscription needs a name.",
        ));
    }
    for (key, text) in all {
        if lookup(Level::ClientMetrics, key).is_none() {
            let why = unknown(Level::ClientMetrics, key);
            return Err(ApiError::new(ErrorCode::INVALID_REQUEST, why));
        }
        match key.as_str() {
            "interval.ms" => check_interval(text)?,
            "match" => check_match(text)?,
            _ => drop(check_value(Level::ClientMetrics, key, text)?),
        }
    }
    Ok(())
}

/// A number out of range is a bad request, text that is no number a bad setting.
fn check_interval(text: &str) -> Outcome {
    let Ok(interval) = text.trim().parse::<i32>() else {
        return check_value(Level::ClientMetrics, "interval.ms", text).map(drop);
    };
    if !INTERVAL_MS.contains(&interval.into()) {
        return Err(ApiError::new(
            ErrorCode::INVALID_REQUEST,
            format!("interval.ms must be from 100 to 3600000 (one hour), but is {interval}."),
        ));
    }
    Ok(())
}

/// `selector=pattern`, separated by commas.
fn check_match(text: &str) -> Outcome {
    for pattern in text.split(',').map(str::trim).filter(|pattern| !pattern.is_empty()) {
        let known = pattern.split_once('=').is_some_and(|(selector, value)| {
            SELECTORS.contains(&selector.trim()) && !value.is_empty()
        });
        if !known {
            return Err(ApiError::new(
                ErrorCode::INVALID_CONFIG,
                format!(
                    "match: {pattern:?} is not selector=pattern with a selector of {}.",
                    SELECTORS.join(", ")
                ),
            ));
        }
    }
    Ok(())
}
