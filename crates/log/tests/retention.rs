//! What goes, when, and what that leaves behind.

mod support;

use highwater_log::*;
use highwater_records::*;
use highwater_types::*;
use support::*;

const DAY_MS: i64 = 24 * 3600 * 1000;

/// Three segments with one batch each, a second apart, then an active one.
fn three_segments(config: LogConfig) -> (Bench, Log) {
    let bench = Bench::new(LogConfig { file_delete_delay_ms: 60_000, ..config });
    let mut log = bench.open();
    for n in 0..4 {
        let times = [NOW.get() + 1000 * n];
        appended(
            &mut log,
            pending(batch_at(Default::default(), &times, b"v"), AppendOrigin::Client),
        );
        if n < 3 {
            log.roll(NOW).unwrap();
        }
    }
    (bench, log)
}

fn starts_at(log: &Log) -> i64 {
    assert_eq!(log.reader().log_start(), log.log_start());
    log.log_start().get()
}

#[test]
fn only_what_is_strictly_older_goes() {
    let config = LogConfig { retention_ms: DAY_MS, ..LogConfig::default() };
    let (_bench, mut log) = three_segments(config);
    for (age_ms, start) in [(0, 0), (DAY_MS, 0), (DAY_MS + 1, 1), (DAY_MS + 1001, 2)] {
        log.apply_retention(NOW.plus_ms(age_ms), Offset(4)).unwrap();
        assert_eq!(starts_at(&log), start, "{age_ms}");
    }
    log.apply_retention(NOW.plus_ms(DAY_MS + 3001), Offset(4)).unwrap();
    assert_eq!(starts_at(&log), 4, "the active segment expires too");
}

#[test]
fn a_record_of_the_future_pins_what_follows() {
    let config = LogConfig { retention_ms: 1000, retention_bytes: -1, ..LogConfig::default() };
    let bench = Bench::new(config);
    let mut log = bench.open();
    for time in [NOW.get(), NOW.get() + 3_000_000_000_000, NOW.get(), NOW.get()] {
        appended(
            &mut log,
            pending(batch_at(Default::default(), &[time], b"v"), AppendOrigin::Client),
        );
        log.roll(NOW).unwrap();
    }
    log.apply_retention(NOW.plus_ms(DAY_MS), Offset(4)).unwrap();
    assert_eq!(starts_at(&log), 1);
    let one = log.reader().size_bytes() / 3;
    log.update_config(LogConfig { retention_bytes: one as i64, ..log.config().clone() });
    log.apply_retention(NOW.plus_ms(DAY_MS), Offset(4)).unwrap();
    assert_eq!(starts_at(&log), 4, "size retention is not held up, and the rest is old");
}

#[test]
fn records_above_the_watermark_stay() {
    let config = LogConfig { retention_ms: 0, ..LogConfig::default() };
    for watermark in 0..=4 {
        let (_bench, mut log) = three_segments(config.clone());
        log.apply_retention(NOW.plus_ms(DAY_MS), Offset(watermark)).unwrap();
        assert_eq!(starts_at(&log), watermark);
    }
}

#[test]
fn size_keeps_at_least_the_limit() {
    let (_bench, log) = three_segments(LogConfig::default());
    let one = (log.reader().size_bytes() / 4) as i64;
    for (limit, start) in [(4 * one, 0), (3 * one + 1, 0), (3 * one, 1), (one, 3), (1, 3), (0, 4)] {
        let config = LogConfig { retention_bytes: limit, retention_ms: -1, ..LogConfig::default() };
        let (_bench, mut log) = three_segments(config);
        log.apply_retention(NOW, Offset(4)).unwrap();
        assert_eq!(starts_at(&log), start, "{limit}");
    }
}

#[test]
fn without_delete_only_what_lies_below_the_start_goes() {
    let config = LogConfig {
        delete_old: false,
        compact: true,
        retention_ms: 0,
        retention_bytes: 0,
        ..LogConfig::default()
    };
    let (_bench, mut log) = three_segments(config);
    assert_eq!(log.apply_retention(NOW.plus_ms(DAY_MS), Offset(4)).unwrap(), Swept::default());
    log.set_log_start(Offset(2), Offset(4)).unwrap();
    let swept = log.apply_retention(NOW, Offset(4)).unwrap();
    assert_eq!((swept.segments, starts_at(&log)), (2, 2));
}

