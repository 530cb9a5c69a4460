//! DescribeClientQuotas (48).

use std::collections::BTreeMap;

use highwater_wire::messages::describe_client_quotas_request::{
    ComponentData, DescribeClientQuotasRequest,
};
use highwater_wire::messages::describe_client_quotas_response::{
    DescribeClientQuotasResponse, EntityData, EntryData, ValueData,
};
use highwater_wire::{ErrorCode, Str};

use crate::error::{ApiError, Outcome};
use crate::image::{Image, QuotaEntity};

/// What a part of an entity must be.
enum Wanted<'a> {
    Name(&'a Str),
    Default,
    Any,
}

impl Wanted<'_> {
    fn is(&self, name: &Option<Str>) -> bool {
        match self {
            Wanted::Name(wanted) => name.as_ref() == Some(*wanted),
            Wanted::Default => name.is_none(),
            Wanted::Any => true,
        }
    }
}

/// Quotas whose entity has every part that is asked for, and with `strict` no other.
pub fn describe_client_quotas(
    image: &Image,
    request: &DescribeClientQuotasRequest,
) -> DescribeClientQuotasResponse {
    let filter = match filter(&request.components) {
        Ok(filter) => filter,
        Err(error) => {
            return DescribeClientQuotasResponse {
                error_code: error.code.0,
                error_message: error.message,
                entries: None,
                ..DescribeClientQuotasResponse::default()
            };
        }
    };
    let matches = |entity: &QuotaEntity| {
        let parts = filter
            .iter()
            .all(|(kind, wanted)| entity.get(*kind).is_some_and(|name| wanted.is(name)));
        parts && (!request.strict || entity.len() == filter.len())
    };
    let entries = image.quotas.iter().filter(|(entity, _)| matches(entity));
    DescribeClientQuotasResponse {
        entries: Some(entries.map(|(entity, values)| entry(entity, values)).collect()),
        ..DescribeClientQuotasResponse::default()
    }
}

fn entry(entity: &QuotaEntity, values: &BTreeMap<Str, f64>) -> EntryData {
    let parts = entity.iter().map(|(entity_type, entity_name)| EntityData {
        entity_type: entity_type.clone(),
        entity_name: entity_name.clone(),
        ..EntityData::default()
    });
    let values = values.iter().map(|(key, value)| ValueData {
        key: key.clone(),
        value: *value,
        ..ValueData::default()
    });
    EntryData { entity: parts.collect(), values: values.collect(), ..EntryData::default() }
}

fn filter(components: &[ComponentData]) -> Outcome<BTreeMap<&Str, Wanted<'_>>> {
    let refused = |code: ErrorCode, why: String| Err(ApiError::new(code, why));
    let bad_request = |why: String| Err(ApiError::new(ErrorCode::INVALID_REQUEST, why));
    let mut filter = BTreeMap::new();
    for component in components {
        let kind = &component.entity_type;
        let wanted = match (component.match_type, &component.r#match) {
            _ if kind.is_empty() => return bad_request("An entity type is empty.".into()),
            (0, Some(name)) => Wanted::Name(name),
            (0, None) => return bad_request(format!("An exact match of {kind} needs a name.")),
            (1 | 2, Some(_)) => {
                return bad_request(format!("Only an exact match of {kind} takes a name."));
            }
            (1, None) => Wanted::Default,
            (2, None) => Wanted::Any,
            (other, _) => {
                return bad_request(format!(
                    "There is no match type {other}; 0 is exact, 1 default, 2 any."
                ));
            }
        };
        if filter.insert(kind, wanted).is_some() {
            return bad_request(format!("Entity type {kind} is given more than once."));
        }
    }
    let known = |kind: &str| matches!(kind, "user" | "client-id" | "ip");
    if let Some(kind) = filter.keys().find(|kind| !known(kind)) {
        let why = format!("Quotas are for user, client-id and ip; there is no entity type {kind}.");
        return refused(ErrorCode::UNSUPPORTED_VERSION, why);
    }
    if filter.keys().any(|kind| &***kind == "ip") && filter.len() > 1 {
        return bad_request("ip cannot be combined with user or client-id.".into());
    }
    Ok(filter)
}
