//! Record batches: right ones, and ones that no client would send.

use bytes::Bytes;
use highwater_records::{
    BatchBuilder, BatchHeader, BatchOptions, BatchView, Compression, HEADER_BYTES, NewRecord,
    Scratch, Tail, batches,
};

pub const CODECS: [Compression; 5] = [
    Compression::None,
    Compression::Gzip,
    Compression::Snappy,
    Compression::Lz4,
    Compression::Zstd,
];

/// A record without headers.
pub fn record<'a>(key: Option<&'a str>, value: Option<&'a str>, timestamp: i64) -> NewRecord<'a> {
    let (key, value) = (key.map(str::as_bytes), value.map(str::as_bytes));
    NewRecord { timestamp, key, value, headers: &[] }
}

pub fn build(options: BatchOptions, records: &[NewRecord<'_>]) -> Bytes {
    let mut builder = BatchBuilder::new(options);
    for record in records {
        builder.append(record);
    }
    builder.build()
}

/// Not compressed, without a producer.
pub fn plain(records: &[NewRecord<'_>]) -> Bytes {
    build(BatchOptions::default(), records)
}

pub fn compressed(compression: Compression, records: &[NewRecord<'_>]) -> Bytes {
    build(BatchOptions { compression, ..Default::default() }, records)
}

/// The record `k` → `v`.
pub fn one(timestamp: i64) -> Bytes {
    plain(&[record(Some("k"), Some("v"), timestamp)])
}

/// `count` records `k` → `v` of an idempotent producer.
pub fn of_producer(
    (producer_id, producer_epoch): (i64, i16),
    base_sequence: i32,
    count: usize,
    timestamp: i64,
) -> Bytes {
    let options =
        BatchOptions { producer_id, producer_epoch, base_sequence, ..BatchOptions::default() };
    build(options, &vec![record(Some("k"), Some("v"), timestamp); count])
}

/// A batch of one record that has exactly so many bytes.
pub fn of_size(bytes: usize, timestamp: i64) -> Bytes {
    let mut value = "x".repeat(bytes - HEADER_BYTES);
    loop {
        let batch = plain(&[record(None, Some(&value), timestamp)]);
        if batch.len() == bytes {
            return batch;
        }
        value.truncate(value.len() + bytes - batch.len());
    }
}

/// The batch with another header; the CRC fits.
pub fn forged(batch: &Bytes, change: impl FnOnce(&mut BatchHeader)) -> Bytes {
    let mut header = BatchHeader::parse(batch).expect("a batch");
    change(&mut header);
    let records = &batch[HEADER_BYTES..];
    let header = header.with_crc_over(records);
    [&header.to_bytes(), records].concat().into()
}

/// The batch with another CRC.
pub fn with_crc(batch: &Bytes, crc: u32) -> Bytes {
    let header = BatchHeader { crc, ..BatchHeader::parse(batch).expect("a batch") };
    [&header.to_bytes(), &batch[HEADER_BYTES..]].concat().into()
}

/// The batch with other bytes in the place of its records.
pub fn with_payload(batch: &Bytes, payload: &[u8]) -> Bytes {
    let mut header = BatchHeader::parse(batch).expect("a batch");
    let length = HEADER_BYTES - highwater_records::LOG_OVERHEAD + payload.len();
    header.batch_length = i32::try_from(length).expect("a batch");
    let header = header.with_crc_over(payload);
    [&header.to_bytes(), payload].concat().into()
}

/// A record that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRecord {
    pub offset: i64,
    pub timestamp: i64,
    pub key: Option<Bytes>,
    pub value: Option<Bytes>,
    pub headers: Vec<(Bytes, Option<Bytes>)>,
}

/// The headers of these batches; a cut one at the end is left out.
pub fn headers(bytes: &[u8]) -> Vec<BatchHeader> {
    views(bytes).map(|view| *view.header()).collect()
}

/// The records of these batches, whose CRCs must hold; a cut one at the end is left out.
pub fn records(bytes: &[u8]) -> Vec<ReadRecord> {
    let mut scratch = Scratch::new();
    let mut read = Vec::new();
    for view in views(bytes) {
        view.verify_crc().expect("the CRC holds");
        for record in view.records(&mut scratch).expect("readable records") {
            let record = record.expect("a readable record");
            let owned = |bytes: &[u8]| Bytes::copy_from_slice(bytes);
            read.push(ReadRecord {
                offset: record.offset,
                timestamp: record.timestamp,
                key: record.key.map(owned),
                value: record.value.map(owned),
                headers: record.headers.map(|h| (owned(h.name), h.value.map(owned))).collect(),
            });
        }
    }
    read
}

fn views(bytes: &[u8]) -> impl Iterator<Item = BatchView<'_>> {
    batches(bytes, Tail::Tolerate).map(|view| view.expect("a batch"))
}
