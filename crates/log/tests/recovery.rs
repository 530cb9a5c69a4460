//! Unclean stops: torn tails, flipped bits, broken indexes, missing files.

mod support;

use std::fs;
use std::path::Path;

use highwater_log::*;
use highwater_types::*;
use support::*;

const SECOND: &str = "00000000000000000012";

fn small() -> LogConfig {
    LogConfig {
        segment_bytes: 1000,
        index_interval_bytes: 150,
        index_bytes_max: 480,
        ..LogConfig::default()
    }
}

/// A segment of 12 batches of one record each, then `second` more such batches, 12 a segment.
fn bench_with(second: u8) -> Bench {
    let bench = Bench::new(small());
    let mut log = bench.open();
    for n in 0..12 + second {
        let times = [NOW.get() + i64::from(n)];
        let bytes = batch_at(Default::default(), &times, &[n; 10]);
        appended(&mut log, pending(bytes, AppendOrigin::Client));
    }
    let expected = usize::from(12 + second).div_ceil(12);
    assert_eq!(log.reader().segment_count(), expected);
    bench
}

/// The log holds batches 0..count and goes on from there.
fn check_holds(bench: &Bench, mut log: Log, count: i64, context: &str) {
    assert_eq!(log.log_end(), Offset(count), "{context}");
    let found = read_all(&log.reader(), 0, 300);
    let offsets: Vec<i64> = found.iter().map(|(base, _, _)| *base).collect();
    assert_eq!(offsets, (0..count).collect::<Vec<_>>(), "{context}");
    for n in 0..count {
        let timed = log.reader().offset_for_time(NOW.plus_ms(n)).unwrap().unwrap();
        assert_eq!(timed.offset, Offset(n), "{context}");
    }
    assert!(log.reader().offset_for_time(NOW.plus_ms(count)).unwrap().is_none(), "{context}");
    assert_eq!(appended(&mut log, plain(1, b"next")), count, "{context}");
    log.close().unwrap();
    let log = bench.open();
    assert_eq!(log.log_end(), Offset(count + 1), "{context}");
    assert_eq!(read_all(&log.reader(), 0, 300).len() as i64, count + 1, "{context}");
}

fn cut(path: &Path, len: u64) {
    fs::OpenOptions::new().write(true).open(path).unwrap().set_len(len).unwrap();
}

