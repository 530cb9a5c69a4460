//! DescribeProducers: the idempotent producers that a partition knows.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_types::PartitionIndex;
use highwater_wire::messages::describe_producers_response::{
    PartitionResponse, ProducerState, TopicResponse,
};
use highwater_wire::messages::{DescribeProducersRequest, DescribeProducersResponse};

use super::{Answer, Api, Call, TopicRef};
use crate::Broker;

pub struct DescribeProducers;

impl Api for DescribeProducers {
    type Request = DescribeProducersRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=0;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: DescribeProducersRequest,
    ) -> Answer<DescribeProducersResponse> {
        let mut topics = Vec::with_capacity(request.topics.len());
        for topic in request.topics {
            let mut partitions = Vec::with_capacity(topic.partition_indexes.len());
            for index in topic.partition_indexes {
                partitions.push(describe(broker, &topic.name, index));
            }
            topics.push(TopicResponse { name: topic.name, partitions, ..TopicResponse::default() });
        }
        Answer::Now(DescribeProducersResponse { topics, ..DescribeProducersResponse::default() })
    }
}

fn describe(broker: &Broker, topic: &highwater_wire::Str, index: i32) -> PartitionResponse {
    let mut response = PartitionResponse { partition_index: index, ..PartitionResponse::default() };
    let partition =
        match broker.partition_for(&TopicRef::Name(topic.clone()), PartitionIndex(index)) {
            Ok(partition) => partition,
            Err(code) => {
                response.error_code = code.0;
                response.error_message = Some(code.message().into());
                return response;
            }
        };
    let known = partition.reader().producers();
    response.active_producers = known
        .into_iter()
        .map(|producer| ProducerState {
            producer_id: producer.id.get(),
            producer_epoch: i32::from(producer.epoch.get()),
            last_sequence: producer.last_sequence(),
            last_timestamp: producer.last_timestamp.get(),
            coordinator_epoch: producer.coordinator_epoch,
            current_txn_start_offset: producer
                .transaction_first
                .map_or(-1, highwater_types::Offset::get),
            ..ProducerState::default()
        })
        .collect();
    response
}
