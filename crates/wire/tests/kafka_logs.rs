//! The coordinators' logs of a Kafka 4.4.0: every key and value reads and writes alike.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bytes::Bytes;
use highwater_wire::arbitrary::{Entry, Kind, every_message};

/// Takes integers off the front of a slice.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, len: usize) -> &'a [u8] {
        let (head, tail) = self.0.split_at(len);
        self.0 = tail;
        head
    }

    fn i32(&mut self) -> i32 {
        i32::from_be_bytes(self.take(4).try_into().unwrap())
    }

    fn varint(&mut self) -> i64 {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let byte = self.take(1)[0];
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return (value >> 1) as i64 ^ -((value & 1) as i64);
            }
        }
    }

    fn nullable(&mut self) -> Option<Bytes> {
        let length = usize::try_from(self.varint()).ok()?;
        Some(Bytes::copy_from_slice(self.take(length)))
    }
}

/// Keys and values of the data batches; the fixtures are not compressed.
fn records(log: &[u8]) -> Vec<(Bytes, Option<Bytes>)> {
    let mut found = Vec::new();
    let mut log = Cursor(log);
    while !log.0.is_empty() {
        log.take(8);
        let length = log.i32() as usize;
        let mut batch = Cursor(log.take(length));
        batch.take(9);
        let attributes = i16::from_be_bytes(batch.take(2).try_into().unwrap());
        batch.take(34);
        let count = batch.i32();
        let control = attributes & 0x20 != 0;
        for _ in 0..count {
            let length = batch.varint() as usize;
            let mut record = Cursor(batch.take(length));
            record.take(1);
            record.varint();
            record.varint();
            let (key, value) = (record.nullable(), record.nullable());
            if !control {
                found.push((key.expect("a key"), value));
            }
        }
    }
    found
}

/// Reads and writes again `int16` and a body of this version.
fn check(entry: &Entry, version: i16, bytes: &Bytes) {
    let body = bytes.slice(2..);
    let again =
        (entry.recode)(body.clone(), version).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
    assert_eq!((again.bytes, again.left_over), (Ok(body), 0), "{} v{version}", entry.name);
}

/// `owns`: the messages that belong to this log, since each log numbers its records anew.
fn check_log(folder: &str, owns: fn(&str) -> bool) -> BTreeMap<&'static str, usize> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/datadir")
        .join(folder)
        .join("00000000000000000000.log");
    let mut seen = BTreeMap::new();
    for (key, value) in records(&std::fs::read(path).unwrap()) {
        let record_type = i16::from_be_bytes([key[0], key[1]]);
        let find = |kind| {
            every_message()
                .iter()
                .find(|e| e.kind == kind && e.key == Some(record_type) && owns(e.name))
                .unwrap_or_else(|| panic!("{folder}: no {kind:?} of type {record_type}"))
        };
        check(find(Kind::Key), 0, &key);
        if let Some(value) = value {
            check(find(Kind::Value), i16::from_be_bytes([value[0], value[1]]), &value);
        }
        *seen.entry(find(Kind::Key).name).or_default() += 1;
    }
    seen
}

#[test]
fn group_log() {
    let owns = |name: &str| {
        !name.starts_with("ShareSnapshot")
            && !name.starts_with("ShareUpdate")
            && !name.starts_with("Transaction")
    };
    let seen = check_log("__consumer_offsets-0", owns);
    for name in ["OffsetCommitKey", "GroupMetadataKey", "ConsumerGroupMemberMetadataKey"] {
        assert!(seen.contains_key(name), "{seen:?}");
    }
}

#[test]
fn transaction_log() {
    let seen = check_log("__transaction_state-0", |name| name.starts_with("Transaction"));
    assert!(seen["TransactionLogKey"] > 5, "{seen:?}");
}

#[test]
fn share_log() {
    let seen = check_log("__share_group_state-0", |name| {
        name.starts_with("ShareSnapshot") || name.starts_with("ShareUpdate")
    });
    assert_eq!(seen.len(), 2, "{seen:?}");
}