fn flip(path: &Path, bit: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[bit / 8] ^= 1 << (bit % 8);
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_log_cut_at_any_byte_keeps_its_whole_batches() {
    let len = fs::metadata(bench_with(6).path().join(format!("{SECOND}.log"))).unwrap().len();
    let size = len / 6;
    for at in 0..=len {
        let bench = bench_with(6);
        cut(&bench.path().join(format!("{SECOND}.log")), at);
        let whole = (12 + at / size) as i64;
        let log = bench.open_torn(12).unwrap();
        check_holds(&bench, log, whole, &format!("cut at {at}"));
        if at < len {
            let bench = bench_with(6);
            cut(&bench.path().join(format!("{SECOND}.log")), at);
            let before = fs::read(bench.path().join(format!("{SECOND}.log"))).unwrap();
            let error = bench.open_torn(whole + 1).unwrap_err();
            let expected = if at % size == 0 { "HW0004" } else { "HW0003" };
            assert_eq!(error.code(), expected, "cut at {at}: {error}");
            assert_eq!(fs::read(bench.path().join(format!("{SECOND}.log"))).unwrap(), before);
        }
    }
}

#[test]
fn a_flipped_bit_ends_the_log_at_its_batch() {
    let path = |bench: &Bench| bench.path().join(format!("{SECOND}.log"));
    let len = fs::metadata(path(&bench_with(4))).unwrap().len() as usize;
    let size = len / 4;
    for byte in 0..len {
        // Base offset and leader epoch are not covered by the CRC.
        if matches!(byte % size, 0..8 | 12..16) {
            continue;
        }
        let bit = byte * 8 + byte % 8;
        let bench = bench_with(4);
        flip(&path(&bench), bit);
        let log = bench.open_torn(0).unwrap();
        let whole = (12 + byte / size) as i64;
        check_holds(&bench, log, whole, &format!("bit {bit}"));
        if byte % 5 == 0 {
            let bench = bench_with(4);
            flip(&path(&bench), bit);
            // Below the recovery point only the header chain is looked at, and it is never cut.
            match bench.open_torn(16) {
                Ok(log) => assert_eq!(log.log_end(), Offset(16)),
                Err(error) => assert_eq!(error.code(), "HW0003", "bit {bit}: {error}"),
            }
            assert_eq!(fs::metadata(path(&bench)).unwrap().len() as usize, len);
        }
    }
}

#[test]
fn after_a_clean_stop_nothing_is_cut() {
    for recovery_point in [0, 15] {
        let bench = bench_with(3);
        bench.open_torn(0).unwrap().close().unwrap();
        let path = bench.path().join(format!("{SECOND}.log"));
        let len = fs::metadata(&path).unwrap().len();
        cut(&path, len - 1);
        let recovery_point = Offset(recovery_point);
        let options = OpenOptions { recovery_point, ..bench.options() };
        assert_eq!(bench.try_open(options).unwrap_err().code(), "HW0003");
        assert_eq!(fs::metadata(&path).unwrap().len(), len - 1);
    }
}

#[test]
fn zeroes_and_garbage_at_the_end_are_cut() {
    for tail in [vec![0; 10], vec![0; 5000], vec![0xff; 100], (0..=255).collect()] {
        let bench = bench_with(3);
        let path = bench.path().join(format!("{SECOND}.log"));
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend(&tail);
        fs::write(&path, bytes).unwrap();
        let log = bench.open_torn(12).unwrap();
        check_holds(&bench, log, 15, &format!("{} bytes", tail.len()));
    }
}

#[test]
fn damage_in_an_early_segment_drops_the_later_ones_only_if_unflushed() {
    let first = "00000000000000000000.log";
    let bench = bench_with(3);
    flip(&bench.path().join(first), 8 * 500);
    assert_eq!(bench.open_torn(15).unwrap().log_end(), Offset(15), "flushed is not scanned");
    let log = bench.open_torn(0).unwrap();
    let whole = log.log_end().get();
    assert!(whole < 12);
    check_holds(&bench, log, whole, "early damage");
    assert!(!bench.names().iter().any(|name| name.starts_with(SECOND)));
}

#[test]
fn a_missing_segment_is_never_passed_over_silently() {
    for (recovery_point, ok) in [(15, false), (0, true)] {
        let bench = bench_with(3);
        let full = bench_with(30);
        // A middle segment is gone.
        let bases: Vec<String> =
            full.names().into_iter().filter(|name| name.ends_with(".log")).collect();
        fs::remove_file(full.path().join(&bases[1])).unwrap();
        let opened = full.open_torn(recovery_point);
        match ok {
            true => assert_eq!(opened.unwrap().log_end(), Offset(12)),
            false => assert_eq!(opened.unwrap_err().code(), "HW0004"),
        }
        // The last one is gone.
        fs::remove_file(bench.path().join(format!("{SECOND}.log"))).unwrap();
        match ok {
            true => assert_eq!(bench.open_torn(0).unwrap().log_end(), Offset(12)),
            false => assert_eq!(bench.open_torn(15).unwrap_err().code(), "HW0004"),
        }
    }
}

#[test]
fn a_start_or_recovery_point_beyond_the_end_is_an_error() {
    for clean in [true, false] {
        let bench = bench_with(3);
        let options = OpenOptions { clean, ..bench.options() };
        let start = OpenOptions { log_start: Offset(16), ..options.clone() };
        assert_eq!(bench.try_open(start).unwrap_err().code(), "HW0004");
        let point = OpenOptions { recovery_point: Offset(16), ..options.clone() };
        assert_eq!(bench.try_open(point.clone()).unwrap_err().code(), "HW0004");
        assert_eq!(bench.open_torn(0).unwrap().log_end(), Offset(15));
        for name in bench.names() {
            fs::remove_file(bench.path().join(name)).unwrap();
        }
        assert_eq!(bench.try_open(point).unwrap_err().code(), "HW0004");
        let fresh = OpenOptions { log_start: Offset(16), ..options };
        assert_eq!(bench.try_open(fresh).unwrap().log_end(), Offset(16));
    }
}

type Break = fn(&Path, &[u8]);

/// Ways in which field reports found index files.
const BREAKS: [(&str, Break); 9] = [
    ("absent", |path, _| fs::remove_file(path).unwrap()),
    ("empty", |path, _| fs::write(path, []).unwrap()),
    ("cut within an entry", |path, was| fs::write(path, &was[..was.len() - 5]).unwrap()),
    ("zero-filled", |path, _| fs::write(path, vec![0; 480]).unwrap()),
    ("zero-filled behind", |path, was| {
        fs::write(path, [was, &vec![0; 480 - was.len()][..]].concat()).unwrap();
    }),
    ("longer than the log", |path, was| {
        fs::write(path, [was, &[0x7f; 24][..]].concat()).unwrap();
    }),
    ("descending", |path, was| {
        let width = if path.extension().unwrap() == "index" { 8 } else { 12 };
        let entries: Vec<&[u8]> = was.chunks(width).rev().collect();
        fs::write(path, entries.concat()).unwrap();
    }),
    ("last entry equal to the base", |path, was| {
        let mut bytes = was.to_vec();
        let len = bytes.len();
        bytes[len - 8..].fill(0);
        fs::write(path, bytes).unwrap();
    }),
    ("nonsense", |path, was| fs::write(path, vec![0x2a; was.len()]).unwrap()),
];

#[test]
fn broken_indexes_are_rebuilt() {
    for (how, damage) in BREAKS {
        for file in ["00000000000000000000", "00000000000000000036"] {
            for suffix in ["index", "timeindex"] {
                for clean in [true, false] {
                    let bench = bench_with(36);
                    if clean {
                        bench.open_torn(0).unwrap().close().unwrap();
                    }
                    let path = bench.path().join(format!("{file}.{suffix}"));
                    let was = fs::read(&path).unwrap();
                    let used = was.len() - was.iter().rev().take_while(|byte| **byte == 0).count();
                    assert!(used > 12, "{file}.{suffix}");
                    let width = if suffix == "index" { 8 } else { 12 };
                    damage(&path, &was[..used.next_multiple_of(width)]);
                    let point = if clean { 48 } else { 40 };
                    let options =
                        OpenOptions { clean, recovery_point: Offset(point), ..bench.options() };
                    let context = format!("{how} {file}.{suffix} clean={clean}");
                    let log = bench.try_open(options).unwrap_or_else(|e| panic!("{context}: {e}"));
                    check_holds(&bench, log, 48, &context);
                    if file == "00000000000000000000" {
                        let now = fs::read(&path).unwrap();
                        assert_eq!(now, was[..used.next_multiple_of(width)], "{context}");
                    }
                }
            }
        }
    }
}

#[test]
fn epochs_come_back_from_the_batches() {
    for contents in [None, Some(""), Some("0\n1\n"), Some("\0\0\0\0\0\0\0\0"), Some("0\n1\n0 0\n")]
    {
        for clean in [true, false] {
            let bench = Bench::new(small());
            let mut log = bench.open();
            for epoch in [0, 0, 3, 3, 7] {
                let mut batches = [plain(1, b"v")];
                log.append(&mut batches, LeaderEpoch(epoch), NOW).unwrap();
            }
            let known = log.reader().epochs();
            log.close().unwrap();
            let path = bench.path().join("leader-epoch-checkpoint");
            match contents {
                Some(contents) => fs::write(&path, contents).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            if clean && contents == Some("0\n1\n0 0\n") {
                // Sound as a file; after a clean stop it is believed.
                continue;
            }
            let options = OpenOptions { clean, ..bench.options() };
            let log = bench.try_open(options).unwrap();
            assert_eq!(log.reader().epochs(), known, "{contents:?}");
        }
    }
}

#[test]
fn damaged_snapshots_are_passed_over() {
    let bench = Bench::new(small());
    let mut log = bench.open();
    (0..20).for_each(|n| assert_eq!(appended(&mut log, produced(1, 0, n, 1)), i64::from(n)));
    log.close().unwrap();
    let names: Vec<String> =
        bench.names().into_iter().filter(|name| name.ends_with(".snapshot")).collect();
    assert!(names.len() >= 2);
    for name in &names {
        fs::write(bench.path().join(name), b"nonsense").unwrap();
    }
    let mut log = bench.open();
    for n in 15..20 {
        let outcome = append(&mut log, produced(1, 0, n, 1));
        assert!(matches!(outcome, BatchOutcome::Duplicate { .. }), "{outcome:?}");
    }
    assert_eq!(appended(&mut log, produced(1, 0, 20, 1)), 20);
}
