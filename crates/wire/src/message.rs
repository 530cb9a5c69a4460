//! The traits that generated messages implement.

use std::fmt::Debug;
use std::ops::RangeInclusive;

use crate::{ApiKey, DecodeError, EncodeError, Reader, Writer};

/// A message or record of the schema.
pub trait Message: Sized + Default + Clone + Debug + PartialEq {
    /// Kafka's name.
    const NAME: &'static str;
    /// The versions that can be coded.
    const VALID: RangeInclusive<i16>;
    /// The first version with compact lengths and tagged fields.
    const FLEXIBLE_FROM: Option<i16>;

    /// Reads the fields, and leaves the reader behind them.
    fn decode(r: &mut Reader, version: i16) -> Result<Self, DecodeError>;

    /// Writes the fields. After an error the writer holds a part of them.
    fn encode(&self, w: &mut Writer, version: i16) -> Result<(), EncodeError>;
}

/// A message that a client sends.
pub trait Request: Message {
    const KEY: ApiKey;
    type Response: Message;
}

/// The key of a record in a coordinator's log.
pub trait CoordinatorKey: Message {
    /// The number that begins the key and tells the type of the record.
    const RECORD_TYPE: i16;
}

/// A record of the metadata log.
pub trait Metadata: Message {
    /// The record's number in its frame.
    const API_KEY: i16;
}
