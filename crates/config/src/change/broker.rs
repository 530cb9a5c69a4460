//! Changes of broker settings: which may change at all, for one broker or for all.

use crate::cross;
use crate::layers::{Layers, Overrides, Read};
use crate::names::{broker_setting, listener_suffix};
use crate::registry::lookup;
use crate::setting::{Level, Mode};

use super::{ChangeError, Target};

/// Per listener, these may also change for all brokers.
const CLUSTER_LEVEL_LISTENER_SETTINGS: [&str; 3] =
    ["max.connection.creation.rate", "max.connections", "num.network.threads"];

/// The minimum ISR is the same on every broker, or an election could choose a replica that lacks
/// acknowledged records: it is set for a topic or for all brokers, and there always stays one.
pub(super) fn check_min_insync(
    target: Target,
    name: &str,
    removed: bool,
) -> Result<(), ChangeError> {
    match target {
        Target::Broker if name == "min.insync.replicas" => Err(ChangeError::config(
            "min.insync.replicas: set it for a topic or for all brokers, not for one",
        )),
        Target::AllBrokers if name == "min.insync.replicas" && removed => Err(ChangeError::config(
            "min.insync.replicas: the value of all brokers may be changed, not removed",
        )),
        _ => Ok(()),
    }
}

const THREAD_POOLS: [&str; 6] = [
    "background.threads",
    "log.cleaner.threads",
    "num.io.threads",
    "num.network.threads",
    "num.recovery.threads.per.data.dir",
    "num.replica.fetchers",
];

pub(super) fn check(
    target: Target,
    overrides: &Overrides,
    layers: &Layers<'_>,
) -> Result<(), ChangeError> {
    for name in overrides.keys() {
        check_may_change(target, name)?;
    }
    for (name, text) in overrides {
        // Unknown names are kept: plugins read them.
        if let Some(setting) = broker_setting(name) {
            setting.parse(text).map_err(ChangeError::request)?;
        }
    }
    let after = match target {
        Target::Broker => Layers { broker: overrides, ..*layers },
        _ => Layers { cluster: overrides, ..*layers },
    };
    check_pools(layers, &after)?;
    cross::check_broker(&after).map_err(ChangeError::request)
}

/// A pool at most doubles or halves at a time, so that a slip does not stall a broker.
fn check_pools(before: &Layers<'_>, after: &Layers<'_>) -> Result<(), ChangeError> {
    for name in THREAD_POOLS {
        let (now, wanted) = (Read::broker(before).long(name), Read::broker(after).long(name));
        if wanted > now.saturating_mul(2) || wanted < now / 2 {
            let message = format!(
                "{name}: it is {now} and may at most double or halve at a time, not {wanted}"
            );
            return Err(ChangeError::request(message));
        }
    }
    Ok(())
}

fn check_may_change(target: Target, name: &str) -> Result<(), ChangeError> {
    let refused = |reason: &str| Err(ChangeError::request(format!("{name}: {reason}")));
    let exact = lookup(Level::Broker, name);
    if exact.is_some_and(|s| s.mode == Mode::ReadOnly) {
        return refused("it takes effect at start only, so it cannot change while running");
    }
    if exact.is_some() && is_of_one_listener(name) {
        return refused("it changes for one listener only: listener.name.<listener>.<setting>");
    }
    let suffix = listener_suffix(name);
    let of_one_broker = exact.is_some_and(|s| s.mode == Mode::PerBroker)
        || suffix.is_some_and(|s| !CLUSTER_LEVEL_LISTENER_SETTINGS.contains(&s));
    if target == Target::AllBrokers && of_one_broker {
        return refused("it belongs to one broker, not to all");
    }
    Ok(())
}

/// Keys and trust are changed listener by listener.
fn is_of_one_listener(name: &str) -> bool {
    name.starts_with("ssl.keystore.")
        || name.starts_with("ssl.truststore.")
        || name == "ssl.key.password"
}
