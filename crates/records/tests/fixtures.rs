//! Batches that Kafka wrote: we read them exactly, and build the same bytes from what we read.

mod support;

use std::path::PathBuf;

use highwater_records::control::{ControlType, EndTxnMarker};
use highwater_records::{
    BatchBuilder, BatchOptions, BatchView, Compression, Scratch, Tail, TimestampType, batches,
    decompress, emptied, patch, recompress,
};
use serde_json::Value;
use support::{Owned, read};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/batches")
}

fn names() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "log"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

fn log(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(format!("{name}.log"))).unwrap()
}

fn expected(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder().join(format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Bytes in the JSON: null, a string, or an object with the bytes in hex.
fn bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone().into_bytes()),
        other => {
            let hex = other["hex"].as_str().unwrap();
            let byte = |n: usize| u8::from_str_radix(&hex[n..n + 2], 16).unwrap();
            Some((0..hex.len()).step_by(2).map(byte).collect())
        }
    }
}

fn owned(record: &Value) -> Owned {
    let header = |h: &Value| (bytes(&h[0]).unwrap(), bytes(&h[1]));
    Owned {
        offset: record["offset"].as_i64().unwrap(),
        timestamp: record["timestamp"].as_i64().unwrap(),
        key: bytes(&record["key"]),
        value: bytes(&record["value"]),
        headers: record["headers"].as_array().unwrap().iter().map(header).collect(),
    }
}

fn check_header(batch: &BatchView<'_>, json: &Value) {
    let header = batch.header();
    let numbers = [
        ("size", batch.bytes().len() as i64),
        ("baseOffset", header.base_offset),
        ("lastOffset", header.last_offset()),
        ("partitionLeaderEpoch", header.partition_leader_epoch.into()),
        ("magic", header.magic.into()),
        ("crc", header.crc.into()),
        ("attributes", header.attributes.0.into()),
        ("codec", header.attributes.codec_code().into()),
        ("baseTimestamp", header.base_timestamp),
        ("maxTimestamp", header.max_timestamp),
        ("producerId", header.producer_id),
        ("producerEpoch", header.producer_epoch.into()),
        ("baseSequence", header.base_sequence.into()),
        ("count", header.record_count.into()),
    ];
    for (name, found) in numbers {
        assert_eq!(json[name].as_i64(), Some(found), "{name}");
    }
    let flags = [
        ("logAppendTime", header.timestamp_type() == TimestampType::LogAppendTime),
        ("transactional", header.is_transactional()),
        ("control", header.is_control()),
        ("deleteHorizon", header.delete_horizon().is_some()),
        ("crc_ok", batch.verify_crc().is_ok()),
    ];
    for (name, found) in flags {
        assert_eq!(json[name].as_bool(), Some(found), "{name}");
    }
}

#[test]
fn every_file_reads_as_kafka_reads_it() {
    assert!(names().len() >= 18);
    for name in names() {
        let log = log(&name);
        let expected = expected(&name);
        let mut run = batches(&log, Tail::Strict);
        for json in &expected {
            assert_eq!(json["position"].as_u64(), Some(run.position() as u64), "{name}");
            let batch = run.next().unwrap().unwrap();
            check_header(&batch, json);
            if let Some(records) = json["records"].as_array() {
                let records: Vec<Owned> = records.iter().map(owned).collect();
                assert_eq!(read(batch.bytes()).unwrap(), records, "{name}");
            }
        }
        assert!(run.next().is_none(), "{name}");
        assert_eq!(run.position(), log.len(), "{name}");
    }
}

