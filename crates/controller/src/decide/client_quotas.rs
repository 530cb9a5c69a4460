//! AlterClientQuotas (49).

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use highwater_wire::messages::alter_client_quotas_request::{
    AlterClientQuotasRequest, EntryData as WantedEntry,
};
use highwater_wire::messages::alter_client_quotas_response::{
    AlterClientQuotasResponse, EntityData, EntryData,
};
use highwater_wire::messages::client_quota_record::ClientQuotaRecord;
use highwater_wire::metadata_frame::MetadataRecord;
use highwater_wire::{ErrorCode, Str};

use super::Decided;
use crate::error::{ApiError, Outcome, parts};
use crate::image::{Image, QuotaEntity, entity_data};

/// Numbers that a quota's value may be.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Numbers {
    Any,
    /// Whole, and at most this.
    Whole(f64),
}

/// Quotas of users and clients.
const CLIENT_KEYS: [(&str, Numbers); 4] = [
    ("consumer_byte_rate", Numbers::Whole(i64::MAX as f64)),
    ("controller_mutation_rate", Numbers::Any),
    ("producer_byte_rate", Numbers::Whole(i64::MAX as f64)),
    ("request_percentage", Numbers::Any),
];

/// Quotas of addresses.
const IP_KEYS: [(&str, Numbers); 1] =
    [("connection_creation_rate", Numbers::Whole(i32::MAX as f64))];

pub fn decide_alter_client_quotas(
    image: &Image,
    request: &AlterClientQuotasRequest,
) -> Decided<AlterClientQuotasResponse> {
    let entities: Vec<QuotaEntity> = request.entries.iter().map(entity_of).collect();
    let mut once = BTreeSet::new();
    let twice: BTreeSet<&QuotaEntity> =
        entities.iter().filter(|entity| !once.insert(*entity)).collect();
    let mut records = Vec::new();
    let mut entries = Vec::new();
    let mut answered = BTreeSet::new();
    for (wanted, entity) in request.entries.iter().zip(&entities) {
        if !answered.insert(entity) {
            continue;
        }
        let outcome = if twice.contains(entity) {
            refused(format!("{} is given more than once in this request.", shown(entity)))
        } else {
            alter(image, wanted, entity)
        };
        let (error_code, error_message) = parts(&outcome);
        records.extend(outcome.into_iter().flatten());
        entries.push(EntryData {
            error_code,
            error_message,
            entity: response_entity(entity),
            ..EntryData::default()
        });
    }
    if request.validate_only {
        records.clear();
    }
    let reply = AlterClientQuotasResponse { entries, ..AlterClientQuotasResponse::default() };
    Decided { records, reply }
}

/// Of an entity type that is given twice the last counts.
fn entity_of(entry: &WantedEntry) -> QuotaEntity {
    let parts = entry.entity.iter();
    parts.map(|part| (part.entity_type.clone(), part.entity_name.clone())).collect()
}

fn response_entity(entity: &QuotaEntity) -> Vec<EntityData> {
    let parts = entity.iter().map(|(entity_type, entity_name)| EntityData {
        entity_type: entity_type.clone(),
        entity_name: entity_name.clone(),
        ..EntityData::default()
    });
    parts.collect()
}

fn shown(entity: &QuotaEntity) -> String {
    let name = |name: &Option<Str>| name.as_deref().unwrap_or("<default>").to_owned();
    let parts: Vec<String> = entity.iter().map(|(t, n)| format!("{t} {}", name(n))).collect();
    parts.join(", ")
}

fn refused<T>(why: impl Into<String>) -> Outcome<T> {
    Err(ApiError::new(ErrorCode::INVALID_REQUEST, why))
}

fn alter(
    image: &Image,
    wanted: &WantedEntry,
    entity: &QuotaEntity,
) -> Outcome<Vec<MetadataRecord>> {
    let allowed = check_entity(entity)?;
    let mut changes = BTreeMap::<&Str, Option<f64>>::new();
    for op in &wanted.ops {
        if changes.insert(&op.key, (!op.remove).then_some(op.value)).is_some() {
            return refused(format!("{} is given more than once for {}.", op.key, shown(entity)));
        }
    }
    let mut records = Vec::new();
    for (key, value) in changes {
        if let Some(value) = value {
            check_value(allowed, key, value)?;
        }
        let current = image.quotas.get(entity).and_then(|values| values.get(key)).copied();
        if current == value {
            continue;
        }
        records.push(MetadataRecord::ClientQuota(ClientQuotaRecord {
            entity: entity_data(entity),
            key: key.clone(),
            value: value.unwrap_or_default(),
            remove: value.is_none(),
            ..ClientQuotaRecord::default()
        }));
    }
    Ok(records)
}

/// The keys that the entity may have.
fn check_entity(entity: &QuotaEntity) -> Outcome<&'static [(&'static str, Numbers)]> {
    if entity.is_empty() {
        return refused("A quota is for a user, a client id or an address; none is given.");
    }
    for (kind, name) in entity {
        if !matches!(&**kind, "user" | "client-id" | "ip") {
            return refused(format!(
                "Quotas are for user, client-id and ip; there is no entity type {kind:?}."
            ));
        }
        if name.as_ref().is_some_and(|name| name.is_empty()) {
            return refused(format!("A quota's {kind} may not be empty; null means the default."));
        }
    }
    match entity.get("ip") {
        None => Ok(&CLIENT_KEYS),
        Some(_) if entity.len() > 1 => {
            refused("A quota is for an address or for a user and client id, not for both.")
        }
        Some(Some(address)) if !is_address(address) => {
            refused(format!("{address} is neither an IP address nor a host name."))
        }
        Some(_) => Ok(&IP_KEYS),
    }
}

/// A host name is taken by its form: looking it up is no business of a decision.
fn is_address(text: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    text.parse::<IpAddr>().is_ok() || (text.len() <= 253 && text.split('.').all(label))
}

fn check_value(allowed: &[(&str, Numbers)], key: &str, value: f64) -> Outcome {
    let Some((_, numbers)) = allowed.iter().find(|(name, _)| *name == key) else {
        let names: Vec<&str> = allowed.iter().map(|(name, _)| *name).collect();
        return refused(format!("There is no quota {key} here; known: {}.", names.join(", ")));
    };
    if value.is_nan() || value <= 0.0 {
        return refused(format!("Quota {key} must be above 0, not {value}."));
    }
    if value.is_infinite() {
        return refused(format!("Quota {key} cannot be infinite; remove it to have no limit."));
    }
    match *numbers {
        Numbers::Whole(max) if value > max => {
            refused(format!("Quota {key} is at most {max}, not {value}."))
        }
        Numbers::Whole(_) if value.fract() > 1e-6 => {
            refused(format!("Quota {key} is a whole number, not {value}."))
        }
        _ => Ok(()),
    }
}
