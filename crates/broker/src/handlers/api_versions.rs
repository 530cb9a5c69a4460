//! ApiVersions: what we serve, derived from the table of handlers; features that are in force.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_net::Reply;
use highwater_wire::messages::api_versions_response::{
    ApiVersion, FinalizedFeatureKey, SupportedFeatureKey,
};
use highwater_wire::messages::{ApiVersionsRequest, ApiVersionsResponse};
use highwater_wire::{ApiKey, ErrorCode};

use super::{Answer, Api, Call, Handler, TABLE, encode};
use crate::Broker;

pub struct ApiVersions;

/// Version from which the client names its software.
const SOFTWARE_FROM: i16 = 3;
/// Version from which features whose lowest level is 0 are understood.
const FEATURE_ZERO_FROM: i16 = 4;
/// Version from which the client may say which cluster and node it means.
const IDENTITY_FROM: i16 = 5;

impl Api for ApiVersions {
    type Request = ApiVersionsRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=5;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: ApiVersionsRequest,
    ) -> Answer<ApiVersionsResponse> {
        if let Err(code) = check(broker, call.version, &request) {
            return Answer::Now(ApiVersionsResponse { error_code: code.0, ..Default::default() });
        }
        if call.version >= SOFTWARE_FROM {
            call.connection
                .set_software(&request.client_software_name, &request.client_software_version);
        }
        let image = broker.image.load();
        let served = |name: &str| is_served(name);
        let finalized: Vec<_> = image
            .features
            .iter()
            .filter(|(name, _)| served(name))
            .map(|(name, level)| FinalizedFeatureKey {
                name: name.clone(),
                max_version_level: level,
                min_version_level: level,
                ..FinalizedFeatureKey::default()
            })
            .collect();
        let supported = highwater_controller::features::SUPPORTED
            .iter()
            .filter(|feature| served(feature.name))
            .filter(|feature| call.version >= FEATURE_ZERO_FROM || feature.min > 0)
            .map(|feature| SupportedFeatureKey {
                name: feature.name.into(),
                min_version: feature.min,
                max_version: feature.max,
                ..SupportedFeatureKey::default()
            })
            .collect();
        Answer::Now(ApiVersionsResponse {
            api_keys: TABLE.iter().map(advertised).collect(),
            supported_features: supported,
            finalized_features_epoch: broker.metadata_offset(),
            finalized_features: finalized,
            ..ApiVersionsResponse::default()
        })
    }
}

fn check(broker: &Broker, version: i16, request: &ApiVersionsRequest) -> Result<(), ErrorCode> {
    let is_software = |text: &str| {
        let inner = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
        let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        edge(text.chars().next()) && edge(text.chars().last()) && text.chars().all(inner)
    };
    if version >= SOFTWARE_FROM
        && !(is_software(&request.client_software_name)
            && is_software(&request.client_software_version))
    {
        return Err(ErrorCode::INVALID_REQUEST);
    }
    if version >= IDENTITY_FROM {
        if request.cluster_id.as_ref().is_some_and(|id| **id != *broker.node.cluster_id) {
            return Err(ErrorCode::REBOOTSTRAP_REQUIRED);
        }
        if request.node_id != -1 && request.node_id != broker.node.id.get() {
            return Err(ErrorCode::INVALID_REQUEST);
        }
    }
    Ok(())
}

fn advertised(handler: &Handler) -> ApiVersion {
    ApiVersion {
        api_key: handler.key.0,
        // See `Produce::VERSIONS`: versions 0 to 2 are listed and refused.
        min_version: if handler.key == ApiKey::PRODUCE { 0 } else { *handler.versions.start() },
        max_version: *handler.versions.end(),
        ..ApiVersion::default()
    }
}

/// A feature that governs APIs counts only while they are served.
fn is_served(feature: &str) -> bool {
    let governs = match feature {
        "group.version" => ApiKey::CONSUMER_GROUP_HEARTBEAT,
        "transaction.version" => ApiKey::ADD_PARTITIONS_TO_TXN,
        "share.version" => ApiKey::SHARE_FETCH,
        "streams.version" => ApiKey::STREAMS_GROUP_HEARTBEAT,
        _ => return true,
    };
    super::find(governs).is_some()
}

/// The answer to a version we do not have: in the layout of version 0, which every client reads,
/// and with the one range that it needs to ask again.
pub fn unsupported_version(correlation_id: i32) -> Reply {
    let own = ApiVersion {
        api_key: ApiKey::API_VERSIONS.0,
        min_version: *ApiVersions::VERSIONS.start(),
        max_version: *ApiVersions::VERSIONS.end(),
        ..ApiVersion::default()
    };
    let response = ApiVersionsResponse {
        error_code: ErrorCode::UNSUPPORTED_VERSION.0,
        api_keys: vec![own],
        ..ApiVersionsResponse::default()
    };
    encode(ApiKey::API_VERSIONS, 0, correlation_id, &response)
}
