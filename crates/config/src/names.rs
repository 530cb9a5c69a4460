//! Names that settings go by outside the registry: environment variables, per-listener forms,
//! and names of earlier Kafka versions.
//!
//! Owns the mapping. Called by `static_config`, `describe` and `change`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::nearest::nearest;
use crate::registry::{lookup, settings_of};
use crate::setting::{Level, Setting};

pub(crate) const ENV_PREFIX: &str = "HIGHWATER_";

/// What is known about a broker setting's name.
pub(crate) enum Known {
    Setting(&'static Setting),
    Retired(&'static str),
    No { nearest: Option<&'static str> },
}

pub(crate) fn classify(name: &str) -> Known {
    if let Some(setting) = broker_setting(name) {
        return Known::Setting(setting);
    }
    match retired(name) {
        Some(hint) => Known::Retired(hint),
        None => Known::No { nearest: crate::registry::nearest(Level::Broker, name) },
    }
}

/// The setting behind a broker-level name, also in its per-listener form.
pub(crate) fn broker_setting(name: &str) -> Option<&'static Setting> {
    lookup(Level::Broker, name).or_else(|| lookup(Level::Broker, listener_suffix(name)?))
}

/// `ssl.keystore.location` of `listener.name.internal.ssl.keystore.location`; for the settings
/// of one SASL mechanism the part after the mechanism.
pub(crate) fn listener_suffix(name: &str) -> Option<&str> {
    let (listener, suffix) = name.strip_prefix("listener.name.")?.split_once('.')?;
    if listener.is_empty() {
        return None;
    }
    let of_mechanism = PER_MECHANISM.iter().find(|s| {
        suffix.strip_suffix(**s).is_some_and(|front| front.is_empty() || front.ends_with('.'))
    });
    Some(of_mechanism.copied().unwrap_or(suffix))
}

/// Settings that may also be given per listener and SASL mechanism.
const PER_MECHANISM: [&str; 5] = [
    "connections.max.reauth.ms",
    "sasl.jaas.config",
    "sasl.login.callback.handler.class",
    "sasl.login.class",
    "sasl.server.callback.handler.class",
];

/// `HIGHWATER_LOG_RETENTION_MS` to `log.retention.ms`.
static VARIABLES: LazyLock<BTreeMap<String, &'static str>> = LazyLock::new(|| {
    settings_of(Level::Broker).iter().map(|s| (variable_of_setting(s.name), s.name)).collect()
});

/// The environment variable that sets a broker setting.
pub fn variable_of_setting(name: &str) -> String {
    let upper = name.to_ascii_uppercase().replace(['.', '-'], "_");
    format!("{ENV_PREFIX}{upper}")
}

pub(crate) fn setting_of_variable(variable: &str) -> Option<&'static str> {
    VARIABLES.get(variable).copied()
}

pub(crate) fn nearest_variable(variable: &str) -> Option<String> {
    nearest(variable, VARIABLES.keys().map(String::as_str)).map(str::to_owned)
}

/// Why a setting of earlier versions has no effect, and what to use instead.
fn retired(name: &str) -> Option<&'static str> {
    if name.starts_with("zookeeper.") {
        return Some("there is no ZooKeeper; remove it");
    }
    RETIRED.iter().find(|(n, _)| *n == name).map(|(_, hint)| *hint)
}

const RETIRED: &[(&str, &str)] = &[
    ("advertised.host.name", "use advertised.listeners"),
    ("advertised.port", "use advertised.listeners"),
    ("broker.id.generation.enable", "give node.id"),
    ("control.plane.listener.name", "there is no control plane listener; remove it"),
    ("controlled.shutdown.max.retries", "a stopping node needs no retries; remove it"),
    ("controlled.shutdown.retry.backoff.ms", "a stopping node needs no retries; remove it"),
    ("host.name", "use listeners"),
    ("inter.broker.protocol.version", "the feature level metadata.version decides"),
    ("leader.imbalance.per.broker.percentage", "leaders are balanced without a threshold"),
    ("log.message.downconversion.enable", "old record formats are not served; remove it"),
    ("log.message.format.version", "records are always kept in format 2; remove it"),
    (
        "log.message.timestamp.difference.max.ms",
        "use log.message.timestamp.before.max.ms and log.message.timestamp.after.max.ms",
    ),
    ("password.encoder.secret", "passwords are not stored encoded; remove it"),
    ("password.encoder.old.secret", "passwords are not stored encoded; remove it"),
    ("port", "use listeners"),
    ("quota.consumer.default", "set client quotas with the admin tools"),
    ("quota.producer.default", "set client quotas with the admin tools"),
    ("replica.lag.max.messages", "replica.lag.time.max.ms alone decides"),
    ("zookeeper.connect", "there is no ZooKeeper; remove it"),
];
