//! Append, read, roll, reopen.

mod support;

use highwater_log::*;
use highwater_types::*;
use support::*;

#[test]
fn an_empty_log_has_kafkas_files() {
    let bench = Bench::new(LogConfig::default());
    let mut log = bench.open();
    log.begin_epoch(LeaderEpoch(0)).unwrap();
    assert_eq!((log.log_start(), log.log_end()), (Offset(0), Offset(0)));
    let listed = OsDisk.list(bench.path()).unwrap();
    let size = |name: &str| OsDisk.file_len(&bench.path().join(name)).unwrap();
    let sizes: Vec<_> = listed.iter().map(|l| (l.name.as_str(), size(&l.name))).collect();
    assert_eq!(
        sizes,
        [
            ("00000000000000000000.index", 10_485_760),
            ("00000000000000000000.log", 0),
            ("00000000000000000000.timeindex", 10_485_756),
            ("leader-epoch-checkpoint", 8),
        ]
    );
    let reader = log.reader();
    assert!(reader.read(Offset(0), 1000, Offset(9), true).unwrap().is_empty());
    assert!(matches!(
        reader.read(Offset(1), 1000, Offset(9), true),
        Err(ReadError::OutOfRange { .. })
    ));
    log.close().unwrap();
    assert_eq!(size("00000000000000000000.index"), 0);
}

#[test]
fn what_is_appended_is_read() {
    let bench = Bench::new(LogConfig { index_interval_bytes: 200, ..LogConfig::default() });
    let mut log = bench.open();
    for n in 0..100u8 {
        assert_eq!(appended(&mut log, plain(3, &[n; 20])), 3 * i64::from(n));
    }
    for bytes_max in [1, 500, 5000, 1_000_000] {
        for from in [0, 1, 150, 298, 299] {
            let found = read_all(&log.reader(), from, bytes_max);
            assert_eq!(found.len() as i64, 100 - from / 3, "{bytes_max} {from}");
            assert_eq!(found[0].0, from / 3 * 3);
        }
    }
    log.close().unwrap();
    let mut log = bench.open();
    assert_eq!(log.log_end(), Offset(300));
    assert_eq!(read_all(&log.reader(), 0, 700).len(), 100);
    assert_eq!(appended(&mut log, plain(1, b"x")), 300);
}

#[test]
fn a_limit_is_never_passed() {
    let bench = Bench::new(LogConfig { index_interval_bytes: 200, ..LogConfig::default() });
    let mut log = bench.open();
    (0..100u8).for_each(|n| assert_eq!(appended(&mut log, plain(2, &[n])), 2 * i64::from(n)));
    let reader = log.reader();
    for limit in 0..=200 {
        for from in [0, 1, 7, 100, 180, 199] {
            let slice = reader.read(Offset(from), 1_000_000, Offset(limit), true).unwrap();
            let bytes = bytes_of(&slice);
            let ends: Vec<i64> =
                highwater_records::batches(&bytes, highwater_records::Tail::Strict)
                    .map(|batch| batch.unwrap().header().next_offset())
                    .collect();
            let expected = (from / 2..100).map(|n| 2 * n + 2).filter(|end| *end <= limit);
            assert_eq!(ends, expected.collect::<Vec<_>>(), "{from} {limit}");
        }
    }
}

#[test]
fn segments_roll_by_size_and_reads_cross_them() {
    let bench = Bench::new(LogConfig { segment_bytes: 1000, ..LogConfig::default() });
    let mut log = bench.open();
    (0..50u8).for_each(|n| assert!(appended(&mut log, plain(1, &[n; 100])) >= 0));
    assert!(log.reader().segment_count() > 5);
    assert_eq!(read_all(&log.reader(), 0, 100_000).len(), 50);
    assert_eq!(read_all(&log.reader(), 17, 350).len(), 33);
    // Many at once roll as well.
    let mut many: Vec<_> = (0..50u8).map(|n| plain(1, &[n; 100])).collect();
    log.append(&mut many, LeaderEpoch(0), NOW).unwrap();
    assert_eq!(log.log_end(), Offset(100));
    assert_eq!(read_all(&log.reader(), 0, 100_000).len(), 100);
    let size = log.reader().size_bytes();
    log.close().unwrap();
    let log = bench.open();
    assert_eq!(log.log_end(), Offset(100));
    assert_eq!(log.reader().size_bytes(), size);
    assert_eq!(read_all(&log.reader(), 0, 100_000).len(), 100);
    assert!(matches!(
        {
            let mut log = log;
            append(&mut log, plain(1, &[0; 1000]))
        },
        BatchOutcome::TooLarge { .. }
    ));
}

#[test]
fn segments_roll_by_record_time() {
    let config = LogConfig { segment_ms: 10_000, ..LogConfig::default() };
    for (later, segments) in [(0, 1), (10_000, 1), (10_001, 2)] {
        let bench = Bench::new(config.clone());
        let mut log = bench.open();
        let at = |ms| {
            let times = [NOW.get() + ms];
            pending(batch_at(Default::default(), &times, b"v"), AppendOrigin::Client)
        };
        appended(&mut log, at(0));
        appended(&mut log, at(later));
        assert_eq!(log.reader().segment_count(), segments, "{later}");
    }
}

#[test]
fn resent_batches_are_duplicates_also_after_a_restart() {
    let bench = Bench::new(LogConfig::default());
    let mut log = bench.open();
    for n in 0..7 {
        assert_eq!(appended(&mut log, produced(5, 0, 10 * n, 10)), i64::from(10 * n));
    }
    for restart in ["no", "clean", "torn"] {
        log = match restart {
            "no" => log,
            "clean" => {
                log.close().unwrap();
                bench.open()
            }
            _ => {
                drop(log);
                bench.open_torn(0).unwrap()
            }
        };
        assert_eq!(log.log_end(), Offset(70), "{restart}");
        for n in 2..7 {
            let outcome = append(&mut log, produced(5, 0, 10 * n, 10));
            let base = Offset(i64::from(10 * n));
            assert!(
                matches!(outcome, BatchOutcome::Duplicate { base_offset, .. } if base_offset == base),
                "{restart} {n} {outcome:?}"
            );
        }
        let old = append(&mut log, produced(5, 0, 10, 10));
        assert!(
            matches!(old, BatchOutcome::Refused(ProducerRefusal::OutOfOrder { .. })),
            "{restart} {old:?}"
        );
    }
    let gap = append(&mut log, produced(5, 0, 71, 1));
    assert!(matches!(gap, BatchOutcome::Refused(ProducerRefusal::OutOfOrder { .. })));
    assert_eq!(appended(&mut log, produced(5, 1, 0, 1)), 70);
    let stale = append(&mut log, produced(5, 0, 70, 1));
    assert!(matches!(stale, BatchOutcome::Refused(ProducerRefusal::StaleEpoch { .. })));
    let unknown = appended(&mut log, produced(6, 3, 1234, 1));
    assert_eq!(unknown, 71);
}
