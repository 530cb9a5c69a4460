//! The attribute bits of a batch.
//!
//! ```text
//! 15 … 7   6               5        4              3               2 1 0
//! unused   delete horizon  control  transactional  timestamp type  codec
//! ```

use std::fmt;

use crate::{BatchError, Compression};

const CODEC: i16 = 0b111;
const LOG_APPEND_TIME: i16 = 1 << 3;
const TRANSACTIONAL: i16 = 1 << 4;
const CONTROL: i16 = 1 << 5;
const DELETE_HORIZON: i16 = 1 << 6;

/// Who set the times of the records (Kafka: `message.timestamp.type`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TimestampType {
    /// The producer, each record on its own.
    #[default]
    CreateTime,
    /// The broker at append: the batch's maximum timestamp is the time of all its records.
    LogAppendTime,
}

/// The attributes of a batch as they stand on the wire; unknown bits are kept.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Attributes(pub i16);

impl Attributes {
    pub fn codec(self) -> Result<Compression, BatchError> {
        let code = self.codec_code();
        Compression::from_code(code).ok_or(BatchError::UnknownCodec(code))
    }

    /// The codec's number, which may be one that nobody knows.
    pub fn codec_code(self) -> u8 {
        (self.0 & CODEC) as u8
    }

    pub fn timestamp_type(self) -> TimestampType {
        if self.has(LOG_APPEND_TIME) {
            TimestampType::LogAppendTime
        } else {
            TimestampType::CreateTime
        }
    }

    pub fn is_transactional(self) -> bool {
        self.has(TRANSACTIONAL)
    }

    pub fn is_control(self) -> bool {
        self.has(CONTROL)
    }

    /// Whether the base timestamp is the time from which tombstones may be dropped.
    pub fn has_delete_horizon(self) -> bool {
        self.has(DELETE_HORIZON)
    }

    #[must_use]
    pub fn with_codec(self, codec: Compression) -> Self {
        Attributes(self.0 & !CODEC | i16::from(codec.code()))
    }

    #[must_use]
    pub fn with_timestamp_type(self, kind: TimestampType) -> Self {
        self.with(LOG_APPEND_TIME, kind == TimestampType::LogAppendTime)
    }

    #[must_use]
    pub fn with_transactional(self, on: bool) -> Self {
        self.with(TRANSACTIONAL, on)
    }

    #[must_use]
    pub fn with_control(self, on: bool) -> Self {
        self.with(CONTROL, on)
    }

    #[must_use]
    pub fn with_delete_horizon(self, on: bool) -> Self {
        self.with(DELETE_HORIZON, on)
    }

    fn has(self, bit: i16) -> bool {
        self.0 & bit != 0
    }

    fn with(self, bit: i16, on: bool) -> Self {
        Attributes(if on { self.0 | bit } else { self.0 & !bit })
    }
}

impl fmt::Debug for Attributes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Attributes({:#09b})", self.0)
    }
}
