//! `int16` and a body: the form of keys and values in coordinators' logs and of the consumer
//! protocol's blobs.
//!
//! Before a value and a consumer protocol blob stands the version. Before a key stands the type
//! of the record; the key itself is always version 0.

use bytes::Bytes;

use crate::{CoordinatorKey, DecodeError, EncodeError, Message, Problem, Reader, Writer};

pub fn encode<M: Message>(version: i16, message: &M) -> Result<Bytes, EncodeError> {
    prefixed(version, version, message)
}

pub fn encode_key<K: CoordinatorKey>(key: &K) -> Result<Bytes, EncodeError> {
    prefixed(K::RECORD_TYPE, 0, key)
}

fn prefixed<M: Message>(prefix: i16, version: i16, message: &M) -> Result<Bytes, EncodeError> {
    let mut w = Writer::new();
    w.i16(prefix);
    message.encode(&mut w, version)?;
    // Only Produce and Fetch carry records, which alone can lie in a file.
    Ok(w.into_bytes().unwrap_or_default())
}

/// The number in front: a value's version, a key's record type.
pub fn peek_version(bytes: &Bytes) -> Result<i16, DecodeError> {
    Reader::new(bytes.clone()).i16()
}

/// Reads a message of the version that its first two bytes say. Bytes behind it are ignored.
pub fn decode<M: Message>(bytes: Bytes) -> Result<M, DecodeError> {
    let mut r = Reader::new(bytes);
    let version = r.i16()?;
    M::decode(&mut r, version)
}

/// Reads a key; it is an error if it is one of another record type.
pub fn decode_key<K: CoordinatorKey>(bytes: Bytes) -> Result<K, DecodeError> {
    let mut r = Reader::new(bytes);
    let record_type = r.i16()?;
    if record_type != K::RECORD_TYPE {
        let problem = Problem::UnsupportedVersion { message: K::NAME, version: record_type };
        return Err(r.error(problem));
    }
    K::decode(&mut r, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Str;
    use crate::messages::{LegacyOffsetCommitKey, OffsetCommitKey, OffsetCommitValue};

    #[test]
    fn a_key_begins_with_its_type() {
        let key = OffsetCommitKey {
            group: Str::from("g"),
            topic: Str::from("t"),
            partition: 3,
            ..Default::default()
        };
        let bytes = encode_key(&key).unwrap();
        assert_eq!(bytes, &b"\0\x01\0\x01g\0\x01t\0\0\0\x03"[..]);
        assert_eq!(peek_version(&bytes), Ok(1));
        assert_eq!(decode_key(bytes.clone()), Ok(key));
        assert!(decode_key::<LegacyOffsetCommitKey>(bytes).is_err());
    }

    #[test]
    fn a_value_begins_with_its_version() {
        let value = OffsetCommitValue { offset: 9, leader_epoch: 2, ..Default::default() };
        for version in 0..=4 {
            let bytes = encode(version, &value).unwrap();
            assert_eq!(peek_version(&bytes), Ok(version));
            // Older versions drop the epoch, as Kafka's do.
            let leader_epoch = if version < 3 { -1 } else { 2 };
            assert_eq!(decode(bytes), Ok(OffsetCommitValue { leader_epoch, ..value.clone() }));
        }
        assert!(encode(5, &value).is_err());
    }
}
