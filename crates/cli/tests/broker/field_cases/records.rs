//! Records in every spelling: compressed by any client, with nulls, empties and many headers.

use std::io::Write;

use bytes::Bytes;
use highwater_records::{Compression, HEADER_BYTES, Header, NewRecord};
use highwater_testkit::batch::{self, CODECS, ReadRecord, record};
use highwater_testkit::topics::fetched_bytes;
use highwater_testkit::{BrokerProcess, Topic, Wire, now_ms};

/// Java's framing of snappy: the magic and two version numbers, then blocks with their lengths.
const SNAPPY_MAGIC: &[u8] = b"\x82SNAPPY\0\0\0\0\x01\0\0\0\x01";
const SNAPPY_BLOCK_BYTES: usize = 32 << 10;

/// The records of a batch, compressed otherwise than we would.
fn spelled(spelling: &str, plain: &[u8]) -> (Compression, Vec<u8>) {
    let raw = |block: &[u8]| snap::raw::Encoder::new().compress_vec(block).expect("it fits");
    match spelling {
        "snappy, one raw block (librdkafka, franz-go)" => (Compression::Snappy, raw(plain)),
        "snappy, several framed blocks (Java)" => {
            let mut framed = SNAPPY_MAGIC.to_vec();
            for block in plain.chunks(SNAPPY_BLOCK_BYTES).map(raw) {
                framed.extend_from_slice(&(block.len() as u32).to_be_bytes());
                framed.extend_from_slice(&block);
            }
            (Compression::Snappy, framed)
        }
        "lz4 without the content's size" => (Compression::Lz4, lz4(plain, None)),
        "lz4 with the content's size" => (Compression::Lz4, lz4(plain, Some(plain.len() as u64))),
        "gzip of several members" => {
            let mut members = Vec::new();
            for part in plain.chunks(plain.len() / 3 + 1) {
                let level = flate2::Compression::default();
                let mut encoder = flate2::write::GzEncoder::new(&mut members, level);
                encoder.write_all(part).expect("memory");
                encoder.finish().expect("memory");
            }
            (Compression::Gzip, members)
        }
        "zstd without the content's size" => {
            let mut encoder = zstd::stream::Encoder::new(Vec::new(), 3).expect("a level");
            encoder.write_all(plain).expect("memory");
            (Compression::Zstd, encoder.finish().expect("memory"))
        }
        "zstd with the content's size" => {
            (Compression::Zstd, zstd::bulk::compress(plain, 3).expect("memory"))
        }
        other => panic!("{other}"),
    }
}

