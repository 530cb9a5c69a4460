//! Tagged fields that this schema does not know: kept, so that they survive a round trip.

use bytes::Bytes;

use crate::EncodeError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownTag {
    pub tag: u32,
    pub data: Bytes,
}

/// Rising by tag. One word wide while empty, since every structure has one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(clippy::box_collection, reason = "almost always empty: 8 bytes instead of 24")]
pub struct UnknownTags(Option<Box<Vec<UnknownTag>>>);

impl UnknownTags {
    pub fn push(&mut self, tag: u32, data: Bytes) {
        self.0.get_or_insert_default().push(UnknownTag { tag, data });
    }

    pub fn as_slice(&self) -> &[UnknownTag] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }

    pub fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }

    /// A version without tagged fields must not lose any.
    pub(crate) fn check_absent(&self, version: i16) -> Result<(), EncodeError> {
        if self.is_empty() {
            return Ok(());
        }
        Err(EncodeError::lacks("unknown_tagged_fields", version))
    }
}
