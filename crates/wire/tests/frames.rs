//! `fixtures/frames/`: frames captured from real clients and brokers read and write alike.
//!
//! A file holds one frame without its length, and is named `<who>-<key>-v<version>-request.bin`
//! or `…-response.bin`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use highwater_wire::arbitrary::{Kind, every_message};
use highwater_wire::header::{self, RequestHeader};
use highwater_wire::{ApiKey, Reader, Writer};

#[test]
fn every_captured_frame_reads_and_writes_alike() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/frames");
    let mut checked = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "bin") {
            *checked.entry(check(&path)).or_insert(0) += 1;
        }
    }
    for client in ["kafka-java", "librdkafka", "kafka-python", "franz-go"] {
        assert!(checked.remove(client) > Some(20), "few frames of {client}");
    }
    assert!(checked.is_empty(), "{checked:?}: who are they?");
}

/// Gives who sent it.
fn check(path: &Path) -> String {
    let name = path.file_stem().unwrap().to_str().unwrap();
    let frame = Bytes::from(std::fs::read(path).unwrap());
    let mut parts = name.rsplitn(4, '-');
    let side = parts.next().unwrap();
    let version = parts.next().unwrap().strip_prefix('v').unwrap().parse().unwrap();
    let key = ApiKey(parts.next().unwrap().parse().unwrap());
    let client = parts.next().unwrap_or_else(|| panic!("{name}: who sent it?"));

    let mut r = Reader::new(frame.clone());
    let mut w = Writer::new();
    let kind = match side {
        "request" => {
            let header: RequestHeader = header::decode_request_header(&mut r).unwrap();
            assert_eq!((header.api_key, header.api_version), (key, version), "{name}");
            header::encode_request_header(&mut w, &header).unwrap();
            Kind::Request
        }
        "response" => {
            let correlation_id = header::decode_response_header(&mut r, key, version).unwrap();
            header::encode_response_header(&mut w, key, version, correlation_id).unwrap();
            Kind::Response
        }
        other => panic!("{name}: {other} is neither request nor response"),
    };
    let message = every_message().iter().find(|e| e.kind == kind && e.key == Some(key.0)).unwrap();
    let body = (message.recode)(r.rest(), version).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(body.left_over, 0, "{name}");
    w.raw(&body.bytes.unwrap());
    assert_eq!(w.into_bytes(), Some(frame), "{name}");
    client.to_owned()
}
