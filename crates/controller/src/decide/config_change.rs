//! What both ways of altering settings share: a resource may appear once, its keys once, and a set
//! that is accepted becomes records.

use std::collections::{BTreeMap, BTreeSet};

use highwater_config::Overrides;
use highwater_types::BrokerId;
use highwater_wire::messages::{ClearElrRecord, ConfigRecord};
use highwater_wire::metadata_frame::MetadataRecord;
use highwater_wire::{ErrorCode, Str};

use super::ControllerCx;
use crate::error::{ApiError, Outcome};
use crate::image::{Image, ResourceKind};
use crate::limits::CONFIG_VALUE_BYTES_MAX;
use crate::settings;

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

/// Checks that no key is given twice and none that is set lacks a value.
pub fn check_keys<'a>(keys: impl Iterator<Item = (&'a Str, bool)>) -> Outcome {
    let mut seen = BTreeSet::new();
    let mut absent = Vec::new();
    for (key, has_value) in keys {
        if !seen.insert(key) {
            return refused(format!("Setting {key} is given more than once."));
        }
        if !has_value {
            absent.push(&**key);
        }
    }
    if absent.is_empty() {
        return Ok(());
    }
    refused(format!(
        "These settings have no value (to remove one, delete it): {}.",
        absent.join(", ")
    ))
}

/// The kind of a resource that the request may name at all.
pub fn check_named(kind: i8, name: &Str, receiver: BrokerId) -> Outcome<ResourceKind> {
    let Some(kind) = ResourceKind::of(kind) else {
        return refused(format!("There is no resource type {kind}."));
    };
    if kind == ResourceKind::Broker {
        settings::check_broker_name(name, receiver)?;
    }
    Ok(kind)
}

fn check_lengths(changes: &Changes) -> Outcome {
    let long = |value: &Option<String>| {
        value.as_ref().is_some_and(|text| text.len() > CONFIG_VALUE_BYTES_MAX)
    };
    match changes.iter().find(|(_, value)| long(value)) {
        None => Ok(()),
        Some((key, _)) => {
            let why = format!("{key}: a value may have at most {CONFIG_VALUE_BYTES_MAX} bytes.");
            Err(ApiError::new(ErrorCode::INVALID_CONFIG, why))
        }
    }
}

/// Changes of one resource: `None` removes a key.
pub type Changes = BTreeMap<String, Option<String>>;

/// The records that `changes` to a resource come to, once its set as a whole is acceptable.
pub fn records_of(
    kind: ResourceKind,
    name: &Str,
    changes: &Changes,
    image: &Image,
    cx: &ControllerCx<'_>,
) -> Outcome<Vec<MetadataRecord>> {
    let empty = Overrides::new();
    let current = image.configs.get(kind, name).map_or(&empty, |held| &**held);
    let mut all = current.clone();
    for (key, value) in changes {
        match value {
            Some(value) => drop(all.insert(key.clone(), value.clone())),
            None => drop(all.remove(key)),
        }
    }
    check_lengths(changes)?;
    settings::check_resource(kind, name, &all, cx.view, image)?;
    if kind == ResourceKind::Broker {
        let keys = changes.iter().map(|(key, value)| (key.as_str(), value.is_none()));
        settings::check_changed_keys(name, keys, image)?;
    }
    if kind == ResourceKind::Topic && image.topic(name).is_none() {
        let why = format!("Topic '{name}' does not exist.");
        return Err(ApiError::new(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION, why));
    }
    // Settings of brokers are written even if they stay: that makes brokers reload what a setting
    // refers to, such as a key store.
    let changed = changes
        .iter()
        .filter(|(key, value)| kind == ResourceKind::Broker || current.get(*key) != value.as_ref());
    let mut records: Vec<MetadataRecord> = Vec::new();
    let mut min_isr_changed = false;
    for (key, value) in changed {
        min_isr_changed |= key == settings::MIN_INSYNC_REPLICAS;
        records.push(MetadataRecord::Config(ConfigRecord {
            resource_type: kind.code(),
            resource_name: name.clone(),
            name: Str::from(key.as_str()),
            value: value.as_deref().map(Str::from),
            ..ConfigRecord::default()
        }));
    }
    // Who was eligible to lead under one minimum may not be under another.
    if min_isr_changed && image.features.elr_enabled() {
        let topic_name = if kind == ResourceKind::Topic { name.clone() } else { Str::default() };
        let cleared = ClearElrRecord { topic_name, ..ClearElrRecord::default() };
        records.push(MetadataRecord::ClearElr(cleared));
    }
    Ok(records)
}
