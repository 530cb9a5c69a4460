//! What the tests of this crate share: records as owned values, batches with wrong headers, and
//! a slow reader written apart from the crate's, to compare with.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod model;

use bytes::Bytes;
use highwater_records::{
    BatchBuilder, BatchError, BatchHeader, BatchOptions, BatchView, Compression, HEADER_BYTES,
    Header, LOG_OVERHEAD, NewRecord, RecordView, Scratch,
};

/// A record that owns its bytes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Owned {
    pub offset: i64,
    pub timestamp: i64,
    pub key: Option<Vec<u8>>,
    pub value: Option<Vec<u8>>,
    pub headers: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

impl Owned {
    pub fn of(record: &RecordView<'_>) -> Owned {
        let owned = |bytes: Option<&[u8]>| bytes.map(<[u8]>::to_vec);
        Owned {
            offset: record.offset,
            timestamp: record.timestamp,
            key: owned(record.key),
            value: owned(record.value),
            headers: record.headers.map(|h| (h.name.to_vec(), owned(h.value))).collect(),
        }
    }

    pub fn append_to(&self, builder: &mut BatchBuilder) {
        let headers: Vec<Header<'_>> = self
            .headers
            .iter()
            .map(|(name, value)| Header { name, value: value.as_deref() })
            .collect();
        builder.append(&NewRecord {
            timestamp: self.timestamp,
            key: self.key.as_deref(),
            value: self.value.as_deref(),
            headers: &headers,
        });
    }
}

pub fn record(key: &str, value: &str, timestamp: i64) -> Owned {
    Owned { timestamp, key: Some(key.into()), value: Some(value.into()), ..Owned::default() }
}

pub fn build(options: BatchOptions, records: &[Owned]) -> Bytes {
    let mut builder = BatchBuilder::new(options);
    records.iter().for_each(|r| r.append_to(&mut builder));
    builder.build()
}

pub fn in_codec(compression: Compression, records: &[Owned]) -> Bytes {
    build(BatchOptions { compression, ..BatchOptions::default() }, records)
}

/// The batch with other header fields and a CRC that agrees.
pub fn with_header(batch: &[u8], change: impl FnOnce(&mut BatchHeader)) -> Bytes {
    with_payload(batch, &batch[HEADER_BYTES..], change)
}

/// The batch with another payload, other header fields and a length and CRC that agree.
pub fn with_payload(batch: &[u8], payload: &[u8], change: impl FnOnce(&mut BatchHeader)) -> Bytes {
    let mut header = BatchHeader::parse(batch).unwrap();
    header.batch_length = (HEADER_BYTES - LOG_OVERHEAD + payload.len()) as i32;
    change(&mut header);
    [&header.with_crc_over(payload).to_bytes(), payload].concat().into()
}

pub fn read(batch: &[u8]) -> Result<Vec<Owned>, BatchError> {
    let mut scratch = Scratch::new();
    let view = BatchView::parse(batch)?;
    view.verify_crc()?;
    view.records(&mut scratch)?.map(|r| Ok(Owned::of(&r?))).collect()
}
