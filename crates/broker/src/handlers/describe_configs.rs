//! DescribeConfigs: settings of topics, brokers, groups, loggers and client metrics, with where
//! each value comes from.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_config::{
    Entry, Layers, Overrides, describe_broker, describe_client_metrics, describe_cluster_default,
    describe_group, describe_topic,
};
use highwater_controller::image::{Image, ResourceKind};
use highwater_wire::ErrorCode;
use highwater_wire::messages::describe_configs_request::DescribeConfigsResource;
use highwater_wire::messages::describe_configs_response::{
    DescribeConfigsResourceResult, DescribeConfigsResult, DescribeConfigsSynonym,
};
use highwater_wire::messages::{DescribeConfigsRequest, DescribeConfigsResponse};

use super::{Answer, Api, Call};
use crate::Broker;
use crate::opening::overrides_of;

pub struct DescribeConfigs;

impl Api for DescribeConfigs {
    type Request = DescribeConfigsRequest;
    const VERSIONS: RangeInclusive<i16> = 1..=4;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: DescribeConfigsRequest,
    ) -> Answer<DescribeConfigsResponse> {
        let results = request.resources.iter().map(|resource| result(broker, &request, resource));
        Answer::Now(DescribeConfigsResponse { results: results.collect(), ..Default::default() })
    }
}

fn result(
    broker: &Broker,
    request: &DescribeConfigsRequest,
    resource: &DescribeConfigsResource,
) -> DescribeConfigsResult {
    let mut result = DescribeConfigsResult {
        resource_type: resource.resource_type,
        resource_name: resource.resource_name.clone(),
        ..DescribeConfigsResult::default()
    };
    match entries(broker, resource) {
        Ok(entries) => {
            result.configs = entries
                .into_iter()
                .filter(|entry| is_asked(resource, &entry.name))
                .map(|entry| shown(entry, request))
                .collect();
        }
        Err((code, message)) => {
            result.error_code = code.0;
            result.error_message = Some(message.into());
        }
    }
    result
}

/// Null keys mean all; so does an empty list, as in Kafka.
fn is_asked(resource: &DescribeConfigsResource, name: &str) -> bool {
    match &resource.configuration_keys {
        Some(keys) if !keys.is_empty() => keys.iter().any(|key| **key == *name),
        _ => true,
    }
}

fn entries(
    broker: &Broker,
    resource: &DescribeConfigsResource,
) -> Result<Vec<Entry>, (ErrorCode, String)> {
    let image = broker.image.load();
    let name = &*resource.resource_name;
    let invalid = |message: String| (ErrorCode::INVALID_REQUEST, message);
    let of = |kind, name: &str| -> Overrides { overrides_of(&image, kind, name) };
    let own = of(ResourceKind::Broker, &broker.node.id.to_string());
    let cluster = of(ResourceKind::Broker, "");
    let layers = Layers { broker: &own, cluster: &cluster, fixed: &broker.settings };
    match ResourceKind::of(resource.resource_type) {
        Some(ResourceKind::Topic) => {
            check_topic(&image, name)?;
            Ok(describe_topic(&of(ResourceKind::Topic, name), &layers))
        }
        Some(ResourceKind::Broker) if name.is_empty() => Ok(describe_cluster_default(&cluster)),
        Some(ResourceKind::Broker) => {
            check_broker(broker, name)?;
            Ok(describe_broker(&layers))
        }
        Some(ResourceKind::BrokerLogger) => {
            if name.is_empty() {
                return Err(invalid("loggers belong to one broker: name its id".into()));
            }
            check_broker(broker, name)?;
            Ok(broker.log_levels.describe())
        }
        Some(ResourceKind::Group) => {
            if name.is_empty() {
                return Err(invalid("the group has no name".into()));
            }
            Ok(describe_group(&of(ResourceKind::Group, name), &layers))
        }
        Some(ResourceKind::ClientMetrics) => {
            if name.is_empty() {
                return Err(invalid("the client metrics subscription has no name".into()));
            }
            Ok(describe_client_metrics(&of(ResourceKind::ClientMetrics, name)))
        }
        _ => Err(invalid(format!("there is no resource type {}", resource.resource_type))),
    }
}

fn check_topic(image: &Image, name: &str) -> Result<(), (ErrorCode, String)> {
    if let Err(error) = highwater_controller::topic_name::check_topic_name(name) {
        return Err((error.code, error.message.unwrap_or_default().to_string()));
    }
    match image.topic(name) {
        Some(_) => Ok(()),
        None => Err((ErrorCode::UNKNOWN_TOPIC_OR_PARTITION, format!("there is no topic {name}"))),
    }
}

fn check_broker(broker: &Broker, name: &str) -> Result<(), (ErrorCode, String)> {
    let message = match name.parse::<i32>() {
        Ok(id) if id == broker.node.id.get() => return Ok(()),
        Ok(id) => format!(
            "this is broker {}: ask broker {id} for its settings, or nobody in particular (an \
             empty name) for those of all",
            broker.node.id
        ),
        Err(_) => format!("a broker is named by its id, a number, not by {name:?}"),
    };
    Err((ErrorCode::INVALID_REQUEST, message))
}

fn shown(entry: Entry, request: &DescribeConfigsRequest) -> DescribeConfigsResourceResult {
    let synonyms = entry.synonyms.into_iter().map(|synonym| DescribeConfigsSynonym {
        name: synonym.name.into(),
        value: synonym.value.map(Into::into),
        source: synonym.source.code(),
        ..DescribeConfigsSynonym::default()
    });
    DescribeConfigsResourceResult {
        name: entry.name.into(),
        value: entry.value.map(Into::into),
        read_only: entry.read_only,
        config_source: entry.source.code(),
        is_sensitive: entry.sensitive,
        synonyms: if request.include_synonyms { synonyms.collect() } else { Vec::new() },
        config_type: entry.kind,
        documentation: request.include_documentation.then(|| entry.doc.into()),
        ..DescribeConfigsResourceResult::default()
    }
}
