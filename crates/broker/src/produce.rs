//! What is checked of a produced batch before it may go to its partition.

use std::cell::RefCell;
use std::sync::Arc;

use highwater_config::{CompressionType, TopicConfig};
use highwater_log::{AppendOrigin, PendingBatch};
use highwater_records::{
    BatchHeader, Compression, Scratch, Storing, TimestampType, ValidateOptions, accept_produced,
};
use highwater_types::{PartitionIndex, Timestamp, TopicId, TopicIdPartition};
use highwater_wire::ErrorCode;
use highwater_wire::messages::produce_request::PartitionProduceData;

use crate::codes::Refused;
use crate::partition::Partition;
use crate::{Broker, codes};

/// The client id that may write to internal topics, as in Kafka.
pub const ADMIN_CLIENT_ID: &str = "__admin_client";

/// What a request says for all its batches.
pub struct Context {
    pub version: i16,
    pub by_admin_client: bool,
    pub transactional: bool,
}

thread_local! {
    /// Buffers of the validation walk, one set a network thread.
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::default());
}

/// Validates the records for one partition.
pub fn check(
    broker: &Broker,
    topic_id: TopicId,
    data: PartitionProduceData,
    context: &Context,
) -> Result<(Arc<Partition>, PendingBatch), Refused> {
    let partition = broker
        .partitions
        .get(TopicIdPartition { topic_id, partition: PartitionIndex(data.index) })
        .ok_or_else(|| broker.missing_partition(topic_id, data.index))
        .map_err(Refused::code)?;
    if codes::is_internal_topic(&partition.name().topic) && !context.by_admin_client {
        return Err(Refused::because(
            ErrorCode::INVALID_TOPIC_EXCEPTION,
            "clients may not write to an internal topic",
        ));
    }
    let records = data.records.unwrap_or_default().to_bytes().unwrap_or_default();
    check_not_transactional(&records, context)?;
    let options = options_for(&partition.config(), context.version, broker.clock.now());
    let accepted = SCRATCH
        .with_borrow_mut(|scratch| accept_produced(&records, &options, scratch))
        .map_err(|error| codes::of_batch_error(&error, partition.name()))?;
    let batch = PendingBatch::new(accepted.bytes, accepted.summary, AppendOrigin::Client);
    Ok((partition, batch))
}

/// Transactions are not served yet: without a coordinator nobody could end one. As with Kafka,
/// this comes before anything else that may be wrong with the batch.
fn check_not_transactional(records: &[u8], context: &Context) -> Result<(), Refused> {
    if !BatchHeader::parse(records).is_ok_and(|header| header.is_transactional()) {
        return Ok(());
    }
    Err(Refused::because(
        ErrorCode::TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        if context.transactional {
            "transactions are not served by this broker"
        } else {
            "a transactional batch needs a transactional id in the request"
        },
    ))
}

/// Version of Produce from which zstd may be sent.
const ZSTD_FROM: i16 = 7;

/// What the topic's settings and the request's version demand of a batch.
fn options_for(config: &TopicConfig, version: i16, now: Timestamp) -> ValidateOptions {
    let ms = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let level = |level: u32| i32::try_from(level).ok();
    let storing = |codec, level| Storing::In { codec, level };
    ValidateOptions {
        batch_bytes_max: config.max_message_bytes as usize,
        timestamp_type: match config.message_timestamp_type {
            highwater_config::TimestampType::CreateTime => TimestampType::CreateTime,
            highwater_config::TimestampType::LogAppendTime => TimestampType::LogAppendTime,
        },
        now: now.get(),
        before_max_ms: ms(config.message_timestamp_before_max_ms),
        after_max_ms: ms(config.message_timestamp_after_max_ms),
        require_keys: config.cleanup_policy.compact,
        allow_zstd: version >= ZSTD_FROM,
        storing: match config.compression {
            CompressionType::Producer => Storing::AsSent,
            CompressionType::Uncompressed => storing(Compression::None, None),
            CompressionType::Gzip { level: wanted } => {
                storing(Compression::Gzip, wanted.and_then(level))
            }
            CompressionType::Snappy => storing(Compression::Snappy, None),
            CompressionType::Lz4 { level: wanted } => storing(Compression::Lz4, level(wanted)),
            CompressionType::Zstd { level } => storing(Compression::Zstd, Some(level)),
        },
    }
}
