//! Compaction: what goes, what stays, and that no crash and no reader is hurt by it.

#[path = "support/faulty_disk.rs"]
mod faulty_disk;
mod support;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use faulty_disk::FaultyDisk;
use highwater_log::*;
use highwater_records::control::EndTxnMarker;
use highwater_records::*;
use highwater_types::*;
use proptest::prelude::*;
use support::*;

const EFFORT: Effort = Effort { key_bytes_max: 1 << 20, key_load: 0.9 };
const DAY_MS: i64 = 24 * 3600 * 1000;

/// Offset, key and value of a record.
type Found = (i64, String, Option<String>);

fn compacting(segment_bytes: u32) -> Bench {
    Bench::new(LogConfig {
        segment_bytes,
        index_interval_bytes: 200,
        compact: true,
        delete_old: false,
        file_delete_delay_ms: 0,
        ..LogConfig::default()
    })
}

fn keyed(options: BatchOptions, records: &[(&str, Option<&str>)]) -> PendingBatch {
    let mut builder = BatchBuilder::new(options);
    for (key, value) in records {
        builder.append(&NewRecord {
            timestamp: NOW.get(),
            key: Some(key.as_bytes()),
            value: value.map(str::as_bytes),
            ..Default::default()
        });
    }
    pending(builder.build(), AppendOrigin::Client)
}

fn put(log: &mut Log, key: &str, value: Option<&str>) -> i64 {
    appended(log, keyed(BatchOptions::default(), &[(key, value)]))
}

/// Compacts all closed segments, and gives where the log is clean then.
fn compact_from(log: &mut Log, clean_to: i64, effort: &Effort, now: Timestamp) -> i64 {
    let end = log.log_end();
    let Some(job) = log.begin_compaction(Offset(clean_to), end, now).unwrap() else {
        return clean_to;
    };
    let compacted = job.run(effort, |_| ControlFlow::Continue(())).unwrap();
    let clean_to = compacted.clean_to.get();
    log.finish_compaction(compacted, now).unwrap();
    clean_to
}

fn compact(log: &mut Log) -> i64 {
    compact_from(log, 0, &EFFORT, NOW)
}

fn found(log: &Log) -> Vec<Found> {
    let reader = log.reader();
    let slice = |from| reader.read(Offset(from), 1 << 20, Offset(i64::MAX), true).unwrap();
    let mut all = Vec::new();
    let mut next = reader.log_start().get();
    while next < reader.log_end().get() {
        let bytes = bytes_of(&slice(next));
        if bytes.is_empty() {
            break;
        }
        for batch in batches(&bytes, Tail::Strict) {
            let batch = batch.unwrap();
            batch.verify_crc().unwrap();
            assert!(batch.header().last_offset() >= next);
            next = batch.header().next_offset();
            if !batch.header().is_control() {
                all.extend(records_of(&batch));
            }
        }
    }
    all
}

fn records_of(batch: &BatchView<'_>) -> Vec<Found> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut scratch = Scratch::new();
    let records = batch.records(&mut scratch).unwrap();
    records
        .map(|record| {
            let record = record.unwrap();
            (record.offset, text(record.key.unwrap_or_default()), record.value.map(text))
        })
        .collect()
}

fn headers(log: &Log) -> Vec<BatchHeader> {
    let reader = log.reader();
    let start = reader.log_start();
    let bytes = bytes_of(&reader.read(start, 1 << 20, Offset(i64::MAX), true).unwrap());
    batches(&bytes, Tail::Strict).map(|batch| *batch.unwrap().header()).collect()
}

fn owned(found: &[(i64, &str, Option<&str>)]) -> Vec<Found> {
    found.iter().map(|(at, key, value)| (*at, (*key).into(), value.map(Into::into))).collect()
}

