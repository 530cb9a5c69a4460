//! The records of `__consumer_offsets`, as Kafka writes them.
//!
//! Owns the choice of versions. Kinds that this coordinator does not know (those of the newer
//! group protocols) are carried as bytes.

use bytes::Bytes;
use highwater_wire::messages::{
    GroupMetadataKey, GroupMetadataValue, LegacyOffsetCommitKey, LegacyOffsetCommitValue,
    OffsetCommitKey, OffsetCommitValue,
};
use highwater_wire::{CoordinatorKey, DecodeError, EncodeError, Message, Str, versioned};

use crate::offsets::CommittedOffset;
use crate::state::GroupImage;

const GROUP_VALUE_VERSION: i16 = 3;
const OFFSET_VALUE_VERSION: i16 = 4;
/// The only layout that has an explicit time of expiry.
const OFFSET_VALUE_VERSION_WITH_EXPIRY: i16 = 1;

/// One record; without a value it is a tombstone.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    Offset {
        key: OffsetCommitKey,
        value: Option<OffsetCommitValue>,
    },
    Group {
        key: GroupMetadataKey,
        value: Option<GroupMetadataValue>,
    },
    /// A kind that we do not know; never written by us.
    Other {
        key: Bytes,
        value: Option<Bytes>,
    },
}

/// A record whose kind is known but whose bytes cannot be read or written.
#[derive(Debug)]
pub enum RecordError {
    Key(DecodeError),
    Value(DecodeError),
    /// A field does not fit its layout (a string beyond 32,767 bytes).
    Encode(EncodeError),
}

impl std::fmt::Display for RecordError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RecordError::Key(error) => write!(f, "the key of a group record: {error}"),
            RecordError::Value(error) => write!(f, "the value of a group record: {error}"),
            RecordError::Encode(error) => write!(f, "a group record cannot be written: {error}"),
        }
    }
}

impl std::error::Error for RecordError {}

impl Record {
    pub(crate) fn group(id: Str, image: &GroupImage) -> Record {
        Record::Group { key: group_key(id), value: Some(image.to_value()) }
    }

    pub(crate) fn group_tombstone(id: &Str) -> Record {
        Record::Group { key: group_key(id.clone()), value: None }
    }

    pub(crate) fn offset(
        group: &Str,
        topic: &Str,
        partition: i32,
        offset: &CommittedOffset,
    ) -> Record {
        Record::Offset { key: offset_key(group, topic, partition), value: Some(offset.to_value()) }
    }

    pub(crate) fn offset_tombstone(group: &Str, topic: &Str, partition: i32) -> Record {
        Record::Offset { key: offset_key(group, topic, partition), value: None }
    }

    /// Key and value as they stand in the log.
    pub fn encode(&self) -> Result<(Bytes, Option<Bytes>), RecordError> {
        let (key, value) = match self {
            Record::Other { key, value } => return Ok((key.clone(), value.clone())),
            Record::Offset { key, value } => (
                versioned::encode_key(key),
                value.as_ref().map(|value| versioned::encode(offset_version(value), value)),
            ),
            Record::Group { key, value } => (
                versioned::encode_key(key),
                value.as_ref().map(|value| versioned::encode(GROUP_VALUE_VERSION, value)),
            ),
        };
        let value = value.transpose().map_err(RecordError::Encode)?;
        Ok((key.map_err(RecordError::Encode)?, value))
    }

    /// Reads a record of the log. A kind that we do not know is no error.
    pub fn decode(key: Bytes, value: Option<Bytes>) -> Result<Record, RecordError> {
        match versioned::peek_version(&key).map_err(RecordError::Key)? {
            OffsetCommitKey::RECORD_TYPE => {
                Ok(Record::Offset { key: decode_key(key)?, value: decode_value(value)? })
            }
            LegacyOffsetCommitKey::RECORD_TYPE => {
                let old: LegacyOffsetCommitKey = decode_key(key)?;
                let value: Option<LegacyOffsetCommitValue> = decode_value(value)?;
                let key = offset_key(&old.group, &old.topic, old.partition);
                Ok(Record::Offset { key, value: value.map(from_legacy) })
            }
            GroupMetadataKey::RECORD_TYPE => {
                Ok(Record::Group { key: decode_key(key)?, value: decode_value(value)? })
            }
            _ => Ok(Record::Other { key, value }),
        }
    }
}

fn decode_key<K: CoordinatorKey>(key: Bytes) -> Result<K, RecordError> {
    versioned::decode_key(key).map_err(RecordError::Key)
}

fn decode_value<M: Message>(value: Option<Bytes>) -> Result<Option<M>, RecordError> {
    value.map(versioned::decode).transpose().map_err(RecordError::Value)
}

fn from_legacy(old: LegacyOffsetCommitValue) -> OffsetCommitValue {
    OffsetCommitValue {
        offset: old.offset,
        metadata: old.metadata,
        commit_timestamp: old.commit_timestamp,
        ..OffsetCommitValue::default()
    }
}

fn group_key(group: Str) -> GroupMetadataKey {
    GroupMetadataKey { group, ..GroupMetadataKey::default() }
}

fn offset_key(group: &Str, topic: &Str, partition: i32) -> OffsetCommitKey {
    OffsetCommitKey {
        group: group.clone(),
        topic: topic.clone(),
        partition,
        ..OffsetCommitKey::default()
    }
}

fn offset_version(value: &OffsetCommitValue) -> i16 {
    if value.expire_timestamp == -1 {
        OFFSET_VALUE_VERSION
    } else {
        OFFSET_VALUE_VERSION_WITH_EXPIRY
    }
}
