//! What can be wrong with a batch. Owns the vocabulary only: which Kafka code a client is sent is
//! the broker's choice, and the table on [`BatchError`] proposes it.

use std::fmt;

use crate::Compression;

/// Record errors that a message spells out.
const ERRORS_SHOWN: usize = 3;

/// Why a batch was not accepted or could not be read.
///
/// The Kafka code to answer a Produce request with, as Kafka 4.4.0 does except where marked:
///
/// | variant | code |
/// |---|---|
/// | `NoBatch`, `Truncated`, `MoreThanOneBatch` | 87 `INVALID_RECORD` |
/// | `BadLength`, `UnknownMagic`, `Crc` | 2 `CORRUPT_MESSAGE` |
/// | `OldMagic` | 87 `INVALID_RECORD` |
/// | `BaseOffset`, `RecordCount`, `OffsetRange`, `ControlBatch`, `Sequence` | 87 `INVALID_RECORD` |
/// | `TooLarge` | 10 `MESSAGE_TOO_LARGE` |
/// | `CodecNotAllowed` | 76 `UNSUPPORTED_COMPRESSION_TYPE` |
/// | `UnknownCodec` | 76 (Kafka: -1) |
/// | `Decompress` | 87 (Kafka: -1); the CRC held, so 2, which clients retry, would be wrong |
/// | `DecompressedTooLarge` | 10 (Kafka has no such limit) |
/// | `Record`, `RecordsRemain` | 87 `INVALID_RECORD` |
/// | `Refused` with `is_timestamp()` | 32 `INVALID_TIMESTAMP`, with the record errors |
/// | `Refused` otherwise | 87 `INVALID_RECORD`, with the record errors |
///
/// The transactional flag without a transactional id (53) and producer epochs and sequences (45,
/// 47) are not this crate's matter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    #[error("there is no record batch")]
    NoBatch,
    #[error("the batch needs {need} bytes, but only {have} are there")]
    Truncated { have: usize, need: usize },
    #[error("the batch claims a length of {batch_length}, which no batch can have")]
    BadLength { batch_length: i32 },
    /// Neither a format of the past nor version 2.
    #[error("there is no message format {0}; brokers take format 2")]
    UnknownMagic(i8),
    /// Message formats 0 and 1, which Kafka 4 no longer accepts.
    #[error("message format {0} is no longer supported")]
    OldMagic(i8),
    #[error("the batch's CRC is {stored:#010x}, but its bytes give {computed:#010x}")]
    Crc { stored: u32, computed: u32 },
    #[error("the batch has {size} bytes, the limit is {max}")]
    TooLarge { size: usize, max: usize },
    #[error("a partition's records must be exactly one batch")]
    MoreThanOneBatch,
    #[error("the base offset of a produced batch should be 0, but it is {0}")]
    BaseOffset(i64),
    #[error("the batch claims {0} records")]
    RecordCount(i32),
    #[error(
        "the batch claims {record_count} records, but a last offset delta of {last_offset_delta}"
    )]
    OffsetRange { record_count: i32, last_offset_delta: i32 },
    #[error("a batch of control records was sent; only brokers write those")]
    ControlBatch,
    #[error("invalid sequence number {sequence} in a batch of producer {producer_id}")]
    Sequence { producer_id: i64, sequence: i32 },
    #[error("unknown compression codec {0}")]
    UnknownCodec(u8),
    /// The request's version predates the codec.
    #[error("{0} may not be used with this version of the request")]
    CodecNotAllowed(Compression),
    #[error("the records are not valid {codec}: {fault}")]
    Decompress { codec: Compression, fault: CodecFault },
    #[error("the records decompress to more than {max} bytes")]
    DecompressedTooLarge { max: usize },
    #[error("record {index} of the batch: {fault}")]
    Record { index: i32, fault: RecordFault },
    #[error("the batch claims {record_count} records, but more follow")]
    RecordsRemain { record_count: i32 },
    /// The batch is well formed, but the topic does not take some of its records.
    #[error("{0}")]
    Refused(RefusedRecords),
}

/// How compressed data is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CodecFault {
    #[error("it ends too early")]
    Truncated,
    #[error("it is damaged or of another kind")]
    Damaged,
}

/// How a record contradicts the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RecordFault {
    #[error("the records end too early")]
    Truncated,
    #[error("a length or count is not a valid variable-length integer")]
    Varint,
    #[error("{0} is not a valid length or count")]
    Length(i64),
    #[error("its length says {size} bytes, its fields have {used}")]
    Size { size: u64, used: u64 },
}

/// The records that a topic refused, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRecords {
    /// The first [`limits::RECORD_ERRORS_MAX`](crate::limits::RECORD_ERRORS_MAX) of them.
    pub errors: Vec<RecordError>,
    /// All of them.
    pub total: usize,
}

impl RefusedRecords {
    /// Whether any was refused for its timestamp: Kafka then answers `INVALID_TIMESTAMP`.
    pub fn is_timestamp(&self) -> bool {
        self.errors.iter().any(|e| e.refusal != Refusal::NullKey)
    }

    /// Index in the batch and message of each listed record (Kafka: `record_errors`), for clients.
    /// `partition` is `<topic>-<index>`.
    pub fn messages(&self, partition: &str) -> impl Iterator<Item = (i32, String)> {
        self.errors.iter().map(move |e| (e.index, e.refusal.message(partition)))
    }

    /// What is wrong as a whole (Kafka: `error_message`), for clients.
    pub fn message(&self, partition: &str) -> String {
        let shown = self.messages(partition).take(ERRORS_SHOWN);
        let shown: Vec<_> = shown.map(|(index, why)| format!("record {index}: {why}")).collect();
        let more = match self.total - shown.len() {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        format!("records refused: {}; {}{more}", self.total, shown.join("; "))
    }
}

impl fmt::Display for RefusedRecords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} records are refused", self.total)?;
        match self.errors.first() {
            Some(first) => write!(f, ", the first at {}: {}", first.index, first.refusal),
            None => Ok(()),
        }
    }
}

/// One refused record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordError {
    /// Position in the batch, from 0 (Kafka: `batch_index`).
    pub index: i32,
    pub refusal: Refusal,
}

/// Why a topic refused a well-formed record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("it has no key, which a compacted topic needs")]
    NullKey,
    #[error(
        "its timestamp {timestamp} is not from {earliest} to {latest}, which is what \
         message.timestamp.before.max.ms and message.timestamp.after.max.ms allow now"
    )]
    TimestampOutOfRange { timestamp: i64, offset: i64, earliest: i64, latest: i64 },
    #[error("its batch says that the broker set the timestamp, which only the broker may say")]
    AppendTimeByProducer,
}

impl Refusal {
    fn message(&self, partition: &str) -> String {
        match self {
            Refusal::NullKey => format!("{self} ({partition})"),
            Refusal::TimestampOutOfRange { .. } | Refusal::AppendTimeByProducer => self.to_string(),
        }
    }
}