#[test]
fn the_newest_record_of_each_key_stays_at_its_offset() {
    let bench = compacting(1 << 20);
    let mut log = bench.open();
    let batch = [("a", Some("1")), ("b", Some("1")), ("a", Some("2"))];
    appended(&mut log, keyed(BatchOptions::default(), &batch));
    put(&mut log, "b", Some("2"));
    log.roll(NOW).unwrap();
    put(&mut log, "a", Some("not seen: the active segment"));
    assert_eq!(compact(&mut log), 4);
    let expected = owned(&[
        (2, "a", Some("2")),
        (3, "b", Some("2")),
        (4, "a", Some("not seen: the active segment")),
    ]);
    assert_eq!(found(&log), expected);
    let first = headers(&log)[0];
    assert_eq!((first.base_offset, first.last_offset(), first.record_count), (0, 2, 1));

    drop(log);
    assert_eq!(found(&bench.open_torn(5).unwrap()), expected);
    let rest = bench.names().into_iter().filter(|name| {
        [".cleaned", ".swap", ".deleted"].iter().any(|suffix| name.ends_with(suffix))
    });
    assert_eq!(rest.count(), 0);
}

#[test]
fn what_is_clean_is_not_cleaned_again() {
    let bench = compacting(1 << 20);
    let mut log = bench.open();
    put(&mut log, "a", Some("1"));
    assert!(log.begin_compaction(Offset(0), Offset(1), NOW).unwrap().is_none(), "active");
    log.roll(NOW).unwrap();
    let cleanable = log.cleanable(Offset(0), Offset(1), NOW).unwrap().unwrap();
    assert_eq!((cleanable.dirty_ratio(), cleanable.clean_bytes), (1.0, 0));
    assert_eq!(compact(&mut log), 1);
    assert!(log.begin_compaction(Offset(1), Offset(1), NOW).unwrap().is_none());
    put(&mut log, "a", Some("2"));
    log.roll(NOW).unwrap();
    let cleanable = log.cleanable(Offset(1), Offset(2), NOW).unwrap().unwrap();
    assert_eq!(cleanable.dirty_ratio(), 0.5);
    assert!(log.begin_compaction(Offset(1), Offset(1), NOW).unwrap().is_none(), "not committed");
}

#[test]
fn lags_hold_it_back_and_call_for_it() {
    let mut bench = compacting(1 << 20);
    bench.config.min_compaction_lag_ms = 1000;
    bench.config.max_compaction_lag_ms = 5000;
    let mut log = bench.open();
    put(&mut log, "a", Some("1"));
    log.roll(NOW).unwrap();
    let overdue_after = |ms| {
        let ready = log.cleanable(Offset(0), Offset(1), NOW.plus_ms(ms)).unwrap();
        ready.map(|cleanable| cleanable.is_overdue)
    };
    assert_eq!(overdue_after(999), None);
    assert_eq!(overdue_after(1000), Some(false));
    assert_eq!(overdue_after(5000), Some(false));
    assert_eq!(overdue_after(5001), Some(true));
}

#[test]
fn a_tombstone_stays_for_its_time() {
    let bench = compacting(1 << 20);
    let mut log = bench.open();
    put(&mut log, "a", Some("1"));
    put(&mut log, "a", None);
    put(&mut log, "b", Some("1"));
    log.roll(NOW).unwrap();
    compact(&mut log);
    let with = owned(&[(1, "a", None), (2, "b", Some("1"))]);
    assert_eq!(found(&log), with);
    assert_eq!(headers(&log)[0].delete_horizon(), Some(NOW.get() + DAY_MS));
    for (later_ms, expected) in [(DAY_MS - 1, &with[..]), (DAY_MS, &with[1..])] {
        put(&mut log, "c", Some("1"));
        log.roll(NOW).unwrap();
        let clean_to = log.log_end().get() - 1;
        compact_from(&mut log, clean_to, &EFFORT, NOW.plus_ms(later_ms));
        let kept = found(&log).into_iter().filter(|(_, key, _)| key != "c");
        assert_eq!(kept.collect::<Vec<_>>(), expected);
    }
}

