//! Rules that span two settings or more.
//!
//! Owns them for start-up and for changes. Refuses rules on one value (`check`). Called by
//! `static_config` and `change`.

mod group;
mod listeners;
mod pairs;

pub(crate) use group::{bounds as group_bounds, check_group};

use crate::broker::{Roles, counts_by_host};
use crate::error::ConfigError;
use crate::layers::{Layers, Overrides, Read};
use crate::setting::Level;
use crate::static_config::StaticConfig;

/// The first rule that a broker's settings break, in all layers together.
pub(crate) fn check_broker(layers: &Layers<'_>) -> Result<(), ConfigError> {
    let read = Read::broker(layers);
    check_times(&read)?;
    check_sizes(&read)?;
    check_node(&read)?;
    listeners::check_listeners(&read)?;
    pairs::check_pairs(&read)
}

/// [`check_broker`] with static settings alone.
pub(crate) fn check_static(fixed: &StaticConfig) -> Result<(), ConfigError> {
    let none = Overrides::new();
    check_broker(&Layers { broker: &none, cluster: &none, fixed })
}

/// The first rule that a topic's effective settings break.
pub(crate) fn check_topic(overrides: &Overrides, layers: &Layers<'_>) -> Result<(), ConfigError> {
    let read = Read::of(Level::Topic, overrides, layers);
    let (min, max) = (read.long("min.compaction.lag.ms"), read.long("max.compaction.lag.ms"));
    if min > max {
        let reason = format!("{min} is more than max.compaction.lag.ms, which is {max}");
        return Err(conflict("min.compaction.lag.ms", reason));
    }
    // Tiered storage is not there, so the rules on local retention have nothing to rule.
    if overrides.contains_key("remote.storage.enable") && read.flag("remote.storage.enable") {
        let reason = "tiered storage is turned off on this broker".to_owned();
        return Err(conflict("remote.storage.enable", reason));
    }
    Ok(())
}

fn check_times(read: &Read<'_>) -> Result<(), ConfigError> {
    if read.long("log.roll.ms") < 1 {
        return Err(conflict("log.roll.ms", "the least roll time is 1 ms".into()));
    }
    if read.long("log.roll.jitter.ms") < 0 {
        return Err(conflict("log.roll.jitter.ms", "it may not be negative".into()));
    }
    if read.long("log.retention.ms") == 0 {
        let reason = "the least retention is 1 ms, and -1 keeps records for ever".into();
        return Err(conflict("log.retention.ms", reason));
    }
    let delay_ms = read.long("connection.failed.authentication.delay.ms");
    let idle_ms = read.long("connections.max.idle.ms");
    if idle_ms > 0 && delay_ms >= idle_ms {
        let reason = "it must be below connections.max.idle.ms, or the answer is never sent".into();
        return Err(conflict("connection.failed.authentication.delay.ms", reason));
    }
    Ok(())
}

fn check_sizes(read: &Read<'_>) -> Result<(), ConfigError> {
    let threads = read.long("log.cleaner.threads");
    if threads > 0 && read.long("log.cleaner.dedupe.buffer.size") / threads <= 1 << 20 {
        let reason = "each of log.cleaner.threads needs more than 1 MiB of it".into();
        return Err(conflict("log.cleaner.dedupe.buffer.size", reason));
    }
    let queued = read.long("queued.max.request.bytes");
    if queued > 0 && queued < read.long("socket.request.max.bytes") {
        let reason = "it must hold one request of socket.request.max.bytes".into();
        return Err(conflict("queued.max.request.bytes", reason));
    }
    let overrides = read.text("max.connections.per.ip.overrides").unwrap_or_default();
    if read.long("max.connections.per.ip") == 0 && overrides.is_empty() {
        let reason = "0 lets nobody in unless max.connections.per.ip.overrides names somebody";
        return Err(conflict("max.connections.per.ip", reason.into()));
    }
    counts_by_host(&overrides)
        .map_err(|reason| conflict("max.connections.per.ip.overrides", reason))?;
    check_cordoned(read)
}

fn check_cordoned(read: &Read<'_>) -> Result<(), ConfigError> {
    let (cordoned, dirs) = (read.list("cordoned.log.dirs"), read.list("log.dirs"));
    if cordoned == ["*"] {
        return Ok(());
    }
    match cordoned.iter().find(|dir| !dirs.contains(dir)) {
        Some(dir) => Err(conflict("cordoned.log.dirs", format!("{dir} is not one of log.dirs"))),
        None => Ok(()),
    }
}

fn check_node(read: &Read<'_>) -> Result<(), ConfigError> {
    let node_id = read.int("node.id");
    let older = read.int("broker.id");
    if older != -1 && older != node_id {
        let reason = format!("it is {older}, but node.id is {node_id}; remove it");
        return Err(conflict("broker.id", reason));
    }
    let voters = read.list("controller.quorum.voters");
    let own = format!("{node_id}@");
    let is_voter = voters.iter().any(|voter| voter.starts_with(&own));
    let roles = Roles::from_items(&read.list("process.roles"));
    if roles.controller && !voters.is_empty() && !is_voter {
        let reason = format!("node {node_id} is a controller and must be among them");
        return Err(conflict("controller.quorum.voters", reason));
    }
    if !roles.controller && is_voter {
        let reason = format!("node {node_id} is no controller and may not be among them");
        return Err(conflict("controller.quorum.voters", reason));
    }
    if !roles.controller
        && voters.is_empty()
        && read.list("controller.quorum.bootstrap.servers").is_empty()
    {
        let reason = "a node that is only a broker must be told the controllers".into();
        return Err(conflict("controller.quorum.bootstrap.servers", reason));
    }
    Ok(())
}

fn conflict(name: &str, reason: String) -> ConfigError {
    ConfigError::Conflict { name: name.into(), reason }
}
