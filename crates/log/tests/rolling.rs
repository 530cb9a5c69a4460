//! Each reason to begin a new segment.

mod support;

use std::fs;

use highwater_log::*;
use highwater_records::*;
use highwater_types::*;
use support::*;

fn bases(bench: &Bench) -> Vec<i64> {
    let names = bench.names().into_iter();
    names.filter_map(|name| name.strip_suffix(".log")?.parse().ok()).collect()
}

#[test]
fn a_batch_never_spans_segments() {
    let one = plain(1, &[0; 100]).bytes.len() as u32;
    for (segment_bytes, expected) in [
        (one, vec![0, 1, 2, 3]),
        (2 * one, vec![0, 2]),
        (2 * one + 1, vec![0, 2]),
        (3 * one, vec![0, 3]),
    ] {
        let bench = Bench::new(LogConfig { segment_bytes, ..LogConfig::default() });
        let mut log = bench.open();
        (0..4).for_each(|n| assert_eq!(appended(&mut log, plain(1, &[0; 100])), n));
        assert_eq!(bases(&bench), expected, "{segment_bytes}");
    }
}

#[test]
fn a_full_index_ends_a_segment() {
    // Three entries fit the offset index, two the time index, whose last place is for the close.
    for (index_bytes_max, expected) in [(24, 3), (36, 4), (48, 5)] {
        let bench = Bench::new(LogConfig {
            index_bytes_max,
            index_interval_bytes: 0,
            ..LogConfig::default()
        });
        let mut log = bench.open();
        for n in 0..20 {
            let bytes = batch_at(Default::default(), &[NOW.get() + n], b"v");
            appended(&mut log, pending(bytes, AppendOrigin::Client));
        }
        assert_eq!(bases(&bench)[1], expected - 1, "{index_bytes_max}");
        for base in bases(&bench) {
            let len = |suffix| {
                fs::metadata(bench.path().join(format!("{base:020}.{suffix}"))).unwrap().len()
            };
            assert!(len("index") <= u64::from(index_bytes_max));
            assert!(len("timeindex") <= u64::from(index_bytes_max));
        }
        let found = log.reader().offset_for_time(NOW.plus_ms(13)).unwrap().unwrap();
        assert_eq!(found.offset, Offset(13));
        log.close().unwrap();
        assert_eq!(read_all(&bench.open().reader(), 0, 100).len(), 20);
    }
}

#[test]
fn offsets_that_an_index_cannot_hold_begin_a_segment() {
    let bench = Bench::new(LogConfig { compact: true, ..LogConfig::default() });
    let mut log = bench.open();
    let far = i64::from(i32::MAX);
    for (base_offset, segments) in
        [(0, 1), (far, 1), (far + 1, 2), (2 * far + 1, 2), (2 * far + 2, 3)]
    {
        let options = BatchOptions { base_offset, leader_epoch: 0, ..Default::default() };
        let bytes = batch_at(options, &[NOW.get()], b"v");
        assert_eq!(appended(&mut log, pending(bytes, AppendOrigin::Replication)), base_offset);
        assert_eq!(log.reader().segment_count(), segments, "{base_offset}");
    }
    let bytes = batch_at(BatchOptions { base_offset: 5, ..Default::default() }, &[1], b"v");
    let outcome = append(&mut log, pending(bytes, AppendOrigin::Replication));
    assert!(matches!(outcome, BatchOutcome::OutOfPlace { .. }));
    for life in 0..2 {
        assert_eq!(log.log_end(), Offset(2 * far + 3), "{life}");
        for from in [0, 1, far, far + 2, 2 * far] {
            assert!(!log.reader().read(Offset(from), 1, log.log_end(), true).unwrap().is_empty());
        }
        drop(log);
        log = bench.open_torn(0).unwrap();
    }
}

#[test]
fn record_time_decides_even_after_a_restart() {
    let config = LogConfig { segment_ms: 1000, ..LogConfig::default() };
    let at = |ms| {
        let bytes = batch_at(Default::default(), &[NOW.get() + ms], b"v");
        pending(bytes, AppendOrigin::Client)
    };
    let bench = Bench::new(config);
    let mut log = bench.open();
    appended(&mut log, at(0));
    log.close().unwrap();
    let mut log = bench.open();
    appended(&mut log, at(1000));
    appended(&mut log, at(-5000));
    assert_eq!(bases(&bench), [0]);
    appended(&mut log, at(1001));
    assert_eq!(bases(&bench), [0, 3]);
    // All of one call, in one segment each as if they had come alone.
    let mut many = [at(2001), at(2002), at(3002), at(3003)];
    log.append(&mut many, LeaderEpoch(0), NOW).unwrap();
    assert_eq!(bases(&bench), [0, 3, 5, 7]);
}

#[test]
fn without_record_times_the_clock_decides() {
    let bench = Bench::new(LogConfig { segment_ms: 1000, ..LogConfig::default() });
    let mut log = bench.open();
    for (after_ms, segments) in [(0, 1), (1000, 1), (1001, 2)] {
        let bytes = batch_at(BatchOptions::default(), &[-1], b"v");
        let mut batches = [pending(bytes, AppendOrigin::Client)];
        log.append(&mut batches, LeaderEpoch(0), NOW.plus_ms(after_ms)).unwrap();
        assert_eq!(log.reader().segment_count(), segments, "{after_ms}");
    }
}

#[test]
fn jitter_only_shortens() {
    let config = LogConfig { segment_ms: 1000, segment_jitter_ms: 400, ..LogConfig::default() };
    let bench = Bench::new(config);
    let mut log = bench.open();
    let mut first = 0;
    for ms in 0..50_000 {
        let bytes = batch_at(Default::default(), &[NOW.get() + 10 * ms], b"v");
        let segments = log.reader().segment_count();
        appended(&mut log, pending(bytes, AppendOrigin::Client));
        if log.reader().segment_count() > segments {
            let length = 10 * (ms - first);
            assert!((600..=1010).contains(&length), "{length}");
            first = ms;
        }
        if log.reader().segment_count() > 20 {
            return;
        }
    }
    panic!("it never rolled");
}

#[test]
fn a_preallocated_log_is_cut_when_it_is_closed() {
    let config = LogConfig { preallocate: true, segment_bytes: 4_000, ..LogConfig::default() };
    let bench = Bench::new(config);
    let mut log = bench.open();
    let len = |base: &str| fs::metadata(bench.path().join(format!("{base}.log"))).unwrap().len();
    assert_eq!(len("00000000000000000000"), 4_000);
    (0..60).for_each(|n| assert_eq!(appended(&mut log, plain(1, &[7; 40])), n));
    let size = log.reader().size_bytes();
    assert!(len("00000000000000000000") < 4_000);
    drop(log);
    let log = bench.open_torn(0).unwrap();
    assert_eq!((log.log_end(), log.reader().size_bytes()), (Offset(60), size));
    log.close().unwrap();
    assert_eq!(bench.open().log_end(), Offset(60));
}