/// Offsets never shift, whatever expires, across restarts; the consumer that stands at the end
/// goes on.
#[test]
fn an_expired_log_goes_on_at_its_end() {
    let config = LogConfig { retention_ms: 10_000, ..LogConfig::default() };
    let (bench, mut log) = three_segments(config);
    log.apply_retention(NOW.plus_ms(DAY_MS), Offset(4)).unwrap();
    for restart in [false, true, true] {
        if restart {
            let closed = log.close().unwrap();
            assert_eq!((closed.log_start, closed.log_end), (Offset(4), Offset(4)));
            assert!(!closed.start_was_moved);
            log = bench.open();
        }
        let reader = log.reader();
        assert_eq!((reader.log_start(), reader.log_end()), (Offset(4), Offset(4)));
        assert!(reader.read(Offset(4), 1000, Offset(4), true).unwrap().is_empty());
        for offset in [0, 3, 5] {
            let read = reader.read(Offset(offset), 1000, Offset(4), true);
            assert!(matches!(read, Err(ReadError::OutOfRange { .. })), "{offset}");
        }
        assert_eq!(reader.offset_for_time(Timestamp(0)).unwrap(), None);
        assert_eq!(reader.offset_of_max_timestamp().unwrap(), None);
    }
    assert_eq!(appended(&mut log, plain(1, b"v")), 4);
    drop(log);
    // Killed before anything was checkpointed.
    assert_eq!(bench.open_torn(0).unwrap().log_end(), Offset(5));
}

#[test]
fn deleted_records_are_gone_at_once_and_stay_gone() {
    let (bench, mut log) = three_segments(LogConfig { retention_ms: -1, ..LogConfig::default() });
    assert!(matches!(
        log.set_log_start(Offset(4), Offset(3)),
        Err(LogStartError::BeyondWatermark { .. })
    ));
    assert_eq!(log.set_log_start(Offset(3), Offset(4)).unwrap(), Offset(3));
    assert_eq!(log.set_log_start(Offset(1), Offset(4)).unwrap(), Offset(3), "it never falls");
    assert!(log.reader().log_start_was_moved());
    let read = log.reader().read(Offset(2), 1000, Offset(4), true);
    assert!(matches!(read, Err(ReadError::OutOfRange { .. })));
    log.apply_retention(NOW, Offset(4)).unwrap();
    assert_eq!(log.reader().segment_count(), 1);
    log.set_log_start(Offset(4), Offset(4)).unwrap();
    let closed = log.close().unwrap();
    assert!(closed.start_was_moved);
    let options = OpenOptions { log_start: closed.log_start, ..bench.options() };
    let mut log = bench.try_open(options).unwrap();
    assert_eq!(starts_at(&log), 4);
    assert_eq!(appended(&mut log, plain(1, b"v")), 4);
}

#[test]
fn deleted_files_wait_and_then_go() {
    let config = LogConfig { retention_ms: 0, ..LogConfig::default() };
    let (bench, mut log) = three_segments(config);
    let early = log.reader().read(Offset(0), 1, Offset(4), true).unwrap();
    let reader = log.reader();
    log.apply_retention(NOW.plus_ms(DAY_MS), Offset(4)).unwrap();
    let waiting =
        |bench: &Bench| bench.names().iter().filter(|name| name.ends_with(".deleted")).count();
    assert_eq!(waiting(&bench), 4 * 3 + 3, "three files a segment, a snapshot from the second on");
    assert!(!bytes_of(&early).is_empty(), "who holds the file still reads it");
    assert!(matches!(
        reader.read(Offset(0), 1, Offset(4), true),
        Err(ReadError::OutOfRange { .. })
    ));
    log.remove_doomed(NOW.plus_ms(DAY_MS + 59_999));
    assert_eq!(waiting(&bench), 15);
    log.remove_doomed(NOW.plus_ms(DAY_MS + 60_000));
    assert_eq!(waiting(&bench), 0);
    // Killed while files wait: the next start frees them.
    let config = LogConfig { retention_ms: 0, ..LogConfig::default() };
    let (bench, mut log) = three_segments(config);
    log.apply_retention(NOW.plus_ms(DAY_MS), Offset(2)).unwrap();
    assert!(waiting(&bench) > 0);
    drop(log);
    let log = bench.open_torn(4).unwrap();
    assert_eq!((waiting(&bench), starts_at(&log)), (0, 2));
}

#[test]
fn records_without_a_time_age_by_the_file() {
    let bench = Bench::new(LogConfig { retention_ms: 1000, ..LogConfig::default() });
    let mut log = bench.open();
    let bytes = batch_at(BatchOptions::default(), &[-1], b"v");
    appended(&mut log, pending(bytes, AppendOrigin::Client));
    log.roll(NOW).unwrap();
    let written = std::fs::metadata(bench.path().join("00000000000000000000.log")).unwrap();
    let since = written.modified().unwrap().duration_since(std::time::UNIX_EPOCH).unwrap();
    let written = Timestamp(since.as_millis() as i64);
    log.apply_retention(written.plus_ms(1000), Offset(1)).unwrap();
    assert_eq!(starts_at(&log), 0);
    log.apply_retention(written.plus_ms(1001), Offset(1)).unwrap();
    assert_eq!(starts_at(&log), 1);
}
