//! DescribeTopicPartitions: partitions of topics, in pages.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::image::{PartitionImage, TopicImage};
use highwater_types::{BrokerId, PartitionIndex};
use highwater_wire::messages::describe_topic_partitions_request::{
    Cursor as RequestCursor, TopicRequest,
};
use highwater_wire::messages::describe_topic_partitions_response::{
    Cursor, DescribeTopicPartitionsResponsePartition, DescribeTopicPartitionsResponseTopic,
};
use highwater_wire::messages::{DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse};
use highwater_wire::{ErrorCode, Str};

use super::{Answer, Api, Call};
use crate::{Broker, authorized, codes};

pub struct DescribeTopicPartitions;

impl Api for DescribeTopicPartitions {
    type Request = DescribeTopicPartitionsRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=0;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: DescribeTopicPartitionsRequest,
    ) -> Answer<DescribeTopicPartitionsResponse> {
        if request.cursor.as_ref().is_some_and(|cursor| !fits(cursor, &request.topics)) {
            return Answer::Now(refused(&request.topics));
        }
        Answer::Now(answer(broker, &request))
    }
}

/// A cursor stands at a partition of one of the topics that are asked for.
fn fits(cursor: &RequestCursor, topics: &[TopicRequest]) -> bool {
    let is_asked = topics.is_empty() || topics.iter().any(|t| t.name == cursor.topic_name);
    is_asked && cursor.partition_index >= 0
}

fn refused(topics: &[TopicRequest]) -> DescribeTopicPartitionsResponse {
    let refuse = |topic: &TopicRequest| DescribeTopicPartitionsResponseTopic {
        error_code: ErrorCode::INVALID_REQUEST.0,
        name: Some(topic.name.clone()),
        topic_authorized_operations: authorized::NOT_ASKED,
        ..DescribeTopicPartitionsResponseTopic::default()
    };
    DescribeTopicPartitionsResponse {
        topics: topics.iter().map(refuse).collect(),
        ..DescribeTopicPartitionsResponse::default()
    }
}

fn answer(
    broker: &Broker,
    request: &DescribeTopicPartitionsRequest,
) -> DescribeTopicPartitionsResponse {
    let image = broker.image.load();
    let cursor = request.cursor.as_ref();
    let names: BTreeSet<Str> = if request.topics.is_empty() {
        image.topics.by_name().map(|topic| topic.name.clone()).collect()
    } else {
        request.topics.iter().map(|topic| topic.name.clone()).collect()
    };
    let limit_max = broker.config.load().controller.partitions_per_answer_max as usize;
    let limit =
        usize::try_from(request.response_partition_limit).unwrap_or(0).clamp(1, limit_max.max(1));
    let mut left = limit;
    let mut response = DescribeTopicPartitionsResponse::default();
    for name in names {
        if cursor.is_some_and(|cursor| name < cursor.topic_name) {
            continue;
        }
        let first = cursor
            .filter(|cursor| cursor.topic_name == name)
            .map_or(0, |cursor| cursor.partition_index);
        if left == 0 {
            response.next_cursor = Some(position(name, first));
            break;
        }
        let Some(topic) = image.topic(&name) else {
            response.topics.push(unknown(name));
            continue;
        };
        let described: Vec<_> = topic
            .partitions
            .range(PartitionIndex(first)..)
            .take(left)
            .map(|(index, partition)| describe(broker, *index, partition))
            .collect();
        left -= described.len();
        let next = first + i32::try_from(described.len()).unwrap_or(i32::MAX);
        response.topics.push(entry(topic, described));
        if topic.partitions.contains_key(&PartitionIndex(next)) {
            response.next_cursor = Some(position(name, next));
            break;
        }
    }
    response
}

fn position(topic_name: Str, partition_index: i32) -> Cursor {
    Cursor { topic_name, partition_index, ..Cursor::default() }
}

fn unknown(name: Str) -> DescribeTopicPartitionsResponseTopic {
    let code = if highwater_controller::topic_name::check_topic_name(&name).is_ok() {
        ErrorCode::UNKNOWN_TOPIC_OR_PARTITION
    } else {
        ErrorCode::INVALID_TOPIC_EXCEPTION
    };
    DescribeTopicPartitionsResponseTopic {
        error_code: code.0,
        is_internal: codes::is_internal_topic(&name),
        name: Some(name),
        topic_authorized_operations: authorized::TOPIC,
        ..DescribeTopicPartitionsResponseTopic::default()
    }
}

fn entry(
    topic: &TopicImage,
    partitions: Vec<DescribeTopicPartitionsResponsePartition>,
) -> DescribeTopicPartitionsResponseTopic {
    DescribeTopicPartitionsResponseTopic {
        name: Some(topic.name.clone()),
        topic_id: topic.id.0,
        is_internal: codes::is_internal_topic(&topic.name),
        partitions,
        topic_authorized_operations: authorized::TOPIC,
        ..DescribeTopicPartitionsResponseTopic::default()
    }
}

fn describe(
    broker: &Broker,
    index: PartitionIndex,
    partition: &PartitionImage,
) -> DescribeTopicPartitionsResponsePartition {
    let ids = |ids: &[BrokerId]| -> Vec<i32> { ids.iter().map(|id| id.get()).collect() };
    DescribeTopicPartitionsResponsePartition {
        error_code: if partition.has_leader() { 0 } else { ErrorCode::LEADER_NOT_AVAILABLE.0 },
        partition_index: index.get(),
        leader_id: partition.leader.get(),
        leader_epoch: partition.leader_epoch.get(),
        replica_nodes: ids(&partition.replicas),
        isr_nodes: ids(&partition.isr),
        eligible_leader_replicas: Some(ids(&partition.elr)),
        last_known_elr: Some(ids(&partition.last_known_elr)),
        offline_replicas: ids(&broker.offline_replicas(partition)),
        ..DescribeTopicPartitionsResponsePartition::default()
    }
}
