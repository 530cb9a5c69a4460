//! The check of a plain batch allocates nothing, and that of a compressed one as often for ten
//! records as for ten thousand, in bounded memory. Alone in its file: it counts the process's
//! allocations.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use highwater_records::{
    BatchError, BatchView, Compression, Scratch, ValidateOptions, first_of_max_timestamp,
    validate_produced,
};
use support::{Owned, in_codec, record};

static CALLS: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[expect(unsafe_code, reason = "counting allocations takes an allocator")]
// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller vouches.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller vouches.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations and their bytes while `work` runs.
fn counted(work: impl FnOnce()) -> (usize, usize) {
    let before = (CALLS.load(Ordering::Relaxed), BYTES.load(Ordering::Relaxed));
    work();
    (CALLS.load(Ordering::Relaxed) - before.0, BYTES.load(Ordering::Relaxed) - before.1)
}

fn batch(codec: Compression, records: usize) -> bytes::Bytes {
    let records: Vec<Owned> = (0..records).map(|n| record("key", "value", n as i64)).collect();
    in_codec(codec, &records)
}

// One test, so that no other runs beside it.
#[test]
fn allocations_are_bounded() {
    let mut scratch = Scratch::new();
    let options = ValidateOptions { now: 1 << 40, ..ValidateOptions::default() };
    let mut check = |batch: &[u8]| {
        validate_produced(batch, &options, &mut scratch).unwrap();
        counted(|| {
            validate_produced(batch, &options, &mut scratch).unwrap();
            let view = BatchView::parse(batch).unwrap();
            first_of_max_timestamp(&view, &mut scratch).unwrap();
        })
    };
    assert_eq!(check(&batch(Compression::None, 1)), (0, 0));
    assert_eq!(check(&batch(Compression::None, 10_000)), (0, 0));
    for codec in [Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd] {
        let few = check(&batch(codec, 10));
        let many = check(&batch(codec, 10_000));
        assert!(many.0 <= few.0 + 4 && many.1 <= 1 << 20, "{codec} {few:?} {many:?}");
    }

    // Records that unpack to 64 MB pass through in little memory.
    let value = vec![0; 64 << 20];
    let huge = in_codec(Compression::Zstd, &[Owned { value: Some(value), ..record("k", "", 0) }]);
    let (_, bytes) = counted(|| {
        let error = validate_produced(&huge, &options, &mut Scratch::with_limit(32 << 20));
        assert_eq!(error.unwrap_err(), BatchError::DecompressedTooLarge { max: 32 << 20 });
        validate_produced(&huge, &options, &mut Scratch::new()).unwrap();
    });
    assert!(bytes < 16 << 20, "{bytes}");
}
