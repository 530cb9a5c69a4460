//! AlterConfigs (33): replaces the whole set of a resource.

use std::collections::BTreeSet;

use highwater_types::BrokerId;
use highwater_wire::messages::alter_configs_request::{AlterConfigsRequest, AlterConfigsResource};
use highwater_wire::messages::alter_configs_response::{
    AlterConfigsResourceResponse, AlterConfigsResponse,
};
use highwater_wire::metadata_frame::MetadataRecord;

use super::config_change::{
    Changes, Named, check_keys, check_named, records_of, refused, repeated,
};
use super::{ControllerCx, Decided};
use crate::error::{Outcome, parts};
use crate::image::{Image, ResourceKind};

pub fn decide_alter_configs(
    image: &Image,
    request: &AlterConfigsRequest,
    receiver: BrokerId,
    cx: &ControllerCx<'_>,
) -> Decided<AlterConfigsResponse> {
    let named = request.resources.iter().map(|r| (r.resource_type, &r.resource_name));
    let twice = repeated(named);
    let mut records = Vec::new();
    let mut responses = Vec::new();
    for resource in &request.resources {
        let outcome = replace(image, resource, receiver, &twice, cx);
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
    let reply = AlterConfigsResponse { responses, ..AlterConfigsResponse::default() };
    Decided { records, reply }
}

fn replace(
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
    check_keys(resource.configs.iter().map(|config| (&config.name, config.value.is_some())))?;
    let kind = check_named(kind, name, receiver)?;
    if kind == ResourceKind::BrokerLogger {
        return refused("Log levels are altered one by one, with IncrementalAlterConfigs.");
    }
    let given = resource.configs.iter();
    let mut changes: Changes = given
        .map(|config| (config.name.to_string(), config.value.as_ref().map(ToString::to_string)))
        .collect();
    for key in image.configs.get(kind, name).iter().flat_map(|current| current.keys()) {
        changes.entry(key.clone()).or_insert(None);
    }
    records_of(kind, name, &changes, image, cx)
}
