//! DeleteRecords: moves the log start of partitions.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_types::{Offset, PartitionIndex};
use highwater_wire::ErrorCode;
use highwater_wire::messages::delete_records_response::{
    DeleteRecordsPartitionResult, DeleteRecordsTopicResult,
};
use highwater_wire::messages::{DeleteRecordsRequest, DeleteRecordsResponse};

use super::{Answer, Api, Call, TopicRef};
use crate::partition::DeleteRefusal;
use crate::{Broker, codes};

pub struct DeleteRecords;

/// Stands for the high watermark.
const TO_HIGH_WATERMARK: i64 = -1;

impl Api for DeleteRecords {
    type Request = DeleteRecordsRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=2;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: DeleteRecordsRequest,
    ) -> Answer<DeleteRecordsResponse> {
        let broker = broker.clone();
        Answer::later(async move {
            let mut topics = Vec::with_capacity(request.topics.len());
            for topic in request.topics {
                let mut partitions = Vec::with_capacity(topic.partitions.len());
                for asked in topic.partitions {
                    let named = TopicRef::Name(topic.name.clone());
                    let index = PartitionIndex(asked.partition_index);
                    let deleted = delete(&broker, &named, index, asked.offset).await;
                    partitions.push(DeleteRecordsPartitionResult {
                        partition_index: asked.partition_index,
                        low_watermark: deleted.map_or(-1, Offset::get),
                        error_code: deleted.err().unwrap_or_default().0,
                        ..DeleteRecordsPartitionResult::default()
                    });
                }
                topics.push(DeleteRecordsTopicResult {
                    name: topic.name,
                    partitions,
                    ..DeleteRecordsTopicResult::default()
                });
            }
            DeleteRecordsResponse { topics, ..DeleteRecordsResponse::default() }
        })
    }
}

async fn delete(
    broker: &Broker,
    topic: &TopicRef,
    index: PartitionIndex,
    offset: i64,
) -> Result<Offset, ErrorCode> {
    let partition = broker.partition_for(topic, index)?;
    if !partition.config().cleanup_policy.delete {
        return Err(ErrorCode::POLICY_VIOLATION);
    }
    let to = (offset != TO_HIGH_WATERMARK).then_some(Offset(offset));
    partition.delete_records(to).await.map_err(|refusal| match refusal {
        DeleteRefusal::NotLeader => ErrorCode::NOT_LEADER_OR_FOLLOWER,
        DeleteRefusal::OutOfRange => ErrorCode::OFFSET_OUT_OF_RANGE,
        DeleteRefusal::Log(error) => {
            tracing::error!(partition = %partition.name(), %error, "records could not be deleted");
            codes::of_log_error(&error)
        }
    })
}
