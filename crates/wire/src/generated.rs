//! What generated code sees.

pub(crate) use std::ops::RangeInclusive;

pub(crate) use bytes::Bytes;
pub(crate) use highwater_types::Uuid;

#[cfg(feature = "test-support")]
pub(crate) use crate::arbitrary::{Arbitrary, Gen};
pub(crate) use crate::{
    ApiKey, CoordinatorKey, DecodeError, EncodeError, Message, Metadata, Problem, Reader, Records,
    Request, Str, UnknownTags, Writer,
};

pub(crate) fn check_decodable<M: Message>(version: i16) -> Result<(), DecodeError> {
    if M::VALID.contains(&version) {
        return Ok(());
    }
    let problem = Problem::UnsupportedVersion { message: M::NAME, version };
    Err(DecodeError { problem, position: 0 })
}

pub(crate) fn check_encodable<M: Message>(version: i16) -> Result<(), EncodeError> {
    if M::VALID.contains(&version) {
        return Ok(());
    }
    Err(EncodeError::UnsupportedVersion { message: M::NAME, version })
}

/// The value of a field that this version does not let be null.
pub(crate) fn required<'a, T>(
    value: &'a Option<T>,
    field: &'static str,
    version: i16,
) -> Result<&'a T, EncodeError> {
    value.as_ref().ok_or(EncodeError::UnexpectedNull { field, version })
}
