//! From our errors to Kafka's codes: the one place where that is decided.

use highwater_log::{LogError, ProducerRefusal, ReadError};
use highwater_records::BatchError;
use highwater_types::TopicPartition;
use highwater_wire::ErrorCode;

use crate::storage::AppendError;

/// Topics that belong to coordinators: clients may read but not write them.
pub use highwater_controller::topic_name::is_internal as is_internal_topic;

/// A refusal as the response shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub code: ErrorCode,
    pub message: Option<String>,
    /// Index in the batch and what is wrong with that record.
    pub records: Vec<(i32, String)>,
}

impl Refused {
    pub fn code(code: ErrorCode) -> Refused {
        Refused { code, message: None, records: Vec::new() }
    }

    pub fn because(code: ErrorCode, message: impl Into<String>) -> Refused {
        Refused { code, message: Some(message.into()), records: Vec::new() }
    }
}

/// A batch that a producer sent is not accepted.
pub fn of_batch_error(error: &BatchError, partition: &TopicPartition) -> Refused {
    use BatchError as E;
    let code = match error {
        E::BadLength { .. } | E::UnknownMagic(_) | E::Crc { .. } => ErrorCode::CORRUPT_MESSAGE,
        E::TooLarge { .. } | E::DecompressedTooLarge { .. } => ErrorCode::MESSAGE_TOO_LARGE,
        E::CodecNotAllowed(_) | E::UnknownCodec(_) => ErrorCode::UNSUPPORTED_COMPRESSION_TYPE,
        E::Refused(refused) if refused.is_timestamp() => ErrorCode::INVALID_TIMESTAMP,
        _ => ErrorCode::INVALID_RECORD,
    };
    let name = partition.to_string();
    let (message, records) = match error {
        E::Refused(refused) => (refused.message(&name), refused.messages(&name).collect()),
        _ => (error.to_string(), Vec::new()),
    };
    Refused { code, message: Some(message), records }
}

/// A producer's epoch or sequence does not fit.
pub fn of_producer_refusal(refusal: &ProducerRefusal) -> Refused {
    let code = match refusal {
        ProducerRefusal::OutOfOrder { .. } => ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER,
        ProducerRefusal::StaleEpoch { .. } => ErrorCode::INVALID_PRODUCER_EPOCH,
        ProducerRefusal::InsideTransaction { .. } => ErrorCode::INVALID_TXN_STATE,
        ProducerRefusal::StaleCoordinator { .. } => ErrorCode::TRANSACTION_COORDINATOR_FENCED,
    };
    Refused::because(code, refusal.to_string())
}

/// Nothing was appended.
pub fn of_append_error(error: &AppendError) -> Refused {
    match error {
        AppendError::NotLeader => Refused::code(ErrorCode::NOT_LEADER_OR_FOLLOWER),
        AppendError::Log(error) => Refused::because(of_log_error(error), error.to_string()),
    }
}

/// The environment failed a log.
pub fn of_log_error(_error: &LogError) -> ErrorCode {
    ErrorCode::KAFKA_STORAGE_ERROR
}

/// A log could not be read.
pub fn of_read_error(error: &ReadError, partition: &TopicPartition) -> ErrorCode {
    match error {
        ReadError::OutOfRange { .. } => ErrorCode::OFFSET_OUT_OF_RANGE,
        other => {
            tracing::error!(%partition, error = %other, "a read failed");
            ErrorCode::KAFKA_STORAGE_ERROR
        }
    }
}
