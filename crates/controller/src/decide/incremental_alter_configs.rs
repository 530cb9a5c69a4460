//! IncrementalAlterConfigs (44): touches only the keys it names. A broker answers for its log
//! levels itself, before the request comes here.

use std::collections::BTreeSet;

use highwater_config::{Kind, lookup};
use highwater_types::BrokerId;
use highwater_wire::messages::incremental_alter_configs_request::{
    AlterConfigsResource, AlterableConfig, IncrementalAlterConfigsRequest,
};
use highwater_wire::messages::incremental_alter_configs_response::{
    AlterConfigsResourceResponse, IncrementalAlterConfigsResponse,
};
use highwater_wire::metadata_frame::MetadataRecord;
use highwater_wire::{ErrorCode, Str};

use super::config_change::{
    Changes, Named, check_keys, check_named, records_of, refused, repeated,
};
use super::{ControllerCx, Decided};
use crate::error::{ApiError, Outcome, parts};
use crate::image::{Image, ResourceKind};
use crate::settings;

/// `AlterConfigOp.OpType`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Op {
    Set,
    Delete,
    Append,
    Subtract,
}

impl Op {
    fn of(code: i8) -> Outcome<Op> {
        match code {
            0 => Ok(Op::Set),
            1 => Ok(Op::Delete),
            2 => Ok(Op::Append),
            3 => Ok(Op::Subtract),
            _ => refused(format!(
                "There is no operation {code}; 0 sets, 1 deletes, 2 appends, 3 subtracts."
            )),
        }
    }
}

pub fn decide_incremental_alter_configs(
    image: &Image,
    request: &IncrementalAlterConfigsRequest,
    receiver: BrokerId,
    cx: &ControllerCx<'_>,
) -> Decided<IncrementalAlterConfigsResponse> {
    let named = request.resources.iter().map(|r| (r.resource_type, &r.resource_name));
    let twice = repeated(named);
    let mut records = Vec::new();
    let mut responses = Vec::new();
    for resource in &request.resources {
        let outcome = alter(image, resource, receiver, &twice, cx);
        let (error_code, error_message) = parts(&outcome);
        records.extend(outcome.into_iter().flatten());
        responses.push(AlterConfigsResourceResponse {
            error_code,
            error_message,
            resource_type: resource.resource_type,
            resource_name: resource.resource_name.clone(),
            ..AlterConfigsResourceResponse::default()
        });
    }
    if request.validate_only {
        records.clear();
    }
    let reply =
        IncrementalAlterConfigsResponse { responses, ..IncrementalAlterConfigsResponse::default() };
    Decided { records, reply }
}

fn alter(
    image: &Image,
    resource: &AlterConfigsResource,
    receiver: BrokerId,
    twice: &BTreeSet<Named<'_>>,
    cx: &ControllerCx<'_>,
) -> Outcome<Vec<MetadataRecord>> {
    let (kind, name) = (resource.resource_type, &resource.resource_name);
    if twice.contains(&(kind, name)) {
        return refused("A resource may appear only once in a request.");
    }
    let ops: Vec<Op> =
        resource.configs.iter().map(|c| Op::of(c.config_operation)).collect::<Outcome<_>>()?;
    let keys = resource.configs.iter().zip(&ops);
    check_keys(keys.map(|(c, op)| (&c.name, c.value.is_some() || *op == Op::Delete)))?;
    let kind = check_named(kind, name, receiver)?;
    if kind == ResourceKind::BrokerLogger {
        return refused_log_levels(resource, &ops, receiver);
    }
    let mut changes = Changes::new();
    for (config, op) in resource.configs.iter().zip(ops) {
        let value = changed_value(kind, name, config, op, image, cx)?;
        changes.insert(config.name.to_string(), value);
    }
    records_of(kind, name, &changes, image, cx)
}

/// The value after `op`; `None` removes it.
fn changed_value(
    kind: ResourceKind,
    resource: &Str,
    config: &AlterableConfig,
    op: Op,
    image: &Image,
    cx: &ControllerCx<'_>,
) -> Outcome<Option<String>> {
    let key = &*config.name;
    let given = config.value.as_deref().unwrap_or_default();
    if op == Op::Delete {
        return Ok(None);
    }
    if op == Op::Set {
        return Ok(Some(given.to_owned()));
    }
    let setting = settings::level(kind).and_then(|level| lookup(level, key));
    let Some(setting) = setting.filter(|setting| setting.kind == Kind::List) else {
        let why = format!("Only lists can be appended to and subtracted from; {key} is none.");
        return Err(ApiError::new(ErrorCode::INVALID_CONFIG, why));
    };
    let current = match image.configs.value(kind, resource, key) {
        Some(text) => text.to_owned(),
        None => {
            let broker = (kind == ResourceKind::Broker).then(|| cx.view.static_config.get(key));
            broker.flatten().or(setting.default).unwrap_or_default().to_owned()
        }
    };
    let mut items: Vec<&str> = current.split(',').filter(|item| !item.is_empty()).collect();
    for item in given.split(',') {
        match op {
            Op::Append if !items.contains(&item) => items.push(item),
            Op::Subtract => items.retain(|held| *held != item),
            _ => {}
        }
    }
    Ok(Some(items.join(",")))
}

/// Log levels that reach the controller belong to no logger that a broker knows.
fn refused_log_levels(
    resource: &AlterConfigsResource,
    ops: &[Op],
    receiver: BrokerId,
) -> Outcome<Vec<MetadataRecord>> {
    if resource.resource_name.parse() != Ok(receiver.get()) {
        return refused(format!(
            "This is broker {receiver}; log levels of broker {} go to that one.",
            resource.resource_name
        ));
    }
    if ops.iter().any(|op| matches!(op, Op::Append | Op::Subtract)) {
        return refused("A log level can be set or deleted, not appended to or subtracted from.");
    }
    match resource.configs.first() {
        None => Ok(Vec::new()),
        Some(config) => {
            let why = format!("There is no logger {}.", config.name);
            Err(ApiError::new(ErrorCode::INVALID_CONFIG, why))
        }
    }
}
