//! The headers before a request and a response.
//!
//! Which version a header has follows from the key and version of what comes after it.

use crate::messages;
use crate::{ApiKey, DecodeError, EncodeError, Message, Problem, Reader, Str, UnknownTags, Writer};

#[derive(Debug, Clone, PartialEq)]
pub struct RequestHeader {
    pub api_key: ApiKey,
    pub api_version: i16,
    pub correlation_id: i32,
    pub client_id: Option<Str>,
    pub unknown_tagged_fields: UnknownTags,
}

/// Version 2 for flexible requests, 1 for the others.
pub fn request_header_version(key: ApiKey, version: i16) -> i16 {
    if key.is_flexible(version) { 2 } else { 1 }
}

/// Version 1 for flexible responses, 0 for the others, and always for ApiVersions: a client reads
/// its answer before it knows what the broker speaks.
pub fn response_header_version(key: ApiKey, version: i16) -> i16 {
    (key != ApiKey::API_VERSIONS && key.is_flexible(version)).into()
}

/// Reads a header. The version may be one that the API does not have: ApiVersions must be
/// answered even then.
pub fn decode_request_header(r: &mut Reader) -> Result<RequestHeader, DecodeError> {
    let mut ahead = r.clone();
    let (key, version) = (ApiKey(ahead.i16()?), ahead.i16()?);
    if key.info().is_none_or(|info| info.valid.is_empty()) {
        return Err(ahead.error(Problem::UnknownApiKey(key.0)));
    }
    let header = messages::RequestHeader::decode(r, request_header_version(key, version))?;
    Ok(RequestHeader {
        api_key: key,
        api_version: version,
        correlation_id: header.correlation_id,
        client_id: header.client_id,
        unknown_tagged_fields: header.unknown_tagged_fields,
    })
}

/// The client's side of [`decode_request_header`].
pub fn encode_request_header(w: &mut Writer, header: &RequestHeader) -> Result<(), EncodeError> {
    messages::RequestHeader {
        request_api_key: header.api_key.0,
        request_api_version: header.api_version,
        correlation_id: header.correlation_id,
        client_id: header.client_id.clone(),
        unknown_tagged_fields: header.unknown_tagged_fields.clone(),
    }
    .encode(w, request_header_version(header.api_key, header.api_version))
}

pub fn encode_response_header(
    w: &mut Writer,
    key: ApiKey,
    version: i16,
    correlation_id: i32,
) -> Result<(), EncodeError> {
    messages::ResponseHeader { correlation_id, ..Default::default() }
        .encode(w, response_header_version(key, version))
}

/// Reads the header of an answer to a request of this key and version: its correlation id.
pub fn decode_response_header(
    r: &mut Reader,
    key: ApiKey,
    version: i16,
) -> Result<i32, DecodeError> {
    messages::ResponseHeader::decode(r, response_header_version(key, version))
        .map(|header| header.correlation_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_request(key: ApiKey, version: i16, expected: &[u8]) {
        let header = RequestHeader {
            api_key: key,
            api_version: version,
            correlation_id: 7,
            client_id: Some(Str::from("me")),
            unknown_tagged_fields: UnknownTags::default(),
        };
        let mut w = Writer::new();
        encode_request_header(&mut w, &header).unwrap();
        let bytes = w.into_bytes().unwrap();
        assert_eq!(bytes, expected);
        let mut r = Reader::new(bytes);
        assert_eq!(decode_request_header(&mut r), Ok(header));
        assert_eq!(r.remaining(), 0);
    }

    #[test]
    fn requests() {
        check_request(ApiKey::PRODUCE, 8, b"\0\x00\0\x08\0\0\0\x07\0\x02me");
        check_request(ApiKey::PRODUCE, 9, b"\0\x00\0\x09\0\0\0\x07\0\x02me\0");
        check_request(ApiKey::API_VERSIONS, 3, b"\0\x12\0\x03\0\0\0\x07\0\x02me\0");
        // A version from the future: the client id can still be read.
        check_request(ApiKey::API_VERSIONS, 99, b"\0\x12\0\x63\0\0\0\x07\0\x02me\0");
    }

    #[test]
    fn unknown_and_removed_keys_are_refused() {
        for key in [-1, 4, 5, 6, 7, 95, i16::MAX] {
            let mut w = Writer::new();
            w.i16(key);
            w.raw(&[0; 20]);
            let refused = decode_request_header(&mut Reader::new(w.into_bytes().unwrap()));
            assert_eq!(refused.unwrap_err().problem, Problem::UnknownApiKey(key));
        }
    }

    #[test]
    fn responses() {
        for (key, version, expected) in [
            (ApiKey::FETCH, 11, &b"\0\0\0\x07"[..]),
            (ApiKey::FETCH, 12, b"\0\0\0\x07\0"),
            (ApiKey::API_VERSIONS, 0, b"\0\0\0\x07"),
            (ApiKey::API_VERSIONS, 5, b"\0\0\0\x07"),
        ] {
            let mut w = Writer::new();
            encode_response_header(&mut w, key, version, 7).unwrap();
            let bytes = w.into_bytes().unwrap();
            assert_eq!(bytes, expected);
            assert_eq!(decode_response_header(&mut Reader::new(bytes), key, version), Ok(7));
        }
    }
}
