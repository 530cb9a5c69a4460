//! Readers while the writer appends, rolls, deletes and flushes; many logs on few descriptors.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use highwater_log::*;
use highwater_types::*;
use support::*;

#[test]
fn readers_see_every_batch_in_order_while_the_log_grows_and_shrinks() {
    let bench = Bench::new(LogConfig {
        segment_bytes: 4_000,
        index_interval_bytes: 300,
        retention_bytes: 20_000,
        file_delete_delay_ms: 0,
        ..LogConfig::default()
    });
    let mut log = bench.open();
    let done = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..4)
        .map(|number| {
            let (reader, done) = (log.reader(), Arc::clone(&done));
            std::thread::spawn(move || follow(&reader, &done, 200 << (3 * number)))
        })
        .collect();
    for n in 0..6_000u32 {
        let mut batches = [plain(1, &n.to_be_bytes()), plain(2, &[0; 40])];
        log.append(&mut batches, LeaderEpoch(0), NOW).unwrap();
        if n % 50 == 0 {
            log.apply_retention(NOW, log.log_end()).unwrap();
            log.flush().unwrap();
        }
    }
    done.store(true, Ordering::SeqCst);
    for reader in readers {
        assert!(reader.join().unwrap() > 100);
    }
}

/// Reads on and on; if retention overtakes it, from the log start. Returns the batches seen.
fn follow(reader: &LogReader, done: &AtomicBool, bytes_max: usize) -> usize {
    let mut next = Offset(0);
    let mut seen = 0;
    loop {
        let finished = done.load(Ordering::SeqCst);
        match reader.read(next, bytes_max, Offset(i64::MAX), true) {
            Ok(slice) if slice.is_empty() => {
                if finished {
                    assert_eq!(next, reader.log_end());
                    return seen;
                }
            }
            Ok(slice) => {
                let bytes = bytes_of(&slice);
                for batch in highwater_records::batches(&bytes, highwater_records::Tail::Strict) {
                    let batch = batch.unwrap();
                    batch.verify_crc().unwrap();
                    assert_eq!(batch.header().base_offset, next.get());
                    next = Offset(batch.header().next_offset());
                    seen += 1;
                }
            }
            Err(ReadError::OutOfRange { start, end, .. }) => {
                assert!(next < start || next > end);
                next = start;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_flush_may_run_while_the_writer_goes_on() {
    let bench = Bench::new(LogConfig { segment_bytes: 1_000, ..LogConfig::default() });
    let mut log = bench.open();
    assert!(log.begin_flush().unwrap().is_some(), "the new files' names are not flushed");
    log.flush().unwrap();
    assert!(log.begin_flush().unwrap().is_none());
    for round in 1..=20 {
        for _ in 0..7 {
            appended(&mut log, plain(1, &[0; 100]));
        }
        let job = log.begin_flush().unwrap().unwrap();
        let upto = job.upto();
        let flusher = std::thread::spawn(move || job.run().map(|()| job));
        for _ in 0..7 {
            appended(&mut log, plain(1, &[0; 100]));
        }
        let job = flusher.join().unwrap().unwrap();
        log.finish_flush(&job, Ok(())).unwrap();
        assert_eq!(log.recovery_point(), upto);
        assert!(log.is_dirty(), "round {round}");
    }
    log.flush().unwrap();
    assert_eq!(log.recovery_point(), log.log_end());
    assert!(!log.is_dirty());
}

#[test]
fn many_logs_share_few_descriptors() {
    let dir = tempfile::tempdir().unwrap();
    let files = FdCache::new(32);
    let mut logs = Vec::new();
    for n in 0..300 {
        let path = dir.path().join(format!("t-{n}"));
        std::fs::create_dir(&path).unwrap();
        let options = OpenOptions::new(LogConfig::default(), NOW);
        logs.push(Log::open(Arc::new(OsDisk), Arc::clone(&files), &path, options).unwrap());
        assert!(files.open_files() <= 32);
    }
    for round in 0..3 {
        for log in &mut logs {
            assert_eq!(appended(log, plain(1, b"v")), round);
        }
        for log in &logs {
            assert_eq!(read_all(&log.reader(), 0, 10_000).len() as i64, round + 1);
        }
        assert!(files.open_files() <= 32);
    }
}
