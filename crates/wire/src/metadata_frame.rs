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

pub fn decode(bytes: Bytes) -> Result<MetadataRecord, DecodeError> {
    let mut r = Reader::new(bytes);
    let frame_version = r.uvarint()?;
    if frame_version != FRAME_VERSION {
        return Err(r.unknown_record(frame_version));
    }
    let api_key = r.uvarint()?;
    let version = i16::try_from(r.uvarint()?).unwrap_or(i16::MAX);
    MetadataRecord::decode_body(&mut r, api_key, version)
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
