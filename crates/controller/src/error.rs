//! A refusal: Kafka's code and a sentence for the person who reads it.

use highwater_wire::{ErrorCode, Str};

/// Why one item of a request was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiError {
    pub code: ErrorCode,
    pub message: Option<Str>,
}

impl ApiError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> ApiError {
        ApiError { code, message: Some(Str::from(message.into())) }
    }

    /// Without words of its own; where Kafka sends a null message too.
    pub const fn bare(code: ErrorCode) -> ApiError {
        ApiError { code, message: None }
    }

    /// With the general words for the code.
    pub fn general(code: ErrorCode) -> ApiError {
        ApiError::new(code, code.message())
    }
}

/// What one item of a request came to.
pub type Outcome<T = ()> = Result<T, ApiError>;

/// Code and message as a response carries them.
pub fn parts<T>(outcome: &Outcome<T>) -> (i16, Option<Str>) {
    match outcome {
        Ok(_) => (ErrorCode::NONE.0, None),
        Err(error) => (error.code.0, error.message.clone()),
    }
}
