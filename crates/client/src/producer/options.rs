//! What a producer can be told.

use std::time::Duration;

use highwater_records::Compression;

use crate::{Backoff, ClientError};

/// How many replicas must have a record before it counts as delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i16)]
pub enum Acks {
    /// The broker does not even answer.
    None = 0,
    Leader = 1,
    All = -1,
}

/// Settings of a [`Producer`](super::Producer), with Kafka's defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct ProducerOptions {
    pub acks: Acks,
    /// Retries leave no duplicates and do not change the order. Needs `acks=all`.
    pub is_idempotent: bool,
    pub compression: Compression,
    /// `None`: the codec's own.
    pub compression_level: Option<i32>,
    /// A batch is sent when another record would make it longer than this, before compression.
    /// One record may be longer.
    pub batch_bytes: usize,
    /// A batch is sent after this even if it is not full.
    pub linger: Duration,
    /// Batches of one request, and the longest record.
    pub request_bytes_max: usize,
    /// Requests under way to one broker, and batches under way of one partition. With up to 5 an
    /// idempotent producer keeps its promise.
    pub in_flight_max: usize,
    /// Bytes of records that are not yet delivered; then sending waits.
    pub buffer_bytes: usize,
    /// From when a batch is begun until it has failed for good.
    pub delivery_timeout: Duration,
    pub backoff: Backoff,
}

impl Default for ProducerOptions {
    fn default() -> Self {
        ProducerOptions {
            acks: Acks::All,
            is_idempotent: true,
            compression: Compression::None,
            compression_level: None,
            batch_bytes: 16 << 10,
            linger: Duration::from_millis(5),
            request_bytes_max: 1 << 20,
            in_flight_max: 5,
            buffer_bytes: 32 << 20,
            delivery_timeout: Duration::from_secs(120),
            backoff: Backoff::default(),
        }
    }
}

/// Batches of a producer that a broker remembers in a partition to recognise duplicates.
const REMEMBERED_BATCHES: usize = 5;

impl ProducerOptions {
    pub(super) fn check(&self) -> Result<(), ClientError> {
        if self.is_idempotent && self.acks != Acks::All {
            return Err(ClientError::invalid("an idempotent producer needs acks=all"));
        }
        if self.is_idempotent && self.in_flight_max > REMEMBERED_BATCHES {
            let why = "an idempotent producer may have at most 5 requests in flight";
            return Err(ClientError::invalid(why));
        }
        if self.in_flight_max == 0 {
            return Err(ClientError::invalid("at least one request must be in flight"));
        }
        Ok(())
    }
}