#[test]
fn what_we_build_is_what_kafka_wrote() {
    let mut rebuilt = 0;
    for name in names() {
        let log = log(&name);
        for batch in batches(&log, Tail::Strict) {
            let batch = batch.unwrap();
            let header = batch.header();
            // Under LogAppendTime the view gives the batch's time, not the records' own deltas.
            let plain = header.compression().unwrap() == Compression::None;
            if !plain || header.timestamp_type() == TimestampType::LogAppendTime {
                continue;
            }
            let mut builder = BatchBuilder::new(BatchOptions::like(header).unwrap());
            for record in batch.records(&mut Scratch::new()).unwrap() {
                builder.append_kept(&record.unwrap());
            }
            builder.end_at(header.last_offset());
            assert_eq!(builder.build(), batch.bytes(), "{name} at {}", header.base_offset);
            rebuilt += 1;
        }
    }
    assert!(rebuilt > 40, "{rebuilt}");
}

#[test]
fn the_codecs_hold_the_same_bytes() {
    let none = log("none");
    let plain = BatchView::parse(&none).unwrap().payload();
    for codec in [Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd] {
        let log = log(codec.name());
        let mut scratch = Scratch::new();
        let batch = BatchView::parse(&log).unwrap();
        let mut unpacked = Vec::new();
        decompress(codec, batch.payload(), &mut unpacked, plain.len()).unwrap();
        assert_eq!(unpacked, plain, "{codec}");
        let ours = recompress(&batch, Compression::None, None, &mut scratch).unwrap();
        assert_eq!(ours, none, "{codec}");
    }
}

#[test]
fn our_framing_is_javas() {
    let none = log("none");
    let batch = BatchView::parse(&none).unwrap();
    // Up to the first block's length: magics, versions, flags and header checksum.
    for (codec, same) in [(Compression::Snappy, 16), (Compression::Lz4, 7)] {
        let theirs = log(codec.name());
        let theirs = BatchView::parse(&theirs).unwrap().payload();
        let ours = recompress(&batch, codec, None, &mut Scratch::new()).unwrap();
        let ours = BatchView::parse(&ours).unwrap().payload();
        assert_eq!(ours[..same], theirs[..same], "{codec}");
    }
}

#[test]
fn append_time_is_patched_as_kafka_does() {
    let theirs = log("append");
    let header = *BatchView::parse(&theirs).unwrap().header();
    let create_time = header.base_timestamp + 9;
    let mut batch = theirs.clone();
    patch::max_timestamp(&mut batch, create_time);
    let sent = *BatchView::parse(&batch).unwrap().header();
    assert_eq!(sent.timestamp_type(), TimestampType::CreateTime);
    assert_eq!(sent.max_timestamp, create_time);
    patch::log_append_time(&mut batch, header.max_timestamp);
    assert_eq!(batch, theirs);
}

#[test]
fn markers_read_and_build_as_kafka_writes_them() {
    let mut seen = Vec::new();
    for name in ["txn", "txn-2"] {
        let log = log(name);
        for batch in batches(&log, Tail::Strict).map(Result::unwrap) {
            let header = *batch.header();
            if !header.is_control() {
                continue;
            }
            let mut scratch = Scratch::new();
            let record = batch.records(&mut scratch).unwrap().next().unwrap().unwrap();
            let marker = EndTxnMarker::of_record(&record).unwrap();
            seen.push(ControlType::of_record(&record).unwrap());
            let ours = marker.batch(header.producer_id, header.producer_epoch, record.timestamp);
            let mut ours = ours.to_vec();
            patch::assign(&mut ours, header.base_offset, header.partition_leader_epoch);
            assert_eq!(ours, batch.bytes());
        }
    }
    assert!(seen.contains(&ControlType::Commit) && seen.contains(&ControlType::Abort));
}

#[test]
fn an_emptied_batch_keeps_offsets_and_producer() {
    let log = log("idem");
    let batch = BatchView::parse(&log).unwrap();
    let empty = emptied(batch.header());
    let view = BatchView::parse(&empty).unwrap();
    view.verify_crc().unwrap();
    assert_eq!(view.bytes().len(), 61);
    assert_eq!(view.header().last_offset(), batch.header().last_offset());
    assert_eq!(view.header().last_sequence(), batch.header().last_sequence());
    assert_eq!(view.header().max_timestamp, batch.header().max_timestamp);
    assert_eq!(read(&empty).unwrap(), []);
}
