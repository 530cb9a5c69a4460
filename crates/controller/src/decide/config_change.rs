//! What both ways of altering settings share: a resource may appear once, it must be there, and a
//! set that is accepted becomes records. Which sets are acceptable is `highwater_config`'s affair.

use std::collections::BTreeSet;

use highwater_config::{Overrides, Target};
use highwater_types::BrokerId;
use highwater_wire::messages::{ClearElrRecord, ConfigRecord};
use highwater_wire::metadata_frame::MetadataRecord;
use highwater_wire::{ErrorCode, Str};

use crate::error::{ApiError, Outcome};
use crate::image::{Image, ResourceKind};
use crate::settings;
use crate::topic_name::check_topic_name;

/// A resource as a request names it: type number and name.
pub type Named<'a> = (i8, &'a Str);

/// Resources that a request names more than once.
pub fn repeated<'a>(resources: impl Iterator<Item = Named<'a>>) -> BTreeSet<Named<'a>> {
    let mut once = BTreeSet::new();
    resources.filter(|resource| !once.insert(*resource)).collect()
}

pub fn refused<T>(why: impl Into<String>) -> Outcome<T> {
    Err(ApiError::new(ErrorCode::INVALID_REQUEST, why))
}

/// The resource, if it can have settings at all.
pub fn check_named(kind: i8, name: &Str, receiver: BrokerId) -> Outcome<ResourceKind> {
    let Some(kind) = ResourceKind::of(kind) else {
        return refused(format!("There is no resource type {kind}."));
    };
    match kind {
        ResourceKind::Broker => check_broker_name(name, receiver)?,
        ResourceKind::Topic if !name.is_empty() => check_topic_name(name)?,
        ResourceKind::Topic => return refused("Topics have no common default: name one."),
        ResourceKind::Group if name.is_empty() => {
            return refused("Groups have no common default: name one.");
        }
        ResourceKind::ClientMetrics if name.is_empty() => {
            return refused("A client metrics subscription needs a name.");
        }
        ResourceKind::Group | ResourceKind::ClientMetrics | ResourceKind::BrokerLogger => {}
    }
    Ok(kind)
}

/// A broker takes changes of itself or of all brokers.
fn check_broker_name(name: &str, receiver: BrokerId) -> Outcome {
    if name.is_empty() {
        return Ok(());
    }
    match name.parse::<i32>() {
        Err(_) => refused(format!("A broker is named by its id, a whole number, not by {name:?}.")),
        Ok(id) if BrokerId(id) != receiver => {
            refused(format!("This is broker {receiver}; settings of broker {name} go to that one."))
        }
        Ok(_) => Ok(()),
    }
}

/// Whose settings they are; log levels are kept by each broker itself.
pub fn target(kind: ResourceKind, name: &Str) -> Outcome<Target> {
    settings::target(kind, name).map_or_else(
        || refused("Log levels are altered one by one, with IncrementalAlterConfigs."),
        Ok,
    )
}

/// The records that lead from the stored set of a resource to `after`. `named` are the keys that
/// the request names.
pub fn records_of<'a>(
    image: &Image,
    kind: ResourceKind,
    resource_name: &Str,
    after: &Overrides,
    named: impl Iterator<Item = &'a Str>,
) -> Outcome<Vec<MetadataRecord>> {
    if kind == ResourceKind::Topic && image.topic(resource_name).is_none() {
        let why = format!("Topic '{resource_name}' does not exist.");
        return Err(ApiError::new(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION, why));
    }
    let before = settings::stored(image, kind, resource_name);
    let named: BTreeSet<&str> = named.map(|name| &**name).collect();
    let gone = before.keys().map(String::as_str).filter(|key| !after.contains_key(*key));
    let touched: BTreeSet<&str> = named.iter().copied().chain(gone).collect();
    // Settings of brokers are written even if they stay: that makes brokers reload what a setting
    // refers to, such as a key store.
    let written = touched.into_iter().filter(|key| {
        let always = kind == ResourceKind::Broker && named.contains(key);
        always || before.get(*key) != after.get(*key)
    });
    let mut records = Vec::new();
    let mut min_isr_changed = false;
    for key in written {
        min_isr_changed |= key == settings::MIN_INSYNC_REPLICAS;
        records.push(MetadataRecord::Config(ConfigRecord {
            resource_type: kind.code(),
            resource_name: resource_name.clone(),
            name: Str::from(key),
            value: after.get(key).map(|value| Str::from(value.as_str())),
            ..ConfigRecord::default()
        }));
    }
    // Who was eligible to lead under one minimum may not be under another.
    if min_isr_changed && image.features.elr_enabled() {
        let of_topic = kind == ResourceKind::Topic;
        let topic_name = if of_topic { resource_name.clone() } else { Str::default() };
        let cleared = ClearElrRecord { topic_name, ..ClearElrRecord::default() };
        records.push(MetadataRecord::ClearElr(cleared));
    }
    Ok(records)
}
