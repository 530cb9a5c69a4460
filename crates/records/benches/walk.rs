//! What checking a produced batch costs: `cargo bench -p highwater-records`.
//!
//! Prints nanoseconds per record and per batch: CRC alone, walk alone (by a lookup that finds
//! nothing), the whole check, building, and recompression.

use std::hint::black_box;
use std::time::Instant;

use highwater_records::{
    BatchBuilder, BatchOptions, BatchView, Compression, NewRecord, Scratch, ValidateOptions,
    first_at_or_after, recompress, validate_produced,
};

const BATCH_BYTES: usize = 1_000_000;

fn batch(compression: Compression, value_bytes: usize) -> (bytes::Bytes, usize) {
    let mut builder = BatchBuilder::new(BatchOptions { compression, ..BatchOptions::default() });
    let mut state = 1u32;
    let mut value = Vec::new();
    let mut n = 0;
    while builder.plain_size_bytes() + value_bytes < BATCH_BYTES {
        value.clear();
        while value.len() < value_bytes {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            value.extend_from_slice(format!("word-{} ", state >> 22).as_bytes());
        }
        value.truncate(value_bytes);
        let key = (n as u64).to_be_bytes();
        let value = Some(&value[..]);
        builder.append(&NewRecord { timestamp: n, key: Some(&key), value, headers: &[] });
        n += 1;
    }
    (builder.build(), n as usize)
}

/// Nanoseconds of one call, the best of several rounds.
fn nanoseconds(mut call: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..10 {
        let started = Instant::now();
        let mut calls = 0;
        while started.elapsed().as_millis() < 30 {
            call();
            calls += 1;
        }
        best = best.min(started.elapsed().as_nanos() as f64 / f64::from(calls));
    }
    best
}

fn main() {
    let mut scratch = Scratch::new();
    let options = ValidateOptions { now: 1 << 40, ..ValidateOptions::default() };
    println!("codec   value  records  crc ns/rec  walk ns/rec  check ns/rec  recompress µs/batch");
    for compression in Compression::ALL {
        for value_bytes in [10, 100, 1000] {
            let (batch, records) = batch(compression, value_bytes);
            let view = BatchView::parse(&batch).unwrap();
            let each = |ns: f64| ns / records as f64;
            let crc = each(nanoseconds(|| black_box(&view).verify_crc().unwrap()));
            let walk = each(nanoseconds(|| {
                black_box(first_at_or_after(&view, i64::MAX, 0, &mut scratch).unwrap());
            }));
            let check = each(nanoseconds(|| {
                black_box(validate_produced(&batch, &options, &mut scratch).unwrap());
            }));
            let written = nanoseconds(|| {
                black_box(recompress(&view, compression, None, &mut scratch).unwrap());
            });
            println!(
                "{:<7} {value_bytes:>5}  {records:>7}  {crc:>10.1}  {walk:>11.1}  {check:>12.1}  {:>19.0}",
                compression.name(),
                written / 1000.0
            );
        }
    }
}