#[test]
fn the_newest_batch_of_a_producer_stays_without_its_records() {
    let bench = compacting(1 << 20);
    let mut log = bench.open();
    let by = |producer_id, base_sequence| BatchOptions {
        producer_id,
        producer_epoch: 0,
        base_sequence,
        ..Default::default()
    };
    appended(&mut log, keyed(by(7, 0), &[("a", Some("1"))]));
    appended(&mut log, keyed(by(7, 1), &[("a", Some("2")), ("a", Some("3"))]));
    appended(&mut log, keyed(by(8, 0), &[("a", Some("4"))]));
    log.roll(NOW).unwrap();
    compact(&mut log);
    let left: Vec<_> = headers(&log)
        .iter()
        .map(|header| (header.base_offset, header.last_sequence(), header.record_count))
        .collect();
    assert_eq!(left, [(1, 2, 0), (3, 0, 1)]);
    drop(log);
    for name in bench.names().iter().filter(|name| name.ends_with(".snapshot")) {
        std::fs::remove_file(bench.path().join(name)).unwrap();
    }
    let mut log = bench.open();
    let next = keyed(by(7, 3), &[("a", Some("5"))]);
    assert_eq!(appended(&mut log, next), 4, "its sequence is still known");
}

fn marker(is_commit: bool, producer: i64) -> PendingBatch {
    let marker = EndTxnMarker { is_commit, coordinator_epoch: 0 };
    pending(marker.batch(producer, 0, NOW.get()), AppendOrigin::Coordinator)
}

#[test]
fn aborted_records_go_and_a_marker_goes_after_them() {
    let bench = compacting(1 << 20);
    let mut log = bench.open();
    let within = |producer_id, base_sequence| BatchOptions {
        producer_id,
        producer_epoch: 0,
        base_sequence,
        is_transactional: true,
        ..Default::default()
    };
    put(&mut log, "a", Some("before"));
    appended(&mut log, keyed(within(1, 0), &[("a", Some("aborted"))]));
    appended(&mut log, keyed(within(2, 0), &[("b", Some("committed"))]));
    appended(&mut log, marker(false, 1));
    appended(&mut log, marker(true, 2));
    // Later batches, so that the emptied ones are not their producers' newest.
    appended(&mut log, keyed(within(1, 1), &[("c", Some("1"))]));
    appended(&mut log, marker(true, 1));
    put(&mut log, "b", Some("newer"));
    log.roll(NOW).unwrap();
    compact(&mut log);
    let expected = owned(&[(0, "a", Some("before")), (5, "c", Some("1")), (7, "b", Some("newer"))]);
    assert_eq!(found(&log), expected);
    let markers = |log: &Log| {
        let control = headers(log).into_iter().filter(BatchHeader::is_control);
        control.map(|header| header.base_offset).collect::<Vec<_>>()
    };
    assert_eq!(markers(&log), [3, 4, 6], "their records were there until now");
    for (later_ms, expected) in
        [(0, vec![3, 4, 6]), (DAY_MS - 1, vec![3, 4, 6]), (DAY_MS, vec![4, 6])]
    {
        put(&mut log, "d", Some("1"));
        log.roll(NOW).unwrap();
        let clean_to = log.log_end().get() - 1;
        compact_from(&mut log, clean_to, &EFFORT, NOW.plus_ms(later_ms));
        // Of the other the emptied batch stays, as its producer's newest.
        assert_eq!(markers(&log), expected, "after {later_ms} ms");
    }
}

#[test]
fn an_open_transaction_is_left_alone() {
    let bench = compacting(1 << 20);
    let mut log = bench.open();
    put(&mut log, "a", Some("1"));
    log.roll(NOW).unwrap();
    let open = BatchOptions {
        producer_id: 1,
        producer_epoch: 0,
        base_sequence: 0,
        is_transactional: true,
        ..Default::default()
    };
    appended(&mut log, keyed(open, &[("a", Some("undecided"))]));
    log.roll(NOW).unwrap();
    assert_eq!(compact(&mut log), 1);
    assert_eq!(found(&log).len(), 2);
}

