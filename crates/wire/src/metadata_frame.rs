//! Records of the metadata log: a frame version (1), the record's number and version, all as
//! varints, then the body.

use bytes::Bytes;

use crate::messages::*;
use crate::{DecodeError, EncodeError, Message, Metadata, Problem, Reader, Writer};

/// The only frame version so far.
const FRAME_VERSION: u32 = 1;

include!(concat!(env!("OUT_DIR"), "/metadata_record.rs"));

impl MetadataRecord {
    pub fn encode(&self, version: i16) -> Result<Bytes, EncodeError> {
        let mut w = head(self.api_key(), version);
        self.encode_body(&mut w, version)?;
        Ok(w.into_bytes().unwrap_or_default())
    }
}

pub fn encode<M: Metadata>(record: &M, version: i16) -> Result<Bytes, EncodeError> {
    let mut w = head(M::API_KEY, version);
    record.encode(&mut w, version)?;
    Ok(w.into_bytes().unwrap_or_default())
}

/// Reads one record, which must fill the bytes.
pub fn decode(bytes: Bytes) -> Result<MetadataRecord, DecodeError> {
    let mut r = Reader::new(bytes);
    let frame_version = r.uvarint()?;
    if frame_version != FRAME_VERSION {
        return Err(r.unknown_record(frame_version));
    }
    let api_key = r.uvarint()?;
    let version = i16::try_from(r.uvarint()?).unwrap_or(i16::MAX);
    let record = MetadataRecord::decode_body(&mut r, api_key, version)?;
    match r.remaining() {
        0 => Ok(record),
        left => Err(r.error(Problem::LeftOver(left))),
    }
}

fn head(api_key: i16, version: i16) -> Writer {
    let mut w = Writer::new();
    for number in [FRAME_VERSION, api_key as u32, version as u32] {
        w.uvarint(number);
    }
    w
}

impl Reader {
    #[cold]
    fn unknown_record(&self, number: u32) -> DecodeError {
        self.error(Problem::UnknownRecord(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Str;
    use highwater_types::Uuid;

    fn topic() -> TopicRecord {
        TopicRecord { name: Str::from("foo"), topic_id: Uuid([7; 16]), ..Default::default() }
    }

    #[test]
    fn a_record_in_its_frame() {
        let bytes = encode(&topic(), 0).unwrap();
        // Frame 1, record 2 (TopicRecord), version 0, compact string, id, no tags.
        let mut expected = b"\x01\x02\x00\x04foo".to_vec();
        expected.extend([7; 16]);
        expected.push(0);
        assert_eq!(bytes, expected);
        let record = MetadataRecord::from(topic());
        assert_eq!(record.encode(0), Ok(bytes.clone()));
        assert_eq!((record.name(), record.api_key(), record.version_max()), ("TopicRecord", 2, 0));
        assert_eq!(decode(bytes), Ok(record));
    }

    #[test]
    fn what_is_not_a_record() {
        let check = |bytes: &'static [u8], expected| {
            assert_eq!(decode(Bytes::from_static(bytes)).unwrap_err().problem, expected);
        };
        check(b"\x02\x02\x00", Problem::UnknownRecord(2));
        check(b"\x01\x63\x00", Problem::UnknownRecord(99));
        let message = "NoOpRecord";
        check(b"\x01\x14\x01\x00", Problem::UnsupportedVersion { message, version: 1 });
        check(b"\x01\x14\x00\x00\x00", Problem::LeftOver(1));
        check(b"\x01\x14\x00", Problem::Truncated { needed: 1, remaining: 0 });
    }
}
