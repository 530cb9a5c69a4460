//! The first words between a client and a broker that it does not know.

use highwater_testkit::batch::{self, record};
use highwater_testkit::{Wire, WireError, now_ms};
use highwater_wire::messages::fetch_response::{FetchableTopicResponse, PartitionData};
use highwater_wire::messages::{
    ApiVersionsRequest, ApiVersionsResponse, FetchRequest, FetchResponse,
};
use highwater_wire::{ApiKey, ErrorCode, Message, Reader, Records, Writer, header};

use crate::shared;

fn software() -> ApiVersionsRequest {
    ApiVersionsRequest {
        client_software_name: "old-client".into(),
        client_software_version: "0.11.6".into(),
        ..Default::default()
    }
}

/// Sends the body of a version from the future; gives the correlation id.
fn send_from_the_future(wire: &mut Wire, version: i16) -> i32 {
    let (id, payload) = wire.encode(ApiKey::API_VERSIONS, version, |w| w.raw(b"\x02a\x02b\x09??"));
    wire.send_frame(&payload).expect("still open");
    id
}

#[track_caller]
fn check_refused_in_the_first_layout(wire: &mut Wire, id: i32) {
    let mut reader = Reader::new(wire.receive_frame().expect("an answer"));
    assert_eq!(header::decode_response_header(&mut reader, ApiKey::API_VERSIONS, 0), Ok(id));
    let answer = ApiVersionsResponse::decode(&mut reader, 0).expect("the layout of version 0");
    assert_eq!(reader.remaining(), 0);
    assert_eq!(ErrorCode(answer.error_code), ErrorCode::UNSUPPORTED_VERSION);
    let ranges = answer.api_keys.iter().map(|k| (k.api_key, k.min_version, k.max_version));
    assert_eq!(ranges.collect::<Vec<_>>(), [(18, 0, 5)]);
}

/// A client newer than the broker asks again, on the same connection, with what it was told.
#[test]
fn a_version_from_the_future_and_then_one_of_today() {
    let broker = shared::broker();
    for version in [6, 99, i16::MAX] {
        let mut wire = broker.connect();
        let id = send_from_the_future(&mut wire, version);
        check_refused_in_the_first_layout(&mut wire, id);
        assert_eq!(wire.call(4, &software()).error_code, 0);
    }
}

/// The requests behind it are answered all the same, in their order.
#[test]
fn requests_pipelined_behind_a_version_from_the_future() {
    let broker = shared::broker();
    let mut wire = broker.connect();
    let id = send_from_the_future(&mut wire, 6);
    let sent: Vec<_> = (0..5).map(|version| wire.send(version, &software())).collect();
    check_refused_in_the_first_layout(&mut wire, id);
    for sent in sent {
        assert_eq!(wire.receive(sent).error_code, 0);
    }
}

/// Any other API in a version from the future ends the connection.
#[test]
fn other_apis_from_the_future() {
    let broker = shared::broker();
    let mut wire = broker.connect();
    let (_, payload) = wire.encode(ApiKey::METADATA, 99, |w| w.raw(&[0; 20]));
    wire.send_frame(&payload).expect("still open");
    assert_eq!(wire.receive_frame(), Err(WireError::Closed));
}

/// Every byte of a Fetch v11, the version of older librdkafkas: a byte too many before the
/// records, and they read them wrong.
#[test]
fn a_fetch_of_old_clients() {
    let broker = shared::broker();
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[]);
    let sent = batch::plain(&[record(Some("k"), Some("v"), now_ms())]);
    wire.must_produce(&topic, 0, &sent);
    let stored = batch::forged(&sent, |header| header.partition_leader_epoch = 0);
    for isolation_level in [0, 1] {
        let request = FetchRequest { isolation_level, ..topic.fetch(11, 0, 0) };
        let (id, payload) = wire.encode(ApiKey::FETCH, 11, |w| {
            request.encode(w, 11).expect("a request");
        });
        wire.send_frame(&payload).expect("still open");
        let answer = wire.receive_frame().expect("an answer");
        let aborted = (isolation_level == 1).then(Vec::new);
        let partition = PartitionData {
            high_watermark: 1,
            last_stable_offset: 1,
            log_start_offset: 0,
            aborted_transactions: aborted,
            preferred_read_replica: -1,
            records: Some(Records::from(stored.clone())),
            ..Default::default()
        };
        let topic = FetchableTopicResponse {
            topic: topic.name.clone(),
            partitions: vec![partition],
            ..Default::default()
        };
        let expected = FetchResponse { responses: vec![topic], ..Default::default() };
        let mut w = Writer::new();
        w.i32(id);
        expected.encode(&mut w, 11).expect("an answer");
        let expected = w.into_bytes().expect("bytes only");
        assert_eq!(answer, expected, "isolation level {isolation_level}");
    }
}
