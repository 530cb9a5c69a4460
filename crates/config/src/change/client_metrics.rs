//! Changes of client metrics subscriptions.

use crate::layers::Overrides;
use crate::registry::lookup;
use crate::setting::Level;

use super::{ChangeError, unknown_name};

/// Milliseconds between pushes that may be asked of a client.
const INTERVAL_MS: std::ops::RangeInclusive<i64> = 100..=3_600_000;

/// What a client may be chosen by.
const SELECTORS: [&str; 6] = [
    "client_id",
    "client_instance_id",
    "client_software_name",
    "client_software_version",
    "client_source_address",
    "client_source_port",
];

pub(super) fn check(overrides: &Overrides) -> Result<(), ChangeError> {
    for name in overrides.keys() {
        if lookup(Level::ClientMetrics, name).is_none() {
            return Err(ChangeError::request(unknown_name(Level::ClientMetrics, name)));
        }
    }
    for (name, text) in overrides {
        let Some(setting) = lookup(Level::ClientMetrics, name) else { continue };
        let value = setting.parse(text).map_err(ChangeError::config)?;
        if value.as_i64().is_some_and(|ms| !INTERVAL_MS.contains(&ms)) {
            let (min, max) = (INTERVAL_MS.start(), INTERVAL_MS.end());
            let message = format!("{name}: {text} is out of range, accepted are {min} to {max}");
            return Err(ChangeError::request(message));
        }
        if name == "match" {
            value.as_list().unwrap_or_default().iter().try_for_each(|item| check_match(item))?;
        }
    }
    Ok(())
}

fn check_match(item: &str) -> Result<(), ChangeError> {
    let selector = item.split_once('=').map(|(selector, _)| selector.trim());
    if selector.is_some_and(|s| SELECTORS.contains(&s)) {
        return Ok(());
    }
    let known = SELECTORS.join(", ");
    Err(ChangeError::config(format!("match: {item:?} is not selector=pattern with one of {known}")))
}