#[test]
fn few_keys_at_a_time_need_several_rounds() {
    let bench = compacting(1 << 20);
    let mut log = bench.open();
    for round in 0..3 {
        for key in 0..50 {
            put(&mut log, &format!("k{key}"), Some(&round.to_string()));
        }
    }
    log.roll(NOW).unwrap();
    let effort = Effort { key_bytes_max: 24 * 20, key_load: 0.9 };
    let mut clean_to = 0;
    let mut rounds = 0;
    while clean_to < 150 {
        let next = compact_from(&mut log, clean_to, &effort, NOW);
        assert!(next > clean_to);
        clean_to = next;
        rounds += 1;
    }
    assert!(rounds > 5, "{rounds}");
    let left = found(&log);
    assert_eq!(left.len(), 50);
    assert!(left.iter().all(|(_, _, value)| value.as_deref() == Some("2")));

    let wide: Vec<_> = (0..40).map(|key| format!("w{key}")).collect();
    let wide: Vec<_> = wide.iter().map(|key| (key.as_str(), Some("1"))).collect();
    appended(&mut log, keyed(BatchOptions::default(), &wide));
    log.roll(NOW).unwrap();
    let end = log.log_end();
    let job = log.begin_compaction(Offset(150), end, NOW).unwrap().unwrap();
    let refused = job.run(&effort, |_| ControlFlow::Continue(()));
    assert!(matches!(refused, Err(CompactionError::NoRoom)), "{refused:?}");
}

#[test]
fn small_segments_become_one() {
    let bench = compacting(300);
    let mut log = bench.open();
    for round in 0..40 {
        put(&mut log, &format!("k{}", round % 4), Some("some value that has a length"));
    }
    let before = log.reader().segment_count();
    assert!(before > 10);
    let clean_to = compact(&mut log);
    // Grouped by their sizes of before, so a second round finds more to join.
    put(&mut log, "k0", Some("last"));
    log.roll(NOW).unwrap();
    compact_from(&mut log, clean_to, &EFFORT, NOW);
    assert!(log.reader().segment_count() <= 4, "{} of {before}", log.reader().segment_count());
    assert_eq!(found(&log).iter().filter(|(offset, ..)| *offset < 36).count(), 0);
}

