//! The input as a request frame: header, then the body that it announces. Also as a metadata
//! record and as a coordinator's key or value.

#![no_main]

use bytes::Bytes;
use highwater_wire::arbitrary::{Kind, every_message};
use highwater_wire::{Reader, header, metadata_frame, versioned};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let input = Bytes::copy_from_slice(input);
    if let Ok(record) = metadata_frame::decode(input.clone()) {
        for version in 0..=record.version_max() {
            let _ = record.encode(version);
        }
    }
    let _ = versioned::peek_version(&input);
    let mut r = Reader::new(input);
    let Ok(header) = header::decode_request_header(&mut r) else { return };
    let of_key = |e: &&_| matches_request(e, header.api_key.0);
    if let Some(entry) = every_message().iter().find(of_key) {
        let _ = (entry.recode)(r.rest(), header.api_version);
    }
});

fn matches_request(entry: &highwater_wire::arbitrary::Entry, key: i16) -> bool {
    entry.kind == Kind::Request && entry.key == Some(key)
}
