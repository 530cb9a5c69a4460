//! Memory of an idle log, and allocations on the hot paths. Alone in its file: it counts the
//! process's allocations.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use highwater_log::*;
use highwater_types::*;
use support::*;

static CALLS: AtomicUsize = AtomicUsize::new(0);
static HELD: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[expect(unsafe_code, reason = "counting allocations takes an allocator")]
// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller vouches.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller vouches.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn calls(work: impl FnOnce()) -> usize {
    let before = CALLS.load(Ordering::Relaxed);
    work();
    CALLS.load(Ordering::Relaxed) - before
}

// One test, so that no other runs beside it.
#[test]
fn idle_logs_are_small_and_hot_paths_allocate_little() {
    const LOGS: usize = 500;
    const IDLE_BYTES_MAX: usize = 3_000;

    let dir = tempfile::tempdir().unwrap();
    let files = FdCache::new(64);
    let before = HELD.load(Ordering::Relaxed);
    let mut logs: Vec<Log> = (0..LOGS)
        .map(|number| {
            let path = dir.path().join(format!("topic-{number}"));
            std::fs::create_dir(&path).unwrap();
            let options = OpenOptions::new(LogConfig::default(), NOW);
            let mut log = Log::open(Arc::new(OsDisk), Arc::clone(&files), &path, options).unwrap();
            log.begin_epoch(LeaderEpoch(0)).unwrap();
            log
        })
        .collect();
    let each = (HELD.load(Ordering::Relaxed) - before) / LOGS;
    assert!(each < IDLE_BYTES_MAX, "{each} bytes for an idle log");

    let log = &mut logs[0];
    let batch = plain(10, &[0; 100]);
    let mut many = vec![batch.clone(); 100];
    for batches in [&mut [batch.clone()][..], &mut many] {
        let len = batches.len();
        (0..3).for_each(|_| log.append(batches, LeaderEpoch(0), NOW).unwrap());
        let appending = calls(|| log.append(batches, LeaderEpoch(0), NOW).unwrap());
        assert!(appending <= 30, "{appending} allocations to append {len} batches");
    }
    let reader = log.reader();
    let (from, limit) = (reader.log_end().plus(-15), reader.log_end());
    let reading = calls(|| assert!(!reader.read(from, 10_000, limit, true).unwrap().is_empty()));
    assert!(reading <= 2, "{reading} allocations to read at the log end");
    let nothing = calls(|| assert!(reader.read(limit, 10_000, limit, true).unwrap().is_empty()));
    assert_eq!(nothing, 0, "allocations to find nothing new");
}
