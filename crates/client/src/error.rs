//! [`ClientError`]: everything that can go wrong, in words for the person at the other end.

use std::io;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use highwater_records::BatchError;
use highwater_types::{Offset, TopicPartition};
use highwater_wire::{ApiKey, DecodeError, EncodeError, ErrorCode};

/// Why there is no result. Can be cloned: one failure may concern many records.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ClientError {
    #[error("cannot reach {address}: {reason}{}", hint(*kind))]
    Connect { address: Arc<str>, kind: io::ErrorKind, reason: Arc<str> },

    #[error("the connection to {address} is closed: {reason}")]
    Closed { address: Arc<str>, reason: Arc<str> },

    #[error("{address} did not answer {what} within {after:?}")]
    TimedOut { address: Arc<str>, what: &'static str, after: Duration },

    #[error("{address} does not offer {api}{}", versions(theirs, ours))]
    Unsupported {
        address: Arc<str>,
        api: ApiKey,
        /// `None`: not in any version.
        theirs: Option<RangeInclusive<i16>>,
        ours: RangeInclusive<i16>,
    },

    #[error("{api} cannot be asked of {address} in version {version}: {error}")]
    Encode { address: Arc<str>, api: ApiKey, version: i16, error: EncodeError },

    #[error("the answer of {address} to {api} version {version} cannot be read: {error}")]
    Decode { address: Arc<str>, api: ApiKey, version: i16, error: DecodeError },

    /// The broker refused.
    #[error("{what}: {}{}", code.name(), broker_words(*code, message))]
    Broker {
        /// What was wanted.
        what: Arc<str>,
        code: ErrorCode,
        /// The broker's own words, if it said any.
        message: Option<Arc<str>>,
    },

    /// Nobody could be asked.
    #[error("no broker can be reached: {}", list(.0))]
    NoBroker(Arc<[ClientError]>),

    /// Retrying came to its end.
    #[error("{what} did not succeed within {after:?}; last: {last}")]
    GaveUp { what: Arc<str>, after: Duration, last: Arc<ClientError> },

    /// Records that were read are damaged.
    #[error("the records of {at} at offset {position} cannot be read: {error}")]
    Records { at: TopicPartition, position: Offset, error: BatchError },

    /// What was asked for makes no sense.
    #[error("{0}")]
    Invalid(Arc<str>),
}

impl ClientError {
    pub(crate) fn invalid(why: impl Into<Arc<str>>) -> Self {
        ClientError::Invalid(why.into())
    }

    /// `Ok` if the code is none, else the refusal.
    ///
    /// # Errors
    /// [`ClientError::Broker`].
    pub fn check(
        what: impl Into<Arc<str>>,
        code: i16,
        message: Option<&str>,
    ) -> Result<(), ClientError> {
        match ErrorCode(code) {
            ErrorCode::NONE => Ok(()),
            code => Err(ClientError::Broker {
                what: what.into(),
                code,
                message: message.filter(|text| !text.is_empty()).map(Into::into),
            }),
        }
    }

    /// The broker's code, if a broker refused.
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            ClientError::Broker { code, .. } => Some(*code),
            ClientError::GaveUp { last, .. } => last.code(),
            _ => None,
        }
    }

    /// The same may succeed later, perhaps elsewhere.
    pub fn is_retriable(&self) -> bool {
        match self {
            ClientError::Connect { .. }
            | ClientError::Closed { .. }
            | ClientError::TimedOut { .. }
            | ClientError::NoBroker(_) => true,
            ClientError::Broker { code, .. } => code.is_retriable(),
            _ => false,
        }
    }

    /// It is not known whether the broker did what was asked.
    pub fn is_ambiguous(&self) -> bool {
        match self {
            ClientError::Closed { .. } | ClientError::TimedOut { .. } => true,
            ClientError::Broker { code, .. } => {
                matches!(
                    *code,
                    ErrorCode::REQUEST_TIMED_OUT
                        | ErrorCode::NETWORK_EXCEPTION
                        | ErrorCode::NOT_ENOUGH_REPLICAS_AFTER_APPEND
                )
            }
            _ => false,
        }
    }
}

fn hint(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::ConnectionRefused => "; is the broker running?",
        io::ErrorKind::TimedOut => "; is the address right, and open in the firewall?",
        _ => "",
    }
}

fn versions(theirs: &Option<RangeInclusive<i16>>, ours: &RangeInclusive<i16>) -> String {
    match theirs {
        None => String::new(),
        Some(theirs) => format!(
            " in a version we know: it has {} to {}, we have {} to {}",
            theirs.start(),
            theirs.end(),
            ours.start(),
            ours.end()
        ),
    }
}

fn broker_words(code: ErrorCode, message: &Option<Arc<str>>) -> String {
    match message.as_deref() {
        Some(text) => format!(": {text}"),
        None if code.message().is_empty() => format!(" ({})", code.0),
        None => format!(": {}", code.message()),
    }
}

fn list(errors: &[ClientError]) -> String {
    match errors {
        [] => "no address is known".into(),
        errors => errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_to_do() {
        let refused = ClientError::Connect {
            address: "127.0.0.1:9092".into(),
            kind: io::ErrorKind::ConnectionRefused,
            reason: "connection refused".into(),
        };
        let text = "cannot reach 127.0.0.1:9092: connection refused; is the broker running?";
        assert_eq!(refused.to_string(), text);
        let old = ClientError::Unsupported {
            address: "old:9092".into(),
            api: ApiKey::FETCH,
            theirs: Some(0..=3),
            ours: 4..=18,
        };
        let text =
            "old:9092 does not offer Fetch in a version we know: it has 0 to 3, we have 4 to 18";
        assert_eq!(old.to_string(), text);
        let code = ErrorCode::TOPIC_ALREADY_EXISTS.0;
        let exists = ClientError::check("create topic a", code, Some("it is there")).unwrap_err();
        assert_eq!(exists.to_string(), "create topic a: TOPIC_ALREADY_EXISTS: it is there");
        assert!(!exists.is_retriable());
        assert_eq!(ClientError::check("x", 0, None), Ok(()));
    }
}
