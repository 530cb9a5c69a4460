//! Properties over generated records, codecs and damage.

mod support;

use bytes::Bytes;
use highwater_records::{
    BatchBuilder, BatchError, BatchHeader, BatchOptions, BatchView, Compression, HEADER_BYTES,
    Rewrite, Scratch, Tail, TimestampType, ValidateOptions, accept_produced, batches, decompress,
    patch, recompress, validate_produced,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use support::{Owned, build, model, read, with_payload};

fn field() -> impl Strategy<Value = Option<Vec<u8>>> {
    prop_oneof![
        1 => Just(None),
        1 => Just(Some(Vec::new())),
        4 => vec(any::<u8>(), 1..60).prop_map(Some),
        1 => (any::<u8>(), 60..3000usize).prop_map(|(byte, n)| Some(vec![byte; n])),
    ]
}

fn timestamp() -> impl Strategy<Value = i64> {
    prop_oneof![Just(-1), 0..4_000_000_000_000i64, any::<i64>()]
}

fn records() -> impl Strategy<Value = Vec<Owned>> {
    let name = prop_oneof![Just(Vec::new()), Just(b"same".to_vec()), vec(any::<u8>(), 0..9)];
    let headers = vec((name, field()), 0..4);
    let record =
        (timestamp(), field(), field(), headers).prop_map(|(timestamp, key, value, headers)| {
            Owned { offset: 0, timestamp, key, value, headers }
        });
    vec(record, 1..20).prop_map(|mut records| {
        for (offset, record) in records.iter_mut().enumerate() {
            record.offset = offset as i64;
        }
        records
    })
}

fn codec() -> impl Strategy<Value = Compression> {
    proptest::sample::select(&Compression::ALL)
}

fn options() -> impl Strategy<Value = BatchOptions> {
    let producer = option::of((0..1000i64, 0..100i16, 0..i32::MAX));
    (codec(), option::of(0..4_000_000_000_000i64), producer, any::<bool>(), -1..9i32).prop_map(
        |(compression, log_append_time, producer, is_transactional, leader_epoch)| {
            let (producer_id, producer_epoch, base_sequence) = producer.unwrap_or((-1, -1, -1));
            BatchOptions {
                leader_epoch,
                compression,
                log_append_time,
                producer_id,
                producer_epoch,
                base_sequence,
                is_transactional,
                ..BatchOptions::default()
            }
        },
    )
}

/// Accepts any time.
fn lenient() -> ValidateOptions {
    ValidateOptions { after_max_ms: i64::MAX, ..ValidateOptions::default() }
}

fn validate(batch: &[u8]) -> Result<(i64, i32), BatchError> {
    let summary = validate_produced(batch, &lenient(), &mut Scratch::new())?;
    Ok((summary.max_timestamp, summary.max_timestamp_delta))
}

/// The largest time above -1 and the first record that has it.
fn naive_max(timestamps: impl Iterator<Item = i64>) -> (i64, i32) {
    let mut max = (-1, -1);
    for (index, timestamp) in timestamps.enumerate() {
        if timestamp > max.0 {
            max = (timestamp, index as i32);
        }
    }
    max
}

/// All records by the iterator, without the CRC.
fn view_records(batch: &[u8]) -> Result<Vec<Owned>, BatchError> {
    let mut scratch = Scratch::with_limit(4 << 20);
    let records = BatchView::parse(batch)?.records(&mut scratch)?;
    records.map(|r| Ok(Owned::of(&r?))).collect()
}

proptest! {
    #[test]
    fn built_batches_read_back(records in records(), options in options()) {
        let batch = build(options.clone(), &records);
        let expected: Vec<Owned> = records
            .iter()
            .map(|r| Owned {
                timestamp: options.log_append_time.unwrap_or(r.timestamp),
                ..r.clone()
            })
            .collect();
        prop_assert_eq!(read(&batch).unwrap(), expected);
        let header = BatchHeader::parse(&batch).unwrap();
        prop_assert_eq!(header.size_bytes(), batch.len());
        prop_assert_eq!(header.producer_id, options.producer_id);
        prop_assert_eq!(header.is_transactional(), options.is_transactional);
        prop_assert_eq!(header.next_offset(), records.len() as i64);
        prop_assert_eq!(&header.to_bytes()[..], &batch[..HEADER_BYTES]);
        prop_assert_eq!(header.crc, crc32c::crc32c(&batch[21..]));
        let rebuilt = BatchOptions::like(&header).unwrap();
        let same = BatchOptions { delete_horizon: None, ..options };
        prop_assert_eq!(rebuilt, same);
    }

    #[test]
    fn sizes_are_foretold(records in records()) {
        let mut builder = BatchBuilder::new(BatchOptions::default());
        for record in &records {
            let alone = build(BatchOptions::default(), std::slice::from_ref(record));
            let before = builder.plain_size_bytes();
            record.append_to(&mut builder);
            prop_assert!(builder.plain_size_bytes() - before + 61 >= alone.len());
        }
        let size = builder.plain_size_bytes();
        prop_assert_eq!(builder.build().len(), size);
    }

    #[test]
    fn built_batches_are_valid(records in records(), codec in codec()) {
        let batch = support::in_codec(codec, &records);
        let expected = naive_max(records.iter().map(|r| r.timestamp));
        prop_assert_eq!(validate(&batch).unwrap(), expected);
        let accepted =
            accept_produced(&batch, &lenient(), &mut Scratch::new()).unwrap();
        prop_assert_eq!(accepted.bytes, batch);
    }

    #[test]
    fn the_walk_agrees_with_the_model(
        records in records(),
        count in prop_oneof![4 => Just(None), 1 => (0..25i32).prop_map(Some)],
        damage in vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in option::weighted(0.2, any::<prop::sample::Index>()),
        codec in codec(),
    ) {
        let plain = support::in_codec(Compression::None, &records);
        let mut payload = plain[HEADER_BYTES..].to_vec();
        for (at, byte) in damage {
            let at = at.index(payload.len());
            payload[at] = byte;
        }
        if let Some(cut) = cut {
            payload.truncate(cut.index(payload.len()));
        }
        let count = count.unwrap_or(records.len() as i32).max(1);
        let mut packed = Vec::new();
        highwater_records::compress(codec, None, &payload, &mut packed);
        let batch = with_payload(&plain, &packed, |h| {
            h.attributes = h.attributes.with_codec(codec);
            (h.record_count, h.last_offset_delta) = (count, count - 1);
        });
        let model = model::records(&payload, count).map(|mut records| {
            let base = BatchHeader::parse(&batch).unwrap().base_timestamp;
            records.iter_mut().for_each(|r| r.timestamp = r.timestamp.wrapping_add(base));
            records
        });
        let found = validate_produced(&batch, &lenient(), &mut Scratch::new());
        let read = view_records(&batch);
        match (model, found) {
            (Some(model), Ok(summary)) => {
                let max = naive_max(model.iter().map(|r| r.timestamp));
                prop_assert_eq!((summary.max_timestamp, summary.max_timestamp_delta), max);
                let dense = model.iter().zip(0..).all(|(r, n)| r.offset == n);
                prop_assert_eq!(summary.rewrite, (!dense).then_some(Rewrite::Renumber));
                prop_assert_eq!(summary.plain_bytes as usize, payload.len());
                prop_assert_eq!(read.unwrap(), model);
            }
            (None, Err(_)) => prop_assert!(read.is_err()),
            (model, found) => prop_assert!(false, "model {:?}, walk {:?}", model, found),
        }
    }

    #[test]
    fn flipped_bits_do_not_pass(
        records in records(),
        codec in codec(),
        flip in any::<prop::sample::Index>(),
    ) {
        let batch = support::in_codec(codec, &records);
        let mut damaged = batch.to_vec();
        let bit = flip.index(batch.len() * 8);
        damaged[bit / 8] ^= 1 << (bit % 8);
        let checked = BatchView::parse(&damaged).and_then(|view| view.verify_crc());
        // Base offset and leader epoch lie outside the CRC.
        let outside = bit / 8 < 8 || (12..16).contains(&(bit / 8));
        prop_assert_eq!(checked.is_ok(), outside);
        let _ = view_records(&damaged);
        if !outside {
            prop_assert!(validate(&damaged).is_err());
        }
    }

    #[test]
    fn truncated_batches_do_not_pass(records in records(), cut in any::<prop::sample::Index>()) {
        let batch = support::in_codec(Compression::None, &records);
        let have = cut.index(batch.len());
        let cut = &batch[..have];
        prop_assert!(BatchView::parse(cut).is_err());
        prop_assert!(validate(cut).is_err());
        prop_assert_eq!(batches(cut, Tail::Tolerate).count(), 0);
        prop_assert_eq!(batches(cut, Tail::Strict).filter(Result::is_ok).count(), 0);
        // Behind a whole batch a torn one is passed over or reported, as asked.
        let torn = [&batch[..], cut].concat();
        let mut run = batches(&torn, Tail::Tolerate);
        prop_assert!(run.by_ref().all(|b| b.is_ok()));
        prop_assert_eq!(run.position(), batch.len());
        let strict: Vec<bool> = batches(&torn, Tail::Strict).map(|b| b.is_ok()).collect();
        prop_assert_eq!(strict, if have == 0 { vec![true] } else { vec![true, false] });
    }

    #[test]
    fn recompressing_changes_only_the_codec(
        records in records(),
        options in options(),
        target in codec(),
    ) {
        let batch = build(options.clone(), &records);
        let view = BatchView::parse(&batch).unwrap();
        let out = recompress(&view, target, None, &mut Scratch::new()).unwrap();
        let expected = build(BatchOptions { compression: target, ..options }, &records);
        prop_assert_eq!(read(&out).unwrap(), read(&expected).unwrap());
        let same = |batch: &[u8]| {
            let header = BatchHeader::parse(batch).unwrap();
            BatchHeader { batch_length: 0, crc: 0, ..header }
        };
        prop_assert_eq!(same(&out), same(&expected));
        // zstd frames differ where the size was not known beforehand.
        if target != Compression::Zstd {
            prop_assert_eq!(out, expected);
        }
    }

    #[test]
    fn patches_keep_the_crc_right(
        records in records(),
        options in options(),
        offset in 0..i64::MAX / 2,
        epoch in 0..i32::MAX,
        time in 0..4_000_000_000_000i64,
    ) {
        let mut batch = build(options, &records).to_vec();
        patch::assign(&mut batch, offset, epoch);
        patch::log_append_time(&mut batch, time);
        let view = BatchView::parse(&batch).unwrap();
        prop_assert!(view.verify_crc().is_ok());
        let header = *view.header();
        prop_assert_eq!((header.base_offset, header.partition_leader_epoch), (offset, epoch));
        prop_assert_eq!(header.timestamp_type(), TimestampType::LogAppendTime);
        let read = read(&batch).unwrap();
        prop_assert!(read.iter().all(|r| r.timestamp == time && r.offset >= offset));
        patch::max_timestamp(&mut batch, time);
        let view = BatchView::parse(&batch).unwrap();
        prop_assert!(view.verify_crc().is_ok());
        prop_assert_eq!(view.header().timestamp_type(), TimestampType::CreateTime);
        prop_assert_eq!(*view.header(), view.header().with_crc_over(view.payload()));
    }

    #[test]
    fn kept_records_keep_their_offsets(
        records in records(),
        keep in vec(any::<bool>(), 20),
        options in options(),
    ) {
        let batch = Bytes::from({
            let mut batch = build(options, &records).to_vec();
            patch::assign(&mut batch, 1000, 3);
            batch
        });
        let view = BatchView::parse(&batch).unwrap();
        let mut scratch = Scratch::new();
        let mut builder = BatchBuilder::new(BatchOptions::like(view.header()).unwrap());
        let all: Vec<Owned> = read(&batch).unwrap();
        for (record, keep) in view.records(&mut scratch).unwrap().zip(&keep) {
            if *keep {
                builder.append_kept(&record.unwrap());
            }
        }
        builder.end_at(view.header().last_offset());
        let cleaned = builder.build();
        let kept: Vec<Owned> =
            all.into_iter().zip(&keep).filter(|(_, keep)| **keep).map(|(r, _)| r).collect();
        prop_assert_eq!(read(&cleaned).unwrap(), kept);
        let header = BatchHeader::parse(&cleaned).unwrap();
        prop_assert_eq!(header.base_offset, 1000);
        prop_assert_eq!(header.last_offset(), view.header().last_offset());
        prop_assert_eq!(header.last_sequence(), view.header().last_sequence());
    }

    #[test]
    fn no_bytes_make_a_codec_panic(
        codec in codec(),
        garbage in vec(any::<u8>(), 0..300),
        plain in vec(any::<u8>(), 0..300),
        damage in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut out = Vec::new();
        let _ = decompress(codec, &garbage, &mut out, 1 << 20);
        let mut packed = Vec::new();
        highwater_records::compress(codec, None, &plain, &mut packed);
        for (at, byte) in damage {
            if let Some(n) = packed.len().checked_sub(1) {
                let at = at.index(n + 1);
                packed[at] = byte;
            }
        }
        packed.extend_from_slice(&garbage);
        out.clear();
        if decompress(codec, &packed, &mut out, 1 << 20).is_ok() {
            prop_assert!(out.len() <= 1 << 20);
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic(garbage in vec(any::<u8>(), 0..200)) {
        let _ = view_records(&garbage);
        let _ = validate(&garbage);
        batches(&garbage, Tail::Strict).for_each(drop);
        let mut patched = garbage.clone();
        patch::assign(&mut patched, 1, 1);
        patch::log_append_time(&mut patched, 1);
    }
}
