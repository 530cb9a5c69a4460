//! AlterConfigs (33): replaces the whole set of a resource.

use std::collections::BTreeSet;

use highwater_config::decide_replacement;
use highwater_types::BrokerId;
use highwater_wire::messages::alter_configs_request::{AlterConfigsRequest, AlterConfigsResource};
use highwater_wire::messages::alter_configs_response::{
    AlterConfigsResourceResponse, AlterConfigsResponse,
};
use highwater_wire::metadata_frame::MetadataRecord;

use super::config_change::{Named, check_named, records_of, refused, repeated, target};
use super::{ControllerCx, Decided};
use crate::error::{Outcome, parts};
use crate::image::Image;
use crate::settings;

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
    let kind = check_named(kind, name, receiver)?;
    let configs = resource.configs.iter();
    let given: Vec<(&str, Option<&str>)> =
        configs.map(|config| (&*config.name, config.value.as_deref())).collect();
    let stored = settings::stored(image, kind, name);
    let layers = settings::layers(cx.view, image);
    let after = decide_replacement(target(kind, name)?, stored, &given, &layers)?;
    records_of(image, kind, name, &after, resource.configs.iter().map(|config| &config.name))
}
