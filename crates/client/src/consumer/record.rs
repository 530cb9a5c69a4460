//! Records as they are read.

use std::sync::Arc;

use bytes::Bytes;
use highwater_records::TimestampType;
use highwater_types::{LeaderEpoch, Offset, PartitionIndex, Timestamp, TopicPartition};

use crate::RecordHeader;

/// A record that was read. Its bytes are slices of the batch they came in: a record that is kept
/// long keeps the whole batch.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsumerRecord {
    pub topic: Arc<str>,
    pub partition: PartitionIndex,
    pub offset: Offset,
    pub timestamp: Timestamp,
    pub timestamp_type: TimestampType,
    pub key: Option<Bytes>,
    pub value: Option<Bytes>,
    pub headers: Vec<RecordHeader>,
    pub leader_epoch: LeaderEpoch,
}

impl ConsumerRecord {
    pub fn topic_partition(&self) -> TopicPartition {
        TopicPartition { topic: self.topic.clone(), partition: self.partition }
    }
}
