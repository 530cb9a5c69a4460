//! Data directories written by Kafka 4.4.0: open them, serve them, write the same bytes.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use highwater_log::*;
use highwater_records::*;
use highwater_types::*;
use support::*;

/// When the fixtures' broker was started the second time, about.
const SECOND_START: Timestamp = Timestamp(1_796_072_500_000);

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/datadir")
}

fn copied() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    copy_into(&fixtures(), dir.path());
    dir
}

fn copy_into(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_into(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}

fn files(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let names = OsDisk.list(path).unwrap().into_iter().map(|listed| listed.name);
    names.map(|name| (name.clone(), fs::read(path.join(name)).unwrap())).collect()
}

/// All `.log` files, one after the other.
fn log_bytes(path: &Path) -> Vec<u8> {
    let logs = files(path).into_iter().filter(|(name, _)| name.ends_with(".log"));
    logs.flat_map(|(_, bytes)| bytes).collect()
}

#[test]
fn a_whole_directory_opens_and_serves_what_kafka_wrote() {
    let copy = copied();
    let dir = LogDir::open(Arc::new(OsDisk), copy.path()).unwrap();
    let meta = dir.meta_properties().unwrap().unwrap();
    assert_eq!(meta.cluster_id, "7qgq50leRS6JVjevNmpfJg");
    assert!(dir.take_clean_shutdown().unwrap());
    assert!(!dir.take_clean_shutdown().unwrap());
    let recovery_points = dir.read_checkpoint(Checkpoint::RecoveryPoint).unwrap();
    let log_starts = dir.read_checkpoint(Checkpoint::LogStart).unwrap();
    let folders = dir.partitions().unwrap();
    assert_eq!(folders.len(), 19);
    for folder in folders {
        assert!(dir.topic_of(&folder).unwrap().is_some());
        let recovery_point = recovery_points[&folder.partition];
        let log_start = log_starts.get(&folder.partition).copied().unwrap_or_default();
        for clean in [true, false] {
            let options = OpenOptions {
                recovery_point,
                log_start,
                clean,
                ..OpenOptions::new(LogConfig { compact: true, ..Default::default() }, SECOND_START)
            };
            let log = Log::open(Arc::new(OsDisk), FdCache::new(16), &folder.path, options).unwrap();
            assert_eq!(log.log_end(), recovery_point, "{}", folder.partition);
            let reader = log.reader();
            assert_eq!(reader.log_start(), log_start);
            let slice = reader.read(log_start, usize::MAX, Offset(i64::MAX), true).unwrap();
            let expected = log_bytes(&fixtures().join(folder.partition.to_string()));
            assert!(expected.ends_with(&bytes_of(&slice)), "{}", folder.partition);
            if log_start == Offset(0) {
                assert_eq!(slice.len, expected.len());
            }
            log.close().unwrap();
        }
    }
}

/// What a clean open and close may change: nothing but the epoch that began at the log end.
#[test]
fn open_and_close_change_nothing() {
    let copy = copied();
    for (name, _) in partitions() {
        let path = copy.path().join(&name);
        let options = OpenOptions::new(LogConfig::default(), SECOND_START);
        Log::open(Arc::new(OsDisk), FdCache::new(16), &path, options).unwrap().close().unwrap();
        let (mut after, mut before) = (files(&path), files(&fixtures().join(&name)));
        for files in [&mut after, &mut before] {
            files.remove("leader-epoch-checkpoint");
        }
        // A start removes the snapshot of the one before, as Kafka does.
        before.retain(|file, _| after.contains_key(file) || !file.ends_with(".snapshot"));
        assert_eq!(after, before, "{name}");
    }
}

fn partitions() -> Vec<(String, Vec<Bytes>)> {
    let listed = OsDisk.list(&fixtures()).unwrap();
    let folders = listed.into_iter().filter(|listed| listed.is_dir);
    folders
        .map(|listed| {
            let bytes = log_bytes(&fixtures().join(&listed.name));
            let all = batches(&bytes, Tail::Strict)
                .map(|batch| Bytes::copy_from_slice(batch.unwrap().bytes()))
                .collect();
            (listed.name, all)
        })
        .collect()
}

/// Appends a batch as whoever wrote it did: clients' batches as they came, others as they are.
fn replay(log: &mut Log, bytes: &Bytes) {
    let header = BatchHeader::parse(bytes).unwrap();
    let by_broker = header.timestamp_type() == TimestampType::LogAppendTime;
    let by_coordinator = header.is_control() || header.base_sequence >= 0 && !header.has_producer();
    let origin = match () {
        () if by_broker || header.has_producer() && header.producer_epoch > 0 => {
            AppendOrigin::Replication
        }
        () if by_coordinator => AppendOrigin::Coordinator,
        () => AppendOrigin::Client,
    };
    let mut sent = bytes.to_vec();
    if origin != AppendOrigin::Replication {
        patch::assign(&mut sent, 0, -1);
    }
    let mut batches = [pending(Bytes::from(sent), origin)];
    let epoch = LeaderEpoch(header.partition_leader_epoch);
    log.append(&mut batches, epoch, NOW).unwrap();
    let base = Offset(header.base_offset);
    let outcome = batches[0].outcome;
    assert!(
        matches!(outcome, Some(BatchOutcome::Appended { base_offset, .. }) if base_offset == base),
        "{outcome:?} {header:?}"
    );
}

const EPOCHS: &str = "leader-epoch-checkpoint";

/// The fixtures' broker was stopped and started after the first part of the appends; leader epoch
/// 2 came with the second start.
#[test]
fn the_same_appends_give_the_same_files() {
    for (name, batches) in partitions() {
        if name == "fx-compact-0" {
            // What compaction removed cannot be appended again.
            continue;
        }
        let interval = if name == "fx-index-0" { 200 } else { 4096 };
        let config = LogConfig { index_interval_bytes: interval, ..LogConfig::default() };
        let mut bench = Bench::new(config);
        let mut log = bench.open();
        log.begin_epoch(LeaderEpoch(0)).unwrap();
        let (first, second): (Vec<_>, Vec<_>) = batches
            .iter()
            .partition(|bytes| BatchHeader::parse(bytes).unwrap().partition_leader_epoch == 0);
        first.into_iter().for_each(|bytes| replay(&mut log, bytes));
        log.close().unwrap();
        bench.now = SECOND_START;
        let mut log = bench.open();
        log.begin_epoch(LeaderEpoch(2)).unwrap();
        let is_idle = second.is_empty();
        second.into_iter().for_each(|bytes| replay(&mut log, bytes));
        if name == "fx-del-0" {
            log.set_log_start(Offset(4), Offset(10)).unwrap();
        }
        log.close().unwrap();
        let ours = files(bench.path());
        let mut kafkas = files(&fixtures().join(&name));
        kafkas.remove("partition.metadata");
        if is_idle && ours.get(EPOCHS) != kafkas.get(EPOCHS) {
            // Kafka notes an epoch that nothing was written in, and its next start drops it again.
            kafkas.insert(EPOCHS.to_owned(), b"0\n1\n0 0\n".to_vec());
        }
        for (file, bytes) in &kafkas {
            assert_eq!(ours.get(file), Some(bytes), "{name}/{file}");
        }
        assert_eq!(ours.len(), kafkas.len(), "{name}: {:?}", ours.keys());
    }
}

#[test]
fn indexes_are_rebuilt_as_kafka_wrote_them() {
    let copy = copied();
    let path = copy.path().join("fx-index-0");
    let options = OpenOptions {
        clean: false,
        ..OpenOptions::new(LogConfig { index_interval_bytes: 200, ..Default::default() }, NOW)
    };
    let log = Log::open(Arc::new(OsDisk), FdCache::new(16), &path, options).unwrap();
    log.close().unwrap();
    for file in ["00000000000000000000.index", "00000000000000000000.timeindex"] {
        assert_eq!(files(&path)[file], files(&fixtures().join("fx-index-0"))[file]);
    }
}
