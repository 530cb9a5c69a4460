//! Rules on listeners: names, addresses and ports that fit together.

use crate::broker::{Roles, resolve_listeners};
use crate::error::ConfigError;
use crate::layers::Read;
use crate::listeners::Listener;

use super::conflict;

pub(super) fn check_listeners(read: &Read<'_>) -> Result<(), ConfigError> {
    let resolved = resolve_listeners(read)?;
    check_ports(&resolved.listeners)?;
    let roles = Roles::from_items(&read.list("process.roles"));
    if !roles.broker {
        return check_controller_only(&resolved.listeners, &resolved.controller_names);
    }
    if resolved.advertised.is_empty() {
        let reason = "none is left for clients beside controller.listener.names".into();
        return Err(conflict("listeners", reason));
    }
    for advertised in &resolved.advertised {
        if advertised.host == "0.0.0.0" || advertised.host == "::" {
            let reason =
                format!("nobody can connect to {advertised}; give an address of this machine");
            return Err(conflict("advertised.listeners", reason));
        }
        if !resolved.listeners.iter().any(|l| l.name == advertised.name) {
            let reason = format!("{} is not one of listeners", advertised.name);
            return Err(conflict("advertised.listeners", reason));
        }
    }
    if read.is_given("inter.broker.listener.name")
        && read.is_given("security.inter.broker.protocol")
    {
        let reason = "only one of it and security.inter.broker.protocol may be given".into();
        return Err(conflict("inter.broker.listener.name", reason));
    }
    if !resolved.advertised.iter().any(|l| l.name == resolved.inter_broker_name) {
        let reason = format!("{} is not one of advertised.listeners", resolved.inter_broker_name);
        return Err(conflict("inter.broker.listener.name", reason));
    }
    Ok(())
}

fn check_controller_only(listeners: &[Listener], names: &[String]) -> Result<(), ConfigError> {
    match listeners.iter().find(|l| !names.contains(&l.name)) {
        Some(other) => {
            let reason = format!(
                "a node that is only a controller has those of controller.listener.names alone, not {}",
                other.name
            );
            Err(conflict("listeners", reason))
        }
        None => Ok(()),
    }
}

/// Two listeners share a port only as the IPv4 and IPv6 half of one; port 0 is chosen later.
fn check_ports(listeners: &[Listener]) -> Result<(), ConfigError> {
    for (i, a) in listeners.iter().enumerate() {
        for b in &listeners[..i] {
            let halves = a.host.contains(':') != b.host.contains(':')
                && !a.host.is_empty()
                && !b.host.is_empty();
            if a.port != 0 && a.port == b.port && !halves {
                return Err(conflict("listeners", format!("{b} and {a} have the same port")));
            }
        }
    }
    Ok(())
}