#[test]
fn a_broken_off_compaction_leaves_nothing() {
    let bench = compacting(300);
    let mut log = bench.open();
    for _ in 0..40 {
        put(&mut log, "k", Some("some value that has a length"));
    }
    let (before, names) = (found(&log), bench.names());
    for steps in 0..200 {
        let end = log.log_end();
        let job = log.begin_compaction(Offset(0), end, NOW).unwrap().unwrap();
        let mut left = steps;
        let result = job.run(&EFFORT, |_| {
            left -= 1;
            if left < 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match result {
            Err(CompactionError::Stopped) => assert_eq!(bench.names(), names),
            Ok(_) => return,
            Err(error) => panic!("{error}"),
        }
        assert_eq!(found(&log), before);
    }
    panic!("it never ends");
}

#[test]
fn segments_that_went_meanwhile_stay_gone() {
    let bench = compacting(300);
    let mut log = bench.open();
    for _ in 0..40 {
        put(&mut log, "k", Some("some value that has a length"));
    }
    let end = log.log_end();
    let job = log.begin_compaction(Offset(0), end, NOW).unwrap().unwrap();
    let compacted = job.run(&EFFORT, |_| ControlFlow::Continue(())).unwrap();
    log.set_log_start(Offset(20), end).unwrap();
    log.apply_retention(NOW, end).unwrap();
    log.finish_compaction(compacted, NOW).unwrap();
    assert!(log.log_start() >= Offset(20) && found(&log).iter().all(|(at, ..)| *at >= 20));
    assert!(!bench.names().iter().any(|name| name.ends_with(".cleaned")), "{:?}", bench.names());
}

/// Every call that changes a name may be the last one that is made.
#[test]
fn a_crash_at_any_step_of_the_swap_loses_nothing() {
    for calls in 0.. {
        let bench = compacting(300);
        let disk = Arc::new(FaultyDisk::sound());
        let mut log =
            Log::open(disk.clone(), FdCache::new(64), bench.path(), bench.options()).unwrap();
        for round in 0..30 {
            put(&mut log, &format!("k{}", round % 3), Some("some value that has a length"));
        }
        log.flush().unwrap();
        let newest: BTreeMap<_, _> =
            found(&log).into_iter().map(|(at, key, value)| (key, (at, value))).collect();
        let end = log.log_end();
        let job = log.begin_compaction(Offset(0), end, NOW).unwrap().unwrap();
        let compacted = job.run(&EFFORT, |_| ControlFlow::Continue(())).unwrap();
        disk.names_left.store(calls, Ordering::SeqCst);
        let finished = log.finish_compaction(compacted, NOW).is_ok();
        drop(log);
        let log = bench.open_torn(30).unwrap();
        let after: BTreeMap<_, _> =
            found(&log).into_iter().map(|(at, key, value)| (key, (at, value))).collect();
        assert_eq!(after, newest, "after {calls} calls");
        assert_eq!(log.log_end(), end);
        let names = bench.names();
        let rest = |name: &&String| name.ends_with(".swap") || name.ends_with(".cleaned");
        assert_eq!(names.iter().find(rest), None, "after {calls} calls");
        if finished {
            assert!(calls > 10);
            return;
        }
    }
}

/// What compaction writes is on the medium before it takes anything's place.
#[test]
fn a_power_loss_after_the_swap_loses_nothing() {
    for seed in 0..20 {
        let bench = compacting(300);
        let disk = Arc::new(FaultyDisk::sound());
        let mut log =
            Log::open(disk.clone(), FdCache::new(64), bench.path(), bench.options()).unwrap();
        for round in 0..30 {
            put(&mut log, &format!("k{}", round % 3), Some("some value that has a length"));
        }
        log.flush().unwrap();
        compact(&mut log);
        let expected = found(&log);
        drop(log);
        disk.lose_power(bench.path(), &mut SplitMix::new(seed));
        assert_eq!(found(&bench.open_torn(30).unwrap()), expected);
    }
}

/// A reader with an old picture, and no file open, must never see the new files as the old ones.
#[test]
fn readers_are_not_disturbed() {
    let bench = compacting(400);
    let files = FdCache::new(4);
    let mut log = Log::open(Arc::new(OsDisk), files, bench.path(), bench.options()).unwrap();
    std::thread::scope(|scope| {
        let (stop, reader) = (std::sync::atomic::AtomicBool::new(false), log.reader());
        let stopped = Arc::new(stop);
        for _ in 0..2 {
            let (reader, stopped) = (reader.clone(), stopped.clone());
            scope.spawn(move || {
                while !stopped.load(Ordering::Relaxed) {
                    let mut next = 0;
                    while next < reader.log_end().get() {
                        let slice =
                            reader.read(Offset(next), 4096, Offset(i64::MAX), true).unwrap();
                        let bytes = bytes_of(&slice);
                        for batch in batches(&bytes, Tail::Strict) {
                            let batch = batch.unwrap();
                            batch.verify_crc().unwrap();
                            next = batch.header().next_offset();
                        }
                    }
                    reader.offset_for_time(NOW).unwrap();
                }
            });
        }
        let mut clean_to = 0;
        for round in 0..60 {
            for key in 0..10 {
                put(&mut log, &format!("k{}", (round + key) % 20), Some("some value of a length"));
            }
            log.roll(NOW).unwrap();
            clean_to = compact_from(&mut log, clean_to, &EFFORT, NOW);
        }
        stopped.store(true, Ordering::Relaxed);
    });
    assert_eq!(found(&log).len(), 20);
}

#[derive(Debug, Clone)]
enum Step {
    Append {
        records: Vec<(u8, Option<u8>)>,
        codec: Compression,
    },
    Roll,
    Compact {
        keys: u64,
    },
    Restart {
        clean: bool,
    },
    /// At a batch, counted from what is committed.
    Truncate(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let record = (0..6_u8, proptest::option::weighted(0.8, any::<u8>()));
    let codec = prop_oneof![
        Just(Compression::None),
        Just(Compression::Gzip),
        Just(Compression::Lz4),
        Just(Compression::Snappy),
        Just(Compression::Zstd)
    ];
    prop_oneof![
        8 => (proptest::collection::vec(record, 1..6), codec)
            .prop_map(|(records, codec)| Step::Append { records, codec }),
        3 => Just(Step::Roll),
        3 => (6..20_u64).prop_map(|keys| Step::Compact { keys }),
        2 => any::<bool>().prop_map(|clean| Step::Restart { clean }),
        1 => (0..60_usize).prop_map(Step::Truncate),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    /// Below the clean point one record a key and none that a later one replaced; above it all.
    #[test]
    fn against_a_list(steps in proptest::collection::vec(step(), 1..60)) {
        let bench = compacting(700);
        let mut log = bench.open();
        let mut all: Vec<Found> = Vec::new();
        // What a compaction was told is committed; never taken back.
        let (mut clean_to, mut committed) = (0, 0);
        for step in steps {
            match step {
                Step::Append { records, codec } => {
                    let records: Vec<_> = records
                        .iter()
                        .map(|(key, value)| (format!("k{key}"), value.map(|v| format!("v{v}"))))
                        .collect();
                    let borrowed: Vec<_> =
                        records.iter().map(|(k, v)| (k.as_str(), v.as_deref())).collect();
                    let options = BatchOptions { compression: codec, ..Default::default() };
                    let base = appended(&mut log, keyed(options, &borrowed));
                    all.extend((base..).zip(records).map(|(at, (key, value))| (at, key, value)));
                }
                Step::Roll => log.roll(NOW).unwrap(),
                Step::Compact { keys } => {
                    let effort = Effort { key_bytes_max: keys * 24, key_load: 0.9 };
                    committed = log.log_end().get();
                    clean_to = compact_from(&mut log, clean_to, &effort, NOW);
                }
                Step::Restart { clean: true } => {
                    log.close().unwrap();
                    log = bench.open();
                }
                Step::Restart { clean: false } => {
                    let compacted_to = Offset(clean_to);
                    drop(log);
                    let options = bench.options();
                    log = bench
                        .try_open(OpenOptions { clean: false, compacted_to, ..options })
                        .unwrap();
                }
                Step::Truncate(number) => {
                    let bases: Vec<_> = headers(&log).iter().map(|h| h.base_offset).collect();
                    let bases: Vec<_> = bases.into_iter().filter(|at| *at >= committed).collect();
                    let Some(to) = bases.get(number % bases.len().max(1)) else { continue };
                    log.truncate_to(Offset(*to), NOW).unwrap();
                    all.retain(|(at, ..)| at < to);
                }
            }
            let left = found(&log);
            for record in &left {
                prop_assert!(all.contains(record), "{record:?}");
            }
            for (at, key, value) in &all {
                let later = |end: i64| all.iter().any(|(o, k, _)| o > at && *o < end && k == key);
                let is_left = left.contains(&(*at, key.clone(), value.clone()));
                prop_assert!(is_left || later(i64::MAX), "{at} is lost");
                prop_assert!(!is_left || *at >= clean_to || !later(clean_to), "{at} stayed");
            }
        }
    }
}