fn lz4(plain: &[u8], size: Option<u64>) -> Vec<u8> {
    let info = lz4_flex::frame::FrameInfo::new().content_size(size);
    let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(plain).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn every_spelling_of_compression() {
    const SPELLINGS: [&str; 7] = [
        "snappy, one raw block (librdkafka, franz-go)",
        "snappy, several framed blocks (Java)",
        "lz4 without the content's size",
        "lz4 with the content's size",
        "gzip of several members",
        "zstd without the content's size",
        "zstd with the content's size",
    ];
    let broker = crate::shared::broker();
    let mut wire = broker.connect();
    let now = now_ms();
    let values: Vec<_> = (0..2_000).map(|n| format!("value {n} {}", "x".repeat(30))).collect();
    let records: Vec<_> = values.iter().map(|value| record(None, Some(value), now)).collect();
    let plain = batch::plain(&records);
    let expected = batch::records(&plain);
    let as_sent = wire.new_topic(1, &[]);
    let recompressing = [
        ("gzip", Compression::Gzip),
        ("snappy", Compression::Snappy),
        ("lz4", Compression::Lz4),
        ("zstd", Compression::Zstd),
    ];
    let recompressing = recompressing
        .map(|(name, codec)| (wire.new_topic(1, &[("compression.type", name)]), codec));
    for spelling in SPELLINGS {
        let (codec, packed) = spelled(spelling, &plain[HEADER_BYTES..]);
        let sent = batch::forged(&batch::with_payload(&plain, &packed), |header| {
            header.attributes = header.attributes.with_codec(codec);
        });
        let stored = store(&mut wire, &as_sent, &sent, spelling);
        let wanted = batch::forged(&sent, |header| {
            let base_offset = batch::headers(&stored)[0].base_offset;
            (header.base_offset, header.partition_leader_epoch) = (base_offset, 0);
        });
        assert_eq!(stored, wanted, "{spelling}: stored as it was sent");
        check_records(&stored, &expected, spelling);
        for (topic, stored_as) in &recompressing {
            let is_rewritten = *stored_as != codec;
            let stored = store(&mut wire, topic, &sent, spelling);
            let stored_codec = batch::headers(&stored)[0].compression();
            assert_eq!(stored_codec, Ok(*stored_as), "{spelling}");
            check_records(&stored, &expected, spelling);
            if is_rewritten && *stored_as == Compression::Snappy {
                // In Java's framing, the only one that its old clients read.
                assert!(stored[HEADER_BYTES..].starts_with(SNAPPY_MAGIC), "{spelling}");
            }
        }
    }
}

/// Writes a batch, and gives the bytes that were stored.
fn store(wire: &mut Wire, topic: &Topic, sent: &Bytes, what: &str) -> Bytes {
    let answer = wire.produce(topic, 0, sent);
    assert_eq!(answer.error_code, 0, "{what}: {:?}", answer.error_message);
    fetched_bytes(&wire.fetch(topic, 0, answer.base_offset))
}

#[track_caller]
fn check_records(stored: &[u8], expected: &[ReadRecord], what: &str) {
    let base = batch::headers(stored)[0].base_offset;
    let mut read = batch::records(stored);
    for record in &mut read {
        record.offset -= base;
    }
    assert_eq!(read, expected, "{what}");
}

/// Null is not empty, headers keep their order and their repeated names; in every codec, after
/// recompression, after a restart.
#[test]
fn nulls_empties_and_headers() {
    let mut broker = BrokerProcess::start();
    let mut wire = broker.connect();
    let now = now_ms();
    let choices: [Option<&[u8]>; 3] = [None, Some(b""), Some(b"x")];
    let many: Vec<_> = (0..1_000).map(|n| Header::new(NAMES[n % 3], choices[n % 3])).collect();
    let few = [Header::new("", None), Header::new("a", Some(b"1")), Header::new("a", Some(b""))];
    let mut records = Vec::new();
    for key in choices {
        for value in choices {
            for headers in [&[][..], &few[..1], &few[..], &many[..]] {
                records.push(NewRecord { timestamp: now, key, value, headers });
            }
        }
    }
    let expected = batch::records(&batch::plain(&records));
    assert_eq!(expected[3].headers.len(), 1_000);
    let mut topics = Vec::new();
    for stored_as in ["producer", "uncompressed", "gzip", "snappy", "lz4", "zstd"] {
        let topic = wire.new_topic(1, &[("compression.type", stored_as)]);
        for codec in CODECS {
            let stored = store(&mut wire, &topic, &batch::compressed(codec, &records), stored_as);
            check_records(&stored, &expected, stored_as);
        }
        topics.push(topic);
    }
    if !broker.is_ours() {
        return;
    }
    broker.kill();
    broker.run();
    for topic in &topics {
        let mut wire = broker.connect();
        while wire.list_offset(topic, 0, -1).error_code != 0 {}
        let count = expected.len() as i64;
        for round in 0..CODECS.len() as i64 {
            let stored = fetched_bytes(&wire.fetch(topic, 0, round * count));
            let first = batch::headers(&stored)[0].size_bytes();
            check_records(&stored[..first], &expected, "after a restart");
        }
    }
}

const NAMES: [&str; 3] = ["", "name", "another name"];

/// The limit is on the whole batch as it arrives; what is exactly as long comes back.
#[test]
fn a_batch_of_exactly_the_limit() {
    const LIMIT: usize = 10_000;
    let broker = crate::shared::broker();
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[("max.message.bytes", &LIMIT.to_string())]);
    let sent = batch::of_size(LIMIT, now_ms());
    let stored = store(&mut wire, &topic, &sent, "at the limit");
    assert_eq!(batch::records(&stored), batch::records(&sent));
    let answer = wire.produce(&topic, 0, &batch::of_size(LIMIT + 1, now_ms()));
    assert_eq!(answer.error_code, highwater_wire::ErrorCode::MESSAGE_TOO_LARGE.0);
}
