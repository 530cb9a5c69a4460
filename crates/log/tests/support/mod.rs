//! Batches and logs for the tests of this folder.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use highwater_log::*;
use highwater_records::*;
use highwater_types::*;

pub const NOW: Timestamp = Timestamp(1_764_547_200_000);

/// A log in a folder of its own.
pub struct Bench {
    pub dir: tempfile::TempDir,
    pub files: Arc<FdCache>,
    pub config: LogConfig,
    pub now: Timestamp,
}

impl Bench {
    pub fn new(config: LogConfig) -> Bench {
        let dir = tempfile::tempdir().unwrap();
        Bench { dir, files: FdCache::new(64), config, now: NOW }
    }

    pub fn options(&self) -> OpenOptions {
        OpenOptions::new(self.config.clone(), self.now)
    }

    pub fn open(&self) -> Log {
        self.try_open(self.options()).unwrap()
    }

    /// Opens as after `kill -9`.
    pub fn open_torn(&self, recovery_point: i64) -> Result<Log, LogError> {
        let recovery_point = Offset(recovery_point);
        self.try_open(OpenOptions { clean: false, recovery_point, ..self.options() })
    }

    pub fn try_open(&self, options: OpenOptions) -> Result<Log, LogError> {
        // Another process would have no file open.
        Log::open(Arc::new(OsDisk), FdCache::new(64), self.dir.path(), options)
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn names(&self) -> Vec<String> {
        OsDisk.list(self.path()).unwrap().into_iter().map(|listed| listed.name).collect()
    }
}

/// A batch of records with these timestamps.
pub fn batch_at(options: BatchOptions, times: &[i64], value: &[u8]) -> Bytes {
    let mut builder = BatchBuilder::new(options);
    for timestamp in times {
        builder.append(&NewRecord {
            timestamp: *timestamp,
            value: Some(value),
            ..Default::default()
        });
    }
    builder.build()
}

pub fn pending(bytes: Bytes, origin: AppendOrigin) -> PendingBatch {
    let summary = match origin {
        AppendOrigin::Client => {
            let options = ValidateOptions {
                now: NOW.get(),
                batch_bytes_max: usize::MAX,
                after_max_ms: i64::MAX,
                ..Default::default()
            };
            validate_produced(&bytes, &options, &mut Scratch::default()).unwrap()
        }
        _ => BatchSummary::of_trusted(BatchHeader::parse(&bytes).unwrap()),
    };
    PendingBatch::new(bytes, summary, origin)
}

/// A batch of `count` plain records at `NOW`, the value distinguishes it.
pub fn plain(count: usize, value: &[u8]) -> PendingBatch {
    pending(batch_at(BatchOptions::default(), &vec![NOW.get(); count], value), AppendOrigin::Client)
}

/// A batch of an idempotent producer.
pub fn produced(id: i64, epoch: i16, sequence: i32, count: usize) -> PendingBatch {
    let options = BatchOptions {
        producer_id: id,
        producer_epoch: epoch,
        base_sequence: sequence,
        ..Default::default()
    };
    pending(batch_at(options, &vec![NOW.get(); count], b"v"), AppendOrigin::Client)
}

pub fn append(log: &mut Log, batch: PendingBatch) -> BatchOutcome {
    let mut batches = [batch];
    log.append(&mut batches, LeaderEpoch(0), NOW).unwrap();
    batches[0].outcome.unwrap()
}

/// Base offset of a batch that must have been appended.
pub fn appended(log: &mut Log, batch: PendingBatch) -> i64 {
    match append(log, batch) {
        BatchOutcome::Appended { base_offset, .. } => base_offset.get(),
        other => panic!("not appended: {other:?}"),
    }
}

pub fn bytes_of(slice: &Slice) -> Vec<u8> {
    let mut bytes = Vec::new();
    for range in &slice.ranges {
        bytes.extend(read_range(&range.file, range.position, range.len));
    }
    assert_eq!(bytes.len(), slice.len);
    bytes
}

fn read_range(file: &File, position: u64, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    file.read_exact_at(&mut bytes, position).unwrap();
    bytes
}

/// Reads from `from` to the end, a slice at a time; each batch must be whole and sound.
pub fn read_all(reader: &LogReader, from: i64, bytes_max: usize) -> Vec<(i64, i64, Vec<u8>)> {
    let mut next = from;
    let mut found = Vec::new();
    while next < reader.log_end().get() {
        let slice = reader.read(Offset(next), bytes_max, Offset(i64::MAX), true).unwrap();
        if slice.is_empty() {
            break;
        }
        let bytes = bytes_of(&slice);
        for batch in batches(&bytes, Tail::Strict) {
            let batch = batch.unwrap();
            batch.verify_crc().unwrap();
            assert!(batch.header().last_offset() >= next);
            next = batch.header().next_offset();
            let records = batch.bytes()[HEADER_BYTES..].to_vec();
            found.push((batch.header().base_offset, batch.header().last_offset(), records));
        }
    }
    found
}
