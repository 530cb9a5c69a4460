//! Topics made on demand: those that Metadata names, and the internal ones.

use std::sync::Arc;

use highwater_controller::{ControllerReply, ControllerRequest};
use highwater_wire::messages::CreateTopicsRequest;
use highwater_wire::messages::create_topics_request::{CreatableTopic, CreatableTopicConfig};
use highwater_wire::{ErrorCode, Str};

use crate::Broker;
use crate::hosting::OFFSETS_TOPIC;

/// How long the controller may take, milliseconds.
const TIMEOUT_MS: i32 = 30_000;

/// Creates topics with the default settings; resolves to those that failed.
pub fn create(
    broker: &Arc<Broker>,
    names: Vec<Str>,
) -> impl Future<Output = Vec<(Str, ErrorCode)>> + Send + use<> {
    let topics = names.iter().map(|name| creatable(broker, name)).collect();
    let asked = request(broker, topics);
    async move {
        match asked.await {
            ControllerReply::CreateTopics(response) => response
                .topics
                .into_iter()
                .filter(|topic| topic.error_code != 0)
                // Another client was quicker: the topic is there.
                .filter(|topic| topic.error_code != ErrorCode::TOPIC_ALREADY_EXISTS.0)
                .map(|topic| (topic.name, ErrorCode(topic.error_code)))
                .collect(),
            ControllerReply::Refused(code, _) => {
                names.into_iter().map(|name| (name, code)).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Makes the offsets topic if it is not there.
pub async fn offsets_topic(broker: &Arc<Broker>) {
    if broker.image.load().topic(OFFSETS_TOPIC).is_none() {
        let failed = create(broker, vec![Str::from_static(OFFSETS_TOPIC)]).await;
        for (name, code) in failed {
            tracing::error!(topic = %name, code = code.name(), "an internal topic could not be made");
        }
    }
}

fn request(
    broker: &Arc<Broker>,
    topics: Vec<CreatableTopic>,
) -> impl Future<Output = ControllerReply> + Send + use<> {
    broker.controller.request(ControllerRequest::CreateTopics(CreateTopicsRequest {
        topics,
        timeout_ms: TIMEOUT_MS,
        ..CreateTopicsRequest::default()
    }))
}

fn creatable(broker: &Broker, name: &Str) -> CreatableTopic {
    let config = broker.config.load();
    if &**name != OFFSETS_TOPIC {
        return CreatableTopic {
            name: name.clone(),
            num_partitions: -1,
            replication_factor: -1,
            ..CreatableTopic::default()
        };
    }
    let setting = |name: &str, value: String| CreatableTopicConfig {
        name: name.into(),
        value: Some(value.into()),
        ..CreatableTopicConfig::default()
    };
    let brokers = i16::try_from(broker.image.load().brokers.unfenced().count()).unwrap_or(i16::MAX);
    CreatableTopic {
        name: name.clone(),
        num_partitions: i32::try_from(config.offsets.topic_partitions).unwrap_or(i32::MAX),
        replication_factor: config.offsets.topic_replication_factor.min(brokers.max(1)),
        configs: vec![
            setting("cleanup.policy", "compact".into()),
            setting("segment.bytes", config.offsets.topic_segment_bytes.to_string()),
            setting("compression.type", "producer".into()),
        ],
        ..CreatableTopic::default()
    }
}
