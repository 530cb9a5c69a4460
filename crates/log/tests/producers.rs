//! Idempotent and transactional producers as the log sees them.

mod support;

use highwater_log::*;
use highwater_records::control::EndTxnMarker;
use highwater_records::*;
use highwater_types::*;
use support::*;

fn refused(outcome: BatchOutcome) -> ProducerRefusal {
    match outcome {
        BatchOutcome::Refused(refusal) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

fn duplicate_of(outcome: BatchOutcome) -> i64 {
    match outcome {
        BatchOutcome::Duplicate { base_offset, .. } => base_offset.get(),
        other => panic!("not a duplicate: {other:?}"),
    }
}

fn transactional(id: i64, epoch: i16, sequence: i32) -> PendingBatch {
    let options = BatchOptions {
        producer_id: id,
        producer_epoch: epoch,
        base_sequence: sequence,
        is_transactional: true,
        ..Default::default()
    };
    pending(batch_at(options, &[NOW.get()], b"v"), AppendOrigin::Client)
}

fn end(id: i64, epoch: i16, is_commit: bool, coordinator_epoch: i32) -> PendingBatch {
    let marker = EndTxnMarker { is_commit, coordinator_epoch };
    pending(marker.batch(id, epoch, NOW.get()), AppendOrigin::Coordinator)
}

#[test]
fn sequences_wrap() {
    let bench = Bench::new(LogConfig::default());
    let mut log = bench.open();
    appended(&mut log, produced(1, 0, i32::MAX - 4, 5));
    appended(&mut log, produced(1, 0, 0, 2));
    appended(&mut log, produced(1, 0, 2, 1));
    log.close().unwrap();
    let mut log = bench.open();
    assert_eq!(duplicate_of(append(&mut log, produced(1, 0, i32::MAX - 4, 5))), 0);
    // One batch that holds the wrap.
    appended(&mut log, produced(2, 0, i32::MAX - 1, 4));
    appended(&mut log, produced(2, 0, 2, 1));
    assert_eq!(duplicate_of(append(&mut log, produced(2, 0, i32::MAX - 1, 4))), 8);
}

#[test]
fn a_new_epoch_begins_at_zero_and_fences_the_old() {
    let bench = Bench::new(LogConfig::default());
    let mut log = bench.open();
    appended(&mut log, produced(1, 0, 0, 3));
    let gap = refused(append(&mut log, produced(1, 1, 3, 1)));
    assert!(matches!(gap, ProducerRefusal::OutOfOrder { sequence: 3, .. }));
    appended(&mut log, produced(1, 1, 0, 1));
    let stale = refused(append(&mut log, produced(1, 0, 0, 3)));
    assert!(matches!(stale, ProducerRefusal::StaleEpoch { current: ProducerEpoch(1), .. }));
}

#[test]
fn batches_of_one_call_see_each_other() {
    let bench = Bench::new(LogConfig { segment_bytes: 170, ..LogConfig::default() });
    let mut log = bench.open();
    let mut batches = [
        produced(1, 0, 0, 2),
        produced(1, 0, 2, 2),
        produced(1, 0, 0, 2),
        produced(1, 0, 7, 1),
        produced(1, 0, 4, 2),
        plain(1, b"x"),
        produced(1, 0, 6, 1),
        produced(1, 0, 4, 2),
    ];
    log.append(&mut batches, LeaderEpoch(0), NOW).unwrap();
    let outcomes: Vec<String> = batches
        .iter()
        .map(|batch| match batch.outcome.unwrap() {
            BatchOutcome::Appended { base_offset, .. } => format!("at {base_offset}"),
            BatchOutcome::Duplicate { base_offset, .. } => format!("is {base_offset}"),
            BatchOutcome::Refused(_) => "no".to_owned(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(outcomes, ["at 0", "at 2", "is 0", "no", "at 4", "at 6", "at 7", "is 4"]);
    assert!(log.reader().segment_count() > 2);
}

/// Five batches in flight, killed after some are stored, all resent.
#[test]
fn resent_batches_are_stored_once() {
    for stored in 0..=5 {
        for how in ["killed", "clean", "clean twice"] {
            let bench = Bench::new(LogConfig { segment_bytes: 300, ..LogConfig::default() });
            let mut log = bench.open();
            for n in 0..stored {
                assert_eq!(appended(&mut log, produced(9, 0, 10 * n, 10)), i64::from(10 * n));
            }
            if how == "killed" {
                drop(log);
                log = bench.open_torn(0).unwrap();
            } else {
                for _ in 0..if how == "clean" { 1 } else { 2 } {
                    log.close().unwrap();
                    log = bench.open();
                }
            }
            for n in 0..5 {
                let outcome = append(&mut log, produced(9, 0, 10 * n, 10));
                let base = match outcome {
                    BatchOutcome::Appended { base_offset, .. } if n >= stored => base_offset.get(),
                    BatchOutcome::Duplicate { base_offset, .. } if n < stored => base_offset.get(),
                    other => panic!("{stored} {how} {n}: {other:?}"),
                };
                assert_eq!(base, i64::from(10 * n), "{stored} {how}");
            }
            assert_eq!(log.log_end(), Offset(50));
        }
    }
}

#[test]
fn state_outlives_the_records() {
    for how in ["deleted", "expired"] {
        for restart in ["no", "clean", "killed"] {
            let config = LogConfig { retention_ms: 1000, ..LogConfig::default() };
            let bench = Bench::new(config);
            let mut log = bench.open();
            appended(&mut log, produced(4, 2, 0, 3));
            match how {
                "deleted" => {
                    assert_eq!(log.set_log_start(Offset(3), Offset(3)).unwrap(), Offset(3))
                }
                _ => assert_eq!(
                    log.apply_retention(NOW.plus_ms(2000), Offset(3)).unwrap().segments,
                    1
                ),
            }
            let log_start = log.log_start();
            assert_eq!(log_start, Offset(3));
            let options = OpenOptions { log_start, ..bench.options() };
            match restart {
                "no" => {}
                "clean" => {
                    log.close().unwrap();
                    log = bench.try_open(options).unwrap();
                }
                _ => {
                    drop(log);
                    log = bench.try_open(OpenOptions { clean: false, ..options }).unwrap();
                }
            }
            assert_eq!(duplicate_of(append(&mut log, produced(4, 2, 0, 3))), 0, "{how} {restart}");
            assert_eq!(appended(&mut log, produced(4, 2, 3, 1)), 3, "{how} {restart}");
        }
    }
}

#[test]
fn silent_producers_expire() {
    let bench = Bench::new(LogConfig { producer_id_expiration_ms: 1000, ..LogConfig::default() });
    let mut log = bench.open();
    appended(&mut log, produced(1, 0, 0, 1));
    appended(&mut log, transactional(2, 0, 0));
    let known = |log: &Log| -> Vec<i64> {
        log.reader().producers().iter().map(|producer| producer.id.get()).collect()
    };
    log.expire_producers(NOW.plus_ms(999));
    assert_eq!(known(&log), [1, 2]);
    log.expire_producers(NOW.plus_ms(1000));
    assert_eq!(known(&log), [2], "an open transaction keeps its producer");
    assert_eq!(appended(&mut log, produced(1, 0, 55, 1)), 2, "an unknown one starts anywhere");
    log.close().unwrap();
    let mut options = bench.options();
    options.now = NOW.plus_ms(1000);
    assert_eq!(known(&bench.try_open(options).unwrap()), [2]);
}

#[test]
fn transactions_leave_their_marks() {
    let bench = Bench::new(LogConfig::default());
    let mut log = bench.open();
    assert_eq!(log.first_unstable(), Offset(0));
    appended(&mut log, transactional(1, 0, 0));
    appended(&mut log, plain(1, b"v"));
    assert_eq!(log.first_unstable(), Offset(0));
    let inside = refused(append(&mut log, produced(1, 0, 1, 1)));
    assert!(matches!(inside, ProducerRefusal::InsideTransaction { .. }));
    appended(&mut log, transactional(2, 5, 0));
    appended(&mut log, end(1, 1, true, 3));
    assert_eq!(log.first_unstable(), Offset(2));
    let fenced = refused(append(&mut log, end(1, 1, true, 2)));
    assert!(matches!(fenced, ProducerRefusal::StaleCoordinator { epoch: 2, current: 3, .. }));
    let stale = refused(append(&mut log, transactional(1, 0, 1)));
    assert!(matches!(stale, ProducerRefusal::StaleEpoch { .. }));
    for restart in [false, true] {
        if restart {
            drop(log);
            log = bench.open_torn(0).unwrap();
        }
        assert_eq!(log.first_unstable(), Offset(2));
    }
    appended(&mut log, end(2, 6, false, 0));
    assert_eq!(log.first_unstable(), log.log_end());
    let aborted = std::fs::read(bench.path().join("00000000000000000000.txnindex")).unwrap();
    assert_eq!(aborted.len(), 34);
}

#[test]
fn many_producers_fit_a_snapshot() {
    let bench = Bench::new(LogConfig::default());
    let mut log = bench.open();
    let mut batches: Vec<PendingBatch> = (0..2_000).map(|id| produced(id, 0, 0, 1)).collect();
    log.append(&mut batches, LeaderEpoch(0), NOW).unwrap();
    let known = log.reader().producers();
    log.close().unwrap();
    assert_eq!(bench.open().reader().producers(), known);
    let len = std::fs::metadata(bench.path().join("00000000000000002000.snapshot")).unwrap().len();
    assert_eq!(len, 10 + 46 * 2_000);
}

/// The tail that is read for the windows is bounded: behind much other data only the newest batch
/// of a producer, which the snapshot holds, is recognised after a clean stop.
#[test]
fn windows_reach_back_only_so_far() {
    for (megabytes, known) in [(3, 5), (5, 1)] {
        let bench = Bench::new(LogConfig::default());
        let mut log = bench.open();
        for n in 0..5 {
            appended(&mut log, produced(1, 0, n, 1));
        }
        for _ in 0..megabytes {
            appended(&mut log, plain(1, &vec![0; 1_000_000]));
        }
        log.close().unwrap();
        let log = bench.open();
        let producers = log.reader().producers();
        assert_eq!(producers[0].window.iter().count(), known, "{megabytes} MB");
        assert_eq!(producers[0].last_sequence(), 4);
    }
}
