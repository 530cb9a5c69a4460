//! Bytes from anyone: no decoder panics, and none allocates what the frame could not fill.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::{Duration, Instant};

use bytes::Bytes;
use highwater_types::{Entropy, SplitMix};
use highwater_wire::arbitrary::{Entry, Gen, Recoded, every_message};
use highwater_wire::messages::{
    ApiVersionsRequest, ConsumerGroupHeartbeatRequest, FetchRequest, MetadataRequest,
    OffsetFetchRequest,
};
use highwater_wire::{DecodeError, Message, Problem, Reader};

/// Counts the bytes that this thread holds, and the most it held.
struct Counting;

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: hands every call to the system's allocator unchanged.
#[expect(unsafe_code, reason = "the only way to see allocations")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = HELD.try_with(|held| {
            held.set(held.get() + layout.size());
            let _ = PEAK.try_with(|peak| peak.set(peak.get().max(held.get())));
        });
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        let _ = HELD.try_with(|held| held.set(held.get().saturating_sub(layout.size())));
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes held at once while `run` ran, above what was held before.
fn peak_of<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    PEAK.set(before);
    let result = run();
    (result, PEAK.get() - before)
}

fn problem<M: Message>(bytes: &'static [u8], version: i16) -> Problem {
    M::decode(&mut Reader::new(Bytes::from_static(bytes)), version).unwrap_err().problem
}

#[test]
fn a_small_frame_that_claims_2_31_entries() {
    let (problem_, peak) = peak_of(|| problem::<MetadataRequest>(b"\x7f\xff\xff\xff\0", 1));
    assert_eq!(problem_, Problem::TooManyEntries { claimed: i32::MAX as usize, remaining: 1 });
    assert!(peak < 100, "{peak} bytes");
    // Compact: the varint of 2^32 - 1.
    let (problem_, peak) = peak_of(|| problem::<MetadataRequest>(b"\xff\xff\xff\xff\x0f", 12));
    assert!(matches!(problem_, Problem::TooManyEntries { claimed: 4_294_967_294, .. }));
    assert!(peak < 100, "{peak} bytes");
}

#[test]
fn lengths_below_null_and_nulls_out_of_place() {
    assert_eq!(problem::<MetadataRequest>(b"\xff\xff\xff\xfe", 1), Problem::BadLength(-2));
    assert_eq!(problem::<MetadataRequest>(b"\xff\xff\xff\xff", 0), Problem::UnexpectedNull);
    assert_eq!(problem::<OffsetFetchRequest>(b"\xff\xff", 1), Problem::UnexpectedNull);
    assert_eq!(problem::<OffsetFetchRequest>(b"\xff\xfd", 1), Problem::BadLength(-3));
    assert_eq!(problem::<ConsumerGroupHeartbeatRequest>(b"\0", 0), Problem::UnexpectedNull);
}

#[test]
fn varints_end_in_five_bytes() {
    assert_eq!(problem::<MetadataRequest>(b"\x80\x80\x80\x80\x80\x00", 9), Problem::BadVarint);
}

#[test]
fn tags_rise_and_fill_their_length() {
    // ApiVersionsRequest v3: two compact strings, then the tagged fields.
    let check = |bytes, expected| assert_eq!(problem::<ApiVersionsRequest>(bytes, 3), expected);
    check(b"\x01\x01\x02\x07\x00\x07\x00", Problem::TagOrder { tag: 7, after: 7 });
    check(b"\x01\x01\x02\x09\x00\x08\x00", Problem::TagOrder { tag: 8, after: 9 });
    check(b"\x01\x01\x01\x07\x05\x00", Problem::Truncated { needed: 5, remaining: 1 });
    // FetchRequest v12: tag 0 is a nullable string; here its content is followed by a stray byte.
    let mut fetch = [0u8; 25].to_vec();
    fetch.extend(b"\x01\x01\x01\x01\x00\x02\x00\x00");
    let decoded = FetchRequest::decode(&mut Reader::new(fetch.into()), 12);
    assert_eq!(decoded.unwrap_err().problem, Problem::TagLength { tag: 0 });
}

