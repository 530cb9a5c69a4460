//! Which settings a topic may have.

use highwater_config::{Level, Overrides};
use highwater_wire::ErrorCode;

use super::{check_value, check_values};
use crate::error::{ApiError, Outcome};
use crate::topic_name::check_topic_name;

pub fn check(name: &str, all: &Overrides) -> Outcome {
    check_name(name)?;
    check_values(Level::Topic, all)?;
    check_tiered_storage(all)?;
    check_compaction_lag(all)
}

fn check_name(name: &str) -> Outcome {
    if name.is_empty() {
        return Err(ApiError::new(
            ErrorCode::INVALID_REQUEST,
            "Topics have no common default: a topic's name is needed.",
        ));
    }
    check_topic_name(name)
}

fn check_tiered_storage(all: &Overrides) -> Outcome {
    if all.get("remote.storage.enable").is_some_and(|text| text.eq_ignore_ascii_case("true")) {
        return Err(ApiError::new(
            ErrorCode::INVALID_CONFIG,
            "remote.storage.enable: this broker has no tiered storage, so a topic cannot use it.",
        ));
    }
    Ok(())
}

fn check_compaction_lag(all: &Overrides) -> Outcome {
    let lag = |key: &str| {
        let text = all.get(key)?;
        check_value(Level::Topic, key, text).ok()?.as_i64()
    };
    let min = lag("min.compaction.lag.ms").unwrap_or(0);
    let max = lag("max.compaction.lag.ms").unwrap_or(i64::MAX);
    if min > max {
        return Err(ApiError::new(
            ErrorCode::INVALID_CONFIG,
            format!("min.compaction.lag.ms ({min}) is above max.compaction.lag.ms ({max})."),
        ));
    }
    Ok(())
}
