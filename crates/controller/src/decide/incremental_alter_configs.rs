//! IncrementalAlterConfigs (44): touches only the keys it names. A broker answers for its log
//! levels itself, before the request comes here.

use std::collections::BTreeSet;

use highwater_config::{
    Edit, Kind, Level, Op, Overrides, decide_edits, decide_logger_edits, lookup,
};
use highwater_types::BrokerId;
use highwater_wire::ErrorCode;
use highwater_wire::messages::incremental_alter_configs_request::{
    AlterConfigsResource, AlterableConfig, IncrementalAlterConfigsRequest,
};
use highwater_wire::messages::incremental_alter_configs_response::{
    AlterConfigsResourceResponse, IncrementalAlterConfigsResponse,
};
use highwater_wire::metadata_frame::MetadataRecord;

use super::config_change::{Named, check_named, records_of, refused, repeated, target};
use super::{ControllerCx, Decided};
use crate::error::{ApiError, Outcome, parts};
use crate::image::{Image, ResourceKind};
use crate::settings;

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
    let edits: Vec<Edit<'_>> = resource.configs.iter().map(edit).collect::<Outcome<_>>()?;
    let kind = check_named(kind, name, receiver)?;
    if kind == ResourceKind::BrokerLogger {
        return check_log_levels(name, &edits, receiver);
    }
    check_lists(kind, &edits)?;
    let stored = settings::stored(image, kind, name);
    let layers = settings::layers(cx.view, image);
    let after = decide_edits(target(kind, name)?, stored, &edits, &layers)?;
    records_of(image, kind, name, &after, resource.configs.iter().map(|config| &config.name))
}

fn edit(config: &AlterableConfig) -> Outcome<Edit<'_>> {
    match Op::from_code(config.config_operation) {
        Some(op) => Ok(Edit { name: &config.name, op, value: config.value.as_deref() }),
        None => refused(format!(
            "There is no operation {}; 0 sets, 1 deletes, 2 appends, 3 subtracts.",
            config.config_operation
        )),
    }
}

/// Log levels are not metadata: what a broker lets through is only checked.
fn check_log_levels(
    name: &str,
    edits: &[Edit<'_>],
    receiver: BrokerId,
) -> Outcome<Vec<MetadataRecord>> {
    if name.parse() != Ok(receiver.get()) {
        return refused(format!(
            "This is broker {receiver}; log levels of broker {name} go to that one."
        ));
    }
    // An operation that no logger takes is a bad request, whichever logger is named.
    if edits.iter().any(|edit| matches!(edit.op, Op::Append | Op::Subtract)) {
        return refused("A log level is set or deleted; it is no list.");
    }
    if edits.iter().any(|edit| edit.op == Op::Delete && edit.name == "root") {
        return refused("The root logger always has a level: set another.");
    }
    decide_logger_edits(&Overrides::new(), edits)?;
    Ok(Vec::new())
}

/// Kafka tells this of brokers as it does of topics: a bad setting, not a bad request.
fn check_lists(kind: ResourceKind, edits: &[Edit<'_>]) -> Outcome {
    if kind != ResourceKind::Broker {
        return Ok(());
    }
    let edits = edits.iter().filter(|edit| matches!(edit.op, Op::Append | Op::Subtract));
    for edit in edits {
        let setting = lookup(Level::Broker, edit.name);
        if setting.is_some_and(|setting| setting.kind != Kind::List) {
            let why = format!("{} is no list, so nothing can be added or taken off.", edit.name);
            return Err(ApiError::new(ErrorCode::INVALID_CONFIG, why));
        }
    }
    Ok(())
}