#[test]
fn a_dense_frame_stays_within_its_budget() {
    // Metadata v0 with 3,000,000 empty names: two bytes each on the wire, many more in memory.
    let count = 3_000_000usize;
    let mut frame = (count as i32).to_be_bytes().to_vec();
    frame.resize(4 + 2 * count, 0);
    let frame = Bytes::from(frame);
    let length = frame.len();
    let (decoded, peak) = peak_of(|| MetadataRequest::decode(&mut Reader::new(frame), 0));
    assert_eq!(decoded.unwrap_err().problem, Problem::OverBudget);
    assert!(peak <= length * 24, "{peak} bytes for a frame of {length}");
}

/// A decoder may refuse the bytes or accept them; what it accepts it must say again alike.
fn feed(entry: &Entry, version: i16, bytes: Vec<u8>) {
    let length = bytes.len();
    let frame = Bytes::from(bytes);
    let again = frame.clone();
    let (outcome, peak) = peak_of(|| (entry.recode)(frame, version));
    // The decoded value within its budget, text that is not UTF-8 up to three times as long, and
    // the buffer it is encoded to.
    assert!(peak <= (64 << 10) + length * 40, "{} v{version}: {peak} for {length}", entry.name);
    let first: Recoded = match outcome {
        Ok(recoded) => recoded,
        Err(DecodeError { .. }) => return,
    };
    // Replaced text can be too long to be said again.
    let Ok(said) = first.bytes else { return };
    let second = (entry.recode)(said.clone(), version);
    let second = second.unwrap_or_else(|e| panic!("{} v{version}: {e}: {again:?}", entry.name));
    assert_eq!((second.bytes, second.left_over), (Ok(said), 0), "{} v{version}", entry.name);
}

/// Runs over every message and version for about a second, each time with other bytes.
fn storm(seed: u64, mut bytes_for: impl FnMut(&Entry, i16, &mut SplitMix) -> Vec<u8>) {
    let mut rng = SplitMix::new(seed);
    let until = Instant::now() + Duration::from_secs(1);
    let mut rounds = 0;
    while rounds < 3 || Instant::now() < until {
        for entry in every_message() {
            for version in entry.version_min..=entry.version_max {
                let bytes = bytes_for(entry, version, &mut rng);
                feed(entry, version, bytes);
            }
        }
        rounds += 1;
    }
}

fn random_bytes(rng: &mut SplitMix, length_max: u64) -> Vec<u8> {
    let length = rng.next_u64() % length_max;
    (0..length).map(|_| rng.next_u64() as u8).collect()
}

#[test]
fn random_bytes_into_every_decoder() {
    storm(1, |_, _, rng| random_bytes(rng, 200));
}

/// Valid frames, cut, with bytes replaced, inserted or removed: these get deep into a decoder.
#[test]
fn damaged_frames_into_every_decoder() {
    storm(2, |entry, version, rng| {
        let choices = random_bytes(rng, 300);
        let valid = (entry.round_trip)(&mut Gen::new(&choices), version);
        let mut bytes = valid.unwrap_or_else(|e| panic!("{} v{version}: {e}", entry.name)).to_vec();
        for _ in 0..=rng.next_u64() % 3 {
            damage(&mut bytes, rng);
        }
        bytes
    });
}

fn damage(bytes: &mut Vec<u8>, rng: &mut SplitMix) {
    if bytes.is_empty() {
        return;
    }
    let at = (rng.next_u64() % bytes.len() as u64) as usize;
    match rng.next_u64() % 6 {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << (rng.next_u64() % 8),
        2 => bytes[at] = 0xff,
        3 => bytes.insert(at, rng.next_u64() as u8),
        4 => drop(bytes.remove(at)),
        _ => bytes[at..].iter_mut().take(4).for_each(|b| *b = 0x7f),
    }
}

/// Every prefix of a valid frame is refused or whole: none panics.
#[test]
fn every_prefix_of_a_frame() {
    for entry in every_message() {
        for version in entry.version_min..=entry.version_max {
            let whole = (entry.round_trip)(&mut Gen::new(&[77; 120]), version).unwrap();
            for length in 0..whole.len() {
                let _ = (entry.recode)(whole.slice(..length), version);
            }
        }
    }
}
