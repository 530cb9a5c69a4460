//! Records as callers give them.

use std::sync::Arc;

use bytes::Bytes;
use highwater_types::{PartitionIndex, Timestamp};

/// A record to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct ProducerRecord {
    pub topic: Arc<str>,
    /// `None`: chosen by the key, or for records without a key by whatever makes full batches.
    pub partition: Option<PartitionIndex>,
    pub key: Option<Bytes>,
    /// `None` deletes the key in a compacted topic.
    pub value: Option<Bytes>,
    pub headers: Vec<RecordHeader>,
    /// `None`: now.
    pub timestamp: Option<Timestamp>,
}

/// A header of a record. Names may repeat; their order counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordHeader {
    /// UTF-8 by custom.
    pub name: Bytes,
    pub value: Option<Bytes>,
}

impl ProducerRecord {
    pub fn new(topic: impl Into<Arc<str>>, value: impl Into<Bytes>) -> Self {
        ProducerRecord {
            topic: topic.into(),
            partition: None,
            key: None,
            value: Some(value.into()),
            headers: Vec::new(),
            timestamp: None,
        }
    }

    #[must_use]
    pub fn with_key(mut self, key: impl Into<Bytes>) -> Self {
        self.key = Some(key.into());
        self
    }

    #[must_use]
    pub fn with_partition(mut self, partition: i32) -> Self {
        self.partition = Some(PartitionIndex(partition));
        self
    }
}
