//! Finding records by time, to the record.

mod support;

use std::fs;

use highwater_log::*;
use highwater_records::*;
use highwater_types::*;
use support::*;

const CODECS: [Compression; 5] = [
    Compression::None,
    Compression::Gzip,
    Compression::Snappy,
    Compression::Lz4,
    Compression::Zstd,
];

fn compressed(codec: Compression, times: &[i64]) -> PendingBatch {
    let options = BatchOptions { compression: codec, ..Default::default() };
    pending(batch_at(options, times, b"value value value"), AppendOrigin::Client)
}

fn find(log: &Log, time: i64) -> Option<(i64, i64)> {
    let found = log.reader().offset_for_time(Timestamp(time)).unwrap()?;
    assert_eq!(found.epoch, LeaderEpoch(0));
    Some((found.offset.get(), found.timestamp.get()))
}

fn latest(log: &Log) -> Option<(i64, i64)> {
    let found = log.reader().offset_of_max_timestamp().unwrap()?;
    Some((found.offset.get(), found.timestamp.get()))
}

#[test]
fn the_first_record_at_or_after_a_time() {
    for codec in CODECS {
        let bench = Bench::new(LogConfig::default());
        let mut log = bench.open();
        appended(&mut log, compressed(codec, &[10, 20, 30, 25, 40]));
        appended(&mut log, compressed(codec, &[35, 60]));
        for life in ["first", "restarted", "without time index", "torn"] {
            for (time, expected) in [
                (5, Some((0, 10))),
                (10, Some((0, 10))),
                (11, Some((1, 20))),
                (26, Some((2, 30))),
                (30, Some((2, 30))),
                (31, Some((4, 40))),
                (41, Some((6, 60))),
                (61, None),
            ] {
                assert_eq!(find(&log, time), expected, "{codec} {time} {life}");
            }
            assert_eq!(latest(&log), Some((6, 60)));
            if life == "first" {
                log.close().unwrap();
                log = bench.open();
            } else if life == "restarted" {
                log.close().unwrap();
                fs::remove_file(bench.path().join("00000000000000000000.timeindex")).unwrap();
                log = bench.open();
            } else {
                drop(log);
                log = bench.open_torn(0).unwrap();
            }
        }
    }
}

#[test]
fn the_first_record_with_the_largest_time() {
    for codec in CODECS {
        let bench = Bench::new(LogConfig::default());
        let mut log = bench.open();
        assert_eq!(latest(&log), None);
        appended(&mut log, compressed(codec, &[10, 50, 20]));
        assert_eq!(latest(&log), Some((1, 50)));
        appended(&mut log, compressed(codec, &[30, 50]));
        assert_eq!(latest(&log), Some((1, 50)), "the first of several");
        log.roll(NOW).unwrap();
        assert_eq!(latest(&log), Some((1, 50)));
        appended(&mut log, compressed(codec, &[50, 60, 60, 1]));
        assert_eq!(latest(&log), Some((6, 60)));
        appended(&mut log, compressed(codec, &[2]));
        log.close().unwrap();
        let mut log = bench.open();
        assert_eq!(latest(&log), Some((6, 60)));
        log.set_log_start(Offset(9), Offset(10)).unwrap();
        assert_eq!(latest(&log), Some((9, 2)));
        assert_eq!(find(&log, 0), Some((9, 2)));
    }
}

#[test]
fn the_brokers_time_is_that_of_every_record() {
    let bench = Bench::new(LogConfig::default());
    let mut log = bench.open();
    for (n, now) in [7_000, 7_000, 9_000].into_iter().enumerate() {
        let bytes = batch_at(Default::default(), &[1, 2, 3], b"v");
        let options =
            ValidateOptions { timestamp_type: TimestampType::LogAppendTime, ..Default::default() };
        let summary = validate_produced(&bytes, &options, &mut Scratch::default()).unwrap();
        let mut batches = [PendingBatch::new(bytes.clone(), summary, AppendOrigin::Client)];
        log.append(&mut batches, LeaderEpoch(0), Timestamp(now)).unwrap();
        assert!(matches!(
            batches[0].outcome,
            Some(BatchOutcome::Appended { log_append_time: Some(Timestamp(at)), .. }) if at == now
        ));
        // Only the header changed, and the CRC fits it.
        let base = Offset(3 * n as i64);
        let stored = bytes_of(&log.reader().read(base, 1, Offset(100), true).unwrap());
        let stored = BatchView::parse(&stored).unwrap();
        stored.verify_crc().unwrap();
        assert_eq!(stored.payload(), &bytes[HEADER_BYTES..]);
        assert_eq!(stored.header().timestamp_type(), TimestampType::LogAppendTime);
        assert_eq!(stored.header().max_timestamp, now);
    }
    assert_eq!(find(&log, 7_000), Some((0, 7_000)));
    assert_eq!(find(&log, 7_001), Some((6, 9_000)));
    assert_eq!(latest(&log), Some((6, 9_000)));
}

#[test]
fn a_wrong_maximum_in_the_header_is_put_right() {
    let bench = Bench::new(LogConfig::default());
    let mut log = bench.open();
    let mut bytes = batch_at(Default::default(), &[10, 30, 20], b"v").to_vec();
    patch::max_timestamp(&mut bytes, 99);
    appended(&mut log, pending(bytes.into(), AppendOrigin::Client));
    let stored = bytes_of(&log.reader().read(Offset(0), 1, Offset(100), true).unwrap());
    let stored = BatchView::parse(&stored).unwrap();
    stored.verify_crc().unwrap();
    assert_eq!(stored.header().max_timestamp, 30);
    assert_eq!(find(&log, 31), None);
}

#[test]
fn a_lookup_spans_segments_and_large_indexes() {
    let bench = Bench::new(LogConfig {
        segment_bytes: 100_000,
        index_interval_bytes: 1,
        ..LogConfig::default()
    });
    let mut log = bench.open();
    for n in 0..5_000 {
        // Every tenth is late.
        let late = if n % 10 == 9 { 95 } else { 0 };
        appended(&mut log, compressed(Compression::None, &[10 * n - late + 100]));
    }
    assert!(log.reader().segment_count() > 3);
    for time in (0..50_200).step_by(37) {
        let expected = (0..5_000)
            .map(|n| (n, 10 * n - if n % 10 == 9 { 95 } else { 0 } + 100))
            .find(|(_, at)| *at >= time);
        assert_eq!(find(&log, time), expected, "{time}");
    }
}
