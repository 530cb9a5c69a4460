//! ListConfigResources (74).

use highwater_wire::messages::list_config_resources_request::ListConfigResourcesRequest;
use highwater_wire::messages::list_config_resources_response::{
    ConfigResource, ListConfigResourcesResponse,
};
use highwater_wire::{ErrorCode, Str};

use crate::image::{Image, ResourceKind};

/// Resources of the asked types, of all if none is asked for. Version 0 knows client metrics
/// alone. Groups and subscriptions are listed if they have settings, topics and brokers always.
pub fn list_config_resources(
    image: &Image,
    request: &ListConfigResourcesRequest,
    version: i16,
) -> ListConfigResourcesResponse {
    let asked: Option<Vec<ResourceKind>> = match version {
        0 => Some(vec![ResourceKind::ClientMetrics]),
        _ if request.resource_types.is_empty() => Some(ResourceKind::ALL.to_vec()),
        _ => request.resource_types.iter().map(|code| ResourceKind::of(*code)).collect(),
    };
    let Some(kinds) = asked else {
        return ListConfigResourcesResponse {
            error_code: ErrorCode::UNSUPPORTED_VERSION.0,
            ..ListConfigResourcesResponse::default()
        };
    };
    // Groups first, topics last: the order in which Kafka answers.
    let in_order = ResourceKind::ALL.into_iter().rev().filter(|kind| kinds.contains(kind));
    let resources = in_order.flat_map(|kind| {
        names(image, kind).into_iter().map(move |resource_name| ConfigResource {
            resource_name,
            resource_type: kind.code(),
            ..ConfigResource::default()
        })
    });
    ListConfigResourcesResponse {
        config_resources: resources.collect(),
        ..ListConfigResourcesResponse::default()
    }
}

fn names(image: &Image, kind: ResourceKind) -> Vec<Str> {
    match kind {
        ResourceKind::Topic => image.topics.by_name().map(|topic| topic.name.clone()).collect(),
        ResourceKind::Broker | ResourceKind::BrokerLogger => {
            image.brokers.unfenced().map(|broker| Str::from(broker.id.to_string())).collect()
        }
        ResourceKind::ClientMetrics | ResourceKind::Group => {
            image.configs.names(kind).cloned().collect()
        }
    }
}
