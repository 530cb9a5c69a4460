//! Disks that fill up, fail, or lose what was not flushed.

#[path = "support/faulty_disk.rs"]
mod faulty_disk;
mod support;

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use faulty_disk::FaultyDisk;
use highwater_log::*;
use highwater_types::*;
use support::*;

fn small() -> LogConfig {
    LogConfig {
        segment_bytes: 1000,
        index_interval_bytes: 150,
        index_bytes_max: 480,
        ..LogConfig::default()
    }
}

fn open(disk: &Arc<FaultyDisk>, bench: &Bench, options: OpenOptions) -> Result<Log, LogError> {
    let disk: Arc<dyn Disk> = Arc::clone(disk) as _;
    Log::open(disk, FdCache::new(64), bench.path(), options)
}

/// However far a write gets before the disk is full: what is answered is true.
#[test]
fn a_full_disk_takes_nothing_away() {
    for room in (0..2_500).step_by(11) {
        let bench = Bench::new(small());
        let disk = Arc::new(FaultyDisk::sound());
        let mut log = open(&disk, &bench, bench.options()).unwrap();
        appended(&mut log, produced(1, 0, 0, 1));
        disk.room.store(room, SeqCst);
        let mut batches: Vec<PendingBatch> = (1..24).map(|n| produced(1, 0, n, 1)).collect();
        let result = log.append(&mut batches, LeaderEpoch(0), NOW);
        let stored = 1 + batches.iter().filter(|batch| batch.outcome.is_some()).count() as i64;
        assert_eq!(result.is_ok(), stored == 24, "{room}");
        assert_eq!(log.log_end(), Offset(stored), "{room}");
        assert_eq!(read_all(&log.reader(), 0, 500).len() as i64, stored, "{room}");
        disk.room.store(-1, SeqCst);
        // Room again: what was not stored may be sent once more.
        let mut rest: Vec<PendingBatch> =
            batches.into_iter().filter(|batch| batch.outcome.is_none()).collect();
        log.append(&mut rest, LeaderEpoch(0), NOW).unwrap();
        assert_eq!(log.log_end(), Offset(24), "{room}");
        match room % 2 {
            0 => assert_eq!(log.close().unwrap().log_end, Offset(24)),
            _ => drop(log),
        }
        let log = open(&disk, &bench, OpenOptions { clean: false, ..bench.options() }).unwrap();
        assert_eq!(log.log_end(), Offset(24), "{room}");
        assert_eq!(read_all(&log.reader(), 0, 500).len(), 24, "{room}");
    }
}

#[test]
fn a_write_that_cannot_be_taken_back_ends_the_log() {
    let bench = Bench::new(small());
    let disk = Arc::new(FaultyDisk::sound());
    let mut log = open(&disk, &bench, bench.options()).unwrap();
    appended(&mut log, plain(1, b"v"));
    disk.room.store(30, SeqCst);
    disk.fail_set_len.store(true, SeqCst);
    let mut batches = [plain(1, b"w")];
    assert_eq!(log.append(&mut batches, LeaderEpoch(0), NOW).unwrap_err().code(), "HW0005");
    disk.room.store(-1, SeqCst);
    disk.fail_set_len.store(false, SeqCst);
    assert_eq!(log.append(&mut batches, LeaderEpoch(0), NOW).unwrap_err().code(), "HW0007");
    assert_eq!(log.flush().unwrap_err().code(), "HW0007");
    assert_eq!(read_all(&log.reader(), 0, 500).len(), 1, "what is there is still served");
    drop(log);
    let options = OpenOptions { clean: false, ..bench.options() };
    assert_eq!(open(&disk, &bench, options).unwrap().log_end(), Offset(1));
}

#[test]
fn a_failed_flush_ends_the_log() {
    let bench = Bench::new(small());
    let disk = Arc::new(FaultyDisk::sound());
    let mut log = open(&disk, &bench, bench.options()).unwrap();
    appended(&mut log, plain(1, b"v"));
    disk.fail_sync.store(true, SeqCst);
    assert_eq!(log.flush().unwrap_err().code(), "HW0005");
    disk.fail_sync.store(false, SeqCst);
    assert_eq!(log.flush().unwrap_err().code(), "HW0007", "the pages may be gone: no second try");
    assert_eq!(log.recovery_point(), Offset(0));
}

/// HW-05: what was flushed survives a power loss, whatever else does.
#[test]
fn what_was_flushed_survives_a_power_loss() {
    for seed in 0..40 {
        let mut entropy = SplitMix::new(seed);
        let bench = Bench::new(small());
        let disk = Arc::new(FaultyDisk::sound());
        let mut log = open(&disk, &bench, bench.options()).unwrap();
        let mut acknowledged = 0;
        let mut sequence = 0;
        for life in 0..4 {
            for _ in 0..entropy.next_u64() % 40 {
                let outcome = append(&mut log, produced(1, 0, sequence, 1));
                assert!(matches!(outcome, BatchOutcome::Appended { .. }), "{seed} {life}");
                sequence += 1;
                if entropy.next_u64().is_multiple_of(7) {
                    log.flush().unwrap();
                    acknowledged = log.log_end().get();
                }
            }
            let recovery_point = log.recovery_point();
            assert_eq!(recovery_point.get(), acknowledged);
            drop(log);
            disk.lose_power(bench.path(), &mut entropy);
            // The checkpoint may be older than the flush.
            let recovery_point = match entropy.next_u64() % 3 {
                0 => Offset(0),
                _ => recovery_point,
            };
            let options = OpenOptions { clean: false, recovery_point, ..bench.options() };
            log = open(&disk, &bench, options).unwrap_or_else(|error| panic!("{seed}: {error}"));
            let end = log.log_end().get();
            assert!(end >= acknowledged, "{seed} {life}: {end} < {acknowledged}");
            let all = read_all(&log.reader(), 0, 400);
            assert_eq!(all.len() as i64, end, "{seed} {life}");
            if end > 0 {
                let last = append(&mut log, produced(1, 0, end as i32 - 1, 1));
                assert!(matches!(last, BatchOutcome::Duplicate { .. }), "{seed} {life} {last:?}");
            }
            sequence = end as i32;
            log.flush().unwrap();
            acknowledged = end;
        }
    }
}
