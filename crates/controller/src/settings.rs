//! Settings as the controller needs them: which value is in force, and whether a changed set may
//! be accepted. Knows the rules between a resource and its cluster; the rules on one value are
//! `highwater_config`'s.

mod broker;
mod client_metrics;
mod group;
mod topic;

use highwater_config::{Level, Overrides, Value, lookup};
use highwater_wire::ErrorCode;

use crate::error::{ApiError, Outcome};
use crate::image::{Image, ResourceKind};
use crate::view::ControllerView;

pub use broker::{check_broker_name, check_changed_keys};

pub const MIN_INSYNC_REPLICAS: &str = "min.insync.replicas";
pub const UNCLEAN_ELECTION: &str = "unclean.leader.election.enable";

/// The level whose registry describes a resource's settings.
pub fn level(kind: ResourceKind) -> Option<Level> {
    match kind {
        ResourceKind::Topic => Some(Level::Topic),
        ResourceKind::Broker => Some(Level::Broker),
        ResourceKind::Group => Some(Level::Group),
        ResourceKind::ClientMetrics => Some(Level::ClientMetrics),
        ResourceKind::BrokerLogger => None,
    }
}

/// What was set at start, else the default.
pub fn static_value(view: &ControllerView, name: &str) -> Option<Value> {
    let setting = lookup(Level::Broker, name)?;
    let given = view.static_config.get(name).and_then(|text| setting.parse(text).ok());
    given.or_else(|| setting.default_value())
}

/// The value in force on this node: dynamic for it, dynamic for all, static, default.
pub fn broker_value(view: &ControllerView, image: &Image, name: &str) -> Option<Value> {
    let setting = lookup(Level::Broker, name)?;
    let own = view.node_id.to_string();
    [own.as_str(), ""]
        .into_iter()
        .filter_map(|broker| image.configs.value(ResourceKind::Broker, broker, name))
        .find_map(|text| setting.parse(text).ok())
        .or_else(|| static_value(view, name))
}

/// The value in force for a topic, of a setting that brokers know by the same name.
fn topic_value(view: &ControllerView, image: &Image, topic: &str, name: &str) -> Option<Value> {
    let own = image.configs.value(ResourceKind::Topic, topic, name);
    let parsed = own.and_then(|text| lookup(Level::Topic, name)?.parse(text).ok());
    parsed.or_else(|| broker_value(view, image, name))
}

/// `min.insync.replicas` of a topic.
pub fn min_insync_replicas(view: &ControllerView, image: &Image, topic: &str) -> usize {
    let value = topic_value(view, image, topic, MIN_INSYNC_REPLICAS);
    value.and_then(|value| value.as_i64()?.try_into().ok()).unwrap_or(1)
}

/// Whether a topic would rather lose records than stay without a leader.
pub fn unclean_election(view: &ControllerView, image: &Image, topic: &str) -> bool {
    let value = topic_value(view, image, topic, UNCLEAN_ELECTION);
    value.and_then(|value| value.as_bool()).unwrap_or(false)
}

/// Whether a resource may have exactly the settings `all`.
pub fn check_resource(
    kind: ResourceKind,
    name: &str,
    all: &Overrides,
    view: &ControllerView,
    image: &Image,
) -> Outcome {
    match kind {
        ResourceKind::Topic => topic::check(name, all),
        ResourceKind::Group => group::check(name, all, view, image),
        ResourceKind::ClientMetrics => client_metrics::check(name, all),
        ResourceKind::Broker => broker::check(name, all, view, image),
        ResourceKind::BrokerLogger => Err(ApiError::new(
            ErrorCode::INVALID_REQUEST,
            "Log levels of a broker are not kept in the cluster's metadata.",
        )),
    }
}

/// Every key is known at `level` and its value can be read.
fn check_values(level: Level, all: &Overrides) -> Outcome {
    for (key, text) in all {
        check_value(level, key, text)?;
    }
    Ok(())
}

fn check_value(level: Level, key: &str, text: &str) -> Outcome<Value> {
    let Some(setting) = lookup(level, key) else {
        return Err(ApiError::new(ErrorCode::INVALID_CONFIG, unknown(level, key)));
    };
    setting.parse(text).map_err(|error| invalid_config(&error))
}

fn unknown(level: Level, key: &str) -> String {
    match highwater_config::nearest(level, key) {
        Some(near) => format!("Unknown {} setting: {key}. Did you mean {near}?", level.name()),
        None => format!("Unknown {} setting: {key}.", level.name()),
    }
}

fn invalid_config(why: &dyn std::fmt::Display) -> ApiError {
    ApiError::new(ErrorCode::INVALID_CONFIG, format!("Invalid value: {why}."))
}
