//! Metadata: brokers, topics and their leaders; makes topics that are asked for if that is
//! allowed.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::Image;
use highwater_controller::image::{BrokerImage, TopicImage};
use highwater_wire::messages::metadata_request::MetadataRequestTopic;
use highwater_wire::messages::metadata_response::{
    MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic,
};
use highwater_wire::messages::{MetadataRequest, MetadataResponse};
use highwater_wire::{ErrorCode, Str};

use super::{Answer, Api, Call};
use crate::{Broker, authorized, auto_create, codes};

pub struct Metadata;

/// Requests have had room for ids since version 10, but may use it only from this one on.
const BY_ID_FROM: i16 = 12;

impl Api for Metadata {
    type Request = MetadataRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=13;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: MetadataRequest,
    ) -> Answer<MetadataResponse> {
        if call.version < BY_ID_FROM && request.topics.iter().flatten().any(is_by_id) {
            return Answer::Now(refused(&request));
        }
        let missing = missing_topics(broker, &request);
        // Versions before 4 cannot say no.
        let allowed = call.version < 4 || request.allow_auto_topic_creation;
        if missing.is_empty() || !allowed || !broker.config.load().topics.auto_create_topics_enable
        {
            return Answer::Now(answer(broker, call.version, &request, &[]));
        }
        let creation = auto_create::create(broker, missing);
        let broker = broker.clone();
        Answer::later(async move {
            let failed = creation.await;
            answer(&broker, call.version, &request, &failed)
        })
    }
}

fn is_by_id(asked: &MetadataRequestTopic) -> bool {
    asked.name.is_none() || !asked.topic_id.is_zero()
}

/// Ids in a version that does not take them: nothing is told of any topic.
fn refused(request: &MetadataRequest) -> MetadataResponse {
    let refuse = |asked: &MetadataRequestTopic| MetadataResponseTopic {
        error_code: ErrorCode::INVALID_REQUEST.0,
        name: Some(asked.name.clone().unwrap_or_default()),
        topic_id: asked.topic_id,
        topic_authorized_operations: authorized::NOT_ASKED,
        ..MetadataResponseTopic::default()
    };
    MetadataResponse {
        topics: request.topics.iter().flatten().map(refuse).collect(),
        ..MetadataResponse::default()
    }
}

/// Topics asked for by name that do not exist and could.
fn missing_topics(broker: &Broker, request: &MetadataRequest) -> Vec<Str> {
    let image = broker.image.load();
    let mut missing: Vec<Str> = Vec::new();
    for name in request.topics.iter().flatten().filter_map(|topic| topic.name.as_ref()) {
        let wanted = highwater_controller::topic_name::check_topic_name(name).is_ok()
            && image.topic(name).is_none();
        if wanted && !missing.contains(name) {
            missing.push(name.clone());
        }
    }
    missing
}

fn answer(
    broker: &Broker,
    version: i16,
    request: &MetadataRequest,
    failed: &[(Str, ErrorCode)],
) -> MetadataResponse {
    let image = broker.image.load();
    let with_operations = request.include_topic_authorized_operations;
    let topics = match &request.topics {
        // In version 0 an empty list means all topics; later null does.
        Some(topics) if !(version == 0 && topics.is_empty()) => topics
            .iter()
            .map(|asked| asked_topic(broker, &image, asked, failed, with_operations))
            .collect(),
        _ => image
            .topics
            .by_name()
            .map(|topic| known_topic(broker, topic, with_operations))
            .collect(),
    };
    MetadataResponse {
        brokers: image.brokers.unfenced().map(|alive| broker_entry(broker, alive)).collect(),
        cluster_id: Some(broker.node.cluster_id.as_ref().into()),
        controller_id: broker.node.id.get(),
        topics,
        cluster_authorized_operations: if request.include_cluster_authorized_operations {
            authorized::CLUSTER
        } else {
            authorized::NOT_ASKED
        },
        ..MetadataResponse::default()
    }
}

fn broker_entry(broker: &Broker, alive: &BrokerImage) -> MetadataResponseBroker {
    let (host, port) = broker.endpoint_of(alive);
    MetadataResponseBroker {
        node_id: alive.id.get(),
        host,
        port,
        rack: alive.rack.clone(),
        ..MetadataResponseBroker::default()
    }
}

fn asked_topic(
    broker: &Broker,
    image: &Image,
    asked: &MetadataRequestTopic,
    failed: &[(Str, ErrorCode)],
    with_operations: bool,
) -> MetadataResponseTopic {
    let by_id = !asked.topic_id.is_zero();
    let found = match &asked.name {
        Some(name) => image.topic(name),
        None => image.topic_by_id(asked.topic_id.into()),
    };
    if let Some(topic) = found {
        return known_topic(broker, topic, with_operations);
    }
    let code = match &asked.name {
        _ if by_id => ErrorCode::UNKNOWN_TOPIC_ID,
        Some(name) if highwater_controller::topic_name::check_topic_name(name).is_err() => {
            ErrorCode::INVALID_TOPIC_EXCEPTION
        }
        Some(name) => failed
            .iter()
            .find(|(other, _)| other == name)
            .map_or(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION, |(_, code)| *code),
        None => ErrorCode::UNKNOWN_TOPIC_ID,
    };
    MetadataResponseTopic {
        error_code: code.0,
        name: asked.name.clone().or_else(|| (!by_id).then(Str::default)),
        topic_id: asked.topic_id,
        is_internal: asked.name.as_deref().is_some_and(codes::is_internal_topic),
        topic_authorized_operations: operations(with_operations && asked.name.is_some()),
        ..MetadataResponseTopic::default()
    }
}

/// What everybody may do, to those who ask.
fn operations(asked: bool) -> i32 {
    if asked { authorized::TOPIC } else { authorized::NOT_ASKED }
}

fn known_topic(
    broker: &Broker,
    topic: &TopicImage,
    with_operations: bool,
) -> MetadataResponseTopic {
    let partitions = topic.partitions.iter().map(|(index, partition)| {
        let ids = |ids: &[highwater_types::BrokerId]| ids.iter().map(|id| id.get()).collect();
        let offline = broker.offline_replicas(partition);
        MetadataResponsePartition {
            error_code: if partition.leader.get() < 0 {
                ErrorCode::LEADER_NOT_AVAILABLE.0
            } else {
                0
            },
            partition_index: index.get(),
            leader_id: partition.leader.get(),
            leader_epoch: partition.leader_epoch.get(),
            replica_nodes: ids(&partition.replicas),
            isr_nodes: ids(&partition.isr),
            offline_replicas: ids(&offline),
            ..MetadataResponsePartition::default()
        }
    });
    MetadataResponseTopic {
        error_code: 0,
        name: Some(topic.name.clone()),
        topic_id: topic.id.0,
        is_internal: codes::is_internal_topic(&topic.name),
        partitions: partitions.collect(),
        topic_authorized_operations: operations(with_operations),
        ..MetadataResponseTopic::default()
    }
}
