//! What a Produce request may carry, case by case: Kafka 4.4.0's answer to each is noted as the
//! code that the table at `BatchError` proposes.

mod support;

use bytes::Bytes;
use highwater_records::limits::RECORD_ERRORS_MAX;
use highwater_records::{
    BatchError, BatchHeader, BatchOptions, BatchSummary, CodecFault, Compression, HEADER_BYTES,
    RecordFault, Rewrite, Scratch, Storing, TimestampType, ValidateOptions, accept_produced,
    compress, validate_produced,
};
use support::{Owned, build, in_codec, record, with_header, with_payload};

const NOW: i64 = 1_764_547_200_000;

fn options() -> ValidateOptions {
    ValidateOptions { now: NOW, ..ValidateOptions::default() }
}

fn one() -> Bytes {
    in_codec(Compression::None, &[record("k", "v", NOW)])
}

fn validate(batch: &[u8], options: &ValidateOptions) -> Result<BatchSummary, BatchError> {
    validate_produced(batch, options, &mut Scratch::new())
}

/// The code the broker is to answer with, as the table at [`BatchError`] says.
fn code(error: &BatchError) -> i16 {
    match error {
        BatchError::BadLength { .. } | BatchError::UnknownMagic(_) | BatchError::Crc { .. } => 2,
        BatchError::TooLarge { .. } | BatchError::DecompressedTooLarge { .. } => 10,
        BatchError::CodecNotAllowed(_) | BatchError::UnknownCodec(_) => 76,
        BatchError::Refused(refused) if refused.is_timestamp() => 32,
        _ => 87,
    }
}

fn check_refused(
    batch: &[u8],
    options: &ValidateOptions,
    expected: BatchError,
    expected_code: i16,
) {
    let error = validate(batch, options).unwrap_err();
    assert_eq!(error, expected);
    assert_eq!(code(&error), expected_code, "{error}");
}

fn check_record_errors(
    batch: &[u8],
    options: &ValidateOptions,
    expected: &[(i32, &str)],
    expected_code: i16,
) {
    let error = validate(batch, options).unwrap_err();
    assert_eq!(code(&error), expected_code);
    let BatchError::Refused(refused) = error else { panic!("{error}") };
    let messages: Vec<(i32, String)> = refused.messages("cp-0").collect();
    let messages: Vec<(i32, &str)> = messages.iter().map(|(i, m)| (*i, m.as_str())).collect();
    assert_eq!(messages, expected);
}

#[test]
fn valid() {
    let batch = in_codec(
        Compression::None,
        &[record("a", "1", NOW - 5), record("b", "2", NOW), record("c", "3", NOW)],
    );
    let summary = validate(&batch, &options()).unwrap();
    assert_eq!((summary.max_timestamp, summary.max_timestamp_delta), (NOW, 1));
    assert_eq!(summary.plain_bytes as usize, batch.len() - HEADER_BYTES);
    assert!(summary.rewrite.is_none() && !summary.must_patch_times());
    for codec in Compression::ALL {
        validate(&in_codec(codec, &[record("k", "v", NOW)]), &options()).unwrap();
    }
}

#[test]
fn sizes() {
    let sized = |n: usize| {
        let overhead = one().len() - 1;
        let mut value = n - overhead;
        loop {
            let batch = in_codec(Compression::None, &[record("k", &"x".repeat(value), NOW)]);
            match batch.len() {
                len if len == n => return batch,
                len => value -= len - n,
            }
        }
    };
    validate(&sized(1_048_588), &options()).unwrap();
    let too_large = BatchError::TooLarge { size: 1_048_589, max: 1_048_588 };
    check_refused(&sized(1_048_589), &options(), too_large, 10);
}

#[test]
fn crc_wrong() {
    let mut batch = one().to_vec();
    let computed = u32::from_be_bytes(batch[17..21].try_into().unwrap());
    batch[17..21].copy_from_slice(&12345u32.to_be_bytes());
    check_refused(&batch, &options(), BatchError::Crc { stored: 12345, computed }, 2);
}

#[test]
fn magics() {
    let magic = |magic| with_header(&one(), |h| h.magic = magic);
    check_refused(&magic(0), &options(), BatchError::OldMagic(0), 87);
    check_refused(&magic(1), &options(), BatchError::OldMagic(1), 87);
    check_refused(&magic(3), &options(), BatchError::UnknownMagic(3), 2);
    check_refused(&magic(-1), &options(), BatchError::UnknownMagic(-1), 2);
    let message = BatchError::UnknownMagic(3).to_string();
    assert_eq!(message, "there is no message format 3; brokers take format 2");
}

#[test]
fn not_exactly_one_batch() {
    check_refused(&[], &options(), BatchError::NoBatch, 87);
    let (one, len) = (one(), one().len());
    let twice = [&one[..], &one].concat();
    check_refused(&twice, &options(), BatchError::MoreThanOneBatch, 87);
    let cut = BatchError::Truncated { have: len - 5, need: len };
    check_refused(&one[..len - 5], &options(), cut, 87);
    for have in 1..HEADER_BYTES {
        let cut = BatchError::Truncated { have, need: HEADER_BYTES };
        check_refused(&one[..have], &options(), cut, 87);
    }
}

#[test]
fn lengths_that_no_batch_has() {
    for batch_length in [i32::MIN, -1, 0, 13, 14, 48] {
        let batch = with_header(&one(), |h| h.batch_length = batch_length);
        check_refused(&batch, &options(), BatchError::BadLength { batch_length }, 2);
    }
    let batch = with_header(&one(), |h| h.batch_length = i32::MAX);
    assert!(matches!(validate(&batch, &options()), Err(BatchError::Truncated { .. })));
}

#[test]
fn stray_bytes_behind_are_cut_off() {
    let stray = Bytes::from([&one()[..], &[0; 5]].concat());
    let accepted = accept_produced(&stray, &options(), &mut Scratch::new()).unwrap();
    assert_eq!(accepted.bytes, one());
    // A second header that is garbage is not passed over.
    let garbage = [&one()[..], &[0; 17]].concat();
    check_refused(&garbage, &options(), BatchError::BadLength { batch_length: 0 }, 2);
}

#[test]
fn counts() {
    let none = build(BatchOptions::default(), &[]);
    let range = BatchError::OffsetRange { record_count: 0, last_offset_delta: -1 };
    check_refused(&none, &options(), range, 87);
    let none = with_header(&none, |h| h.last_offset_delta = 0);
    check_refused(&none, &options(), BatchError::RecordCount(0), 87);
    let two = with_header(&one(), |h| (h.record_count, h.last_offset_delta) = (2, 1));
    let short = BatchError::Record { index: 1, fault: RecordFault::Truncated };
    check_refused(&two, &options(), short, 87);
    let delta = with_header(&one(), |h| h.last_offset_delta = 5);
    let range = BatchError::OffsetRange { record_count: 1, last_offset_delta: 5 };
    check_refused(&delta, &options(), range, 87);
    let records = [record("a", "", NOW), record("b", "", NOW)];
    for codec in Compression::ALL {
        let more = with_header(&in_codec(codec, &records), |h| {
            (h.record_count, h.last_offset_delta) = (1, 0);
        });
        check_refused(&more, &options(), BatchError::RecordsRemain { record_count: 1 }, 87);
        let fewer = with_header(&in_codec(codec, &records), |h| {
            (h.record_count, h.last_offset_delta) = (3, 2);
        });
        let short = BatchError::Record { index: 2, fault: RecordFault::Truncated };
        check_refused(&fewer, &options(), short, 87);
    }
    let huge = with_header(&one(), |h| {
        (h.record_count, h.last_offset_delta) = (i32::MAX, i32::MAX - 1);
    });
    let short = BatchError::Record { index: 1, fault: RecordFault::Truncated };
    check_refused(&huge, &options(), short, 87);
}

#[test]
fn base_offset() {
    let batch = with_header(&one(), |h| h.base_offset = 100);
    check_refused(&batch, &options(), BatchError::BaseOffset(100), 87);
}

#[test]
fn control_batches() {
    let control = |more: BatchOptions| {
        build(BatchOptions { is_control: true, ..more }, &[record("\0\0\0\u{1}", "", NOW)])
    };
    let plain = control(BatchOptions::default());
    check_refused(&plain, &options(), BatchError::ControlBatch, 87);
    // Flagged transactional too, Kafka looks for the transactional id first (53): the broker.
    let transactional = control(BatchOptions {
        is_transactional: true,
        producer_id: 1,
        producer_epoch: 0,
        base_sequence: 0,
        ..BatchOptions::default()
    });
    check_refused(&transactional, &options(), BatchError::ControlBatch, 87);
}

#[test]
fn producers() {
    let producer = |base_sequence| {
        let producer = BatchOptions { producer_id: 5, producer_epoch: 0, ..Default::default() };
        build(BatchOptions { base_sequence, ..producer }, &[record("k", "v", NOW)])
    };
    let error = BatchError::Sequence { producer_id: 5, sequence: -1 };
    check_refused(&producer(-1), &options(), error, 87);
    validate(&producer(0), &options()).unwrap();
    // Coordinators write batches with sequence 0 and no producer.
    validate(&with_header(&one(), |h| h.base_sequence = 0), &options()).unwrap();
}

#[test]
fn codecs() {
    let codec = |code: i16| with_header(&one(), |h| h.attributes.0 = code);
    for unknown in 5..=7 {
        let error = BatchError::UnknownCodec(unknown as u8);
        check_refused(&codec(unknown), &options(), error, 76);
    }
    for damaged in [Compression::Gzip, Compression::Lz4, Compression::Zstd] {
        let fault = CodecFault::Damaged;
        let error = BatchError::Decompress { codec: damaged, fault };
        check_refused(&codec(damaged.code().into()), &options(), error, 87);
    }
    // Bytes that are not snappy at all may still pass for a block, then fail as records.
    assert_eq!(code(&validate(&codec(2), &options()).unwrap_err()), 87);
    let old = ValidateOptions { allow_zstd: false, ..options() };
    let zstd = in_codec(Compression::Zstd, &[record("k", "v", NOW)]);
    check_refused(&zstd, &old, BatchError::CodecNotAllowed(Compression::Zstd), 76);
    validate(&in_codec(Compression::Lz4, &[record("k", "v", NOW)]), &old).unwrap();
}

#[test]
fn timestamps() {
    let at = |timestamp| in_codec(Compression::None, &[record("k", "v", timestamp)]);
    let late = NOW + 7_200_000;
    let message = format!(
        "its timestamp {late} is not from {} to {}, which is what \
         message.timestamp.before.max.ms and message.timestamp.after.max.ms allow now",
        NOW - i64::MAX,
        NOW + 3_600_000
    );
    check_record_errors(&at(late), &options(), &[(0, &message)], 32);
    validate(&at(NOW + 3_600_000), &options()).unwrap();
    for accepted in [0, -1, -2, i64::MIN] {
        let batch = with_header(&at(NOW), |h| h.base_timestamp = accepted);
        validate(&batch, &options()).unwrap();
    }
    assert_eq!(validate(&at(-1), &options()).unwrap().max_timestamp, -1);
    let strict = ValidateOptions { before_max_ms: 1000, ..options() };
    validate(&at(NOW - 1000), &strict).unwrap();
    assert_eq!(code(&validate(&at(NOW - 1001), &strict).unwrap_err()), 32);
    let append = ValidateOptions { timestamp_type: TimestampType::LogAppendTime, ..strict };
    let summary = validate(&at(late), &append).unwrap();
    assert_eq!(summary.max_timestamp, NOW);
    assert!(summary.must_patch_times());
}

#[test]
fn a_wrong_maximum_is_put_right() {
    let batch = with_header(&one(), |h| h.max_timestamp = NOW - 5000);
    let summary = validate(&batch, &options()).unwrap();
    assert_eq!(summary.max_timestamp, NOW);
    assert!(summary.must_patch_times());
    let mut stored = batch.to_vec();
    summary.patch_times(&mut stored);
    assert_eq!(stored, one());
}

#[test]
fn append_time_claimed_by_a_producer() {
    let claimed = with_header(&one(), |h| {
        h.attributes = h.attributes.with_timestamp_type(TimestampType::LogAppendTime);
    });
    let summary = validate(&claimed, &options()).unwrap();
    let mut stored = claimed.to_vec();
    summary.patch_times(&mut stored);
    assert_eq!(stored, one());
    let append = ValidateOptions { timestamp_type: TimestampType::LogAppendTime, ..options() };
    let message = "its batch says that the broker set the timestamp, which only the broker may say";
    check_record_errors(&claimed, &append, &[(0, message)], 32);
}

#[test]
fn a_claim_of_append_time_hides_no_times() {
    let append_time = |h: &mut BatchHeader| {
        h.attributes = h.attributes.with_timestamp_type(TimestampType::LogAppendTime);
        h.max_timestamp = NOW;
    };
    for codec in Compression::ALL {
        let near = [record("a", "", NOW - 9), record("b", "", NOW - 5)];
        let batch = with_header(&in_codec(codec, &near), append_time);
        let summary = validate(&batch, &options()).unwrap();
        assert_eq!((summary.max_timestamp, summary.max_timestamp_delta), (NOW - 5, 1));
        let mut stored = batch.to_vec();
        summary.patch_times(&mut stored);
        assert_eq!(stored, in_codec(codec, &near));
        let far = [record("a", "", NOW), record("b", "", NOW + 3_600_001)];
        let batch = with_header(&in_codec(codec, &far), append_time);
        assert_eq!(code(&validate(&batch, &options()).unwrap_err()), 32);
    }
}

#[test]
fn keys_where_the_topic_is_compacted() {
    let compacted = ValidateOptions { require_keys: true, ..options() };
    let null_key = Owned { timestamp: NOW, value: Some(vec![1]), ..Owned::default() };
    let message = "it has no key, which a compacted topic needs (cp-0)";
    for codec in Compression::ALL {
        let first = in_codec(codec, std::slice::from_ref(&null_key));
        check_record_errors(&first, &compacted, &[(0, message)], 87);
        let second =
            in_codec(codec, &[record("a", "v", NOW), null_key.clone(), record("b", "v", NOW)]);
        check_record_errors(&second, &compacted, &[(1, message)], 87);
        let tombstone = Owned { value: None, ..record("a", "", NOW) };
        validate(&in_codec(codec, &[tombstone]), &compacted).unwrap();
        validate(&in_codec(codec, &[record("", "v", NOW)]), &compacted).unwrap();
        validate(&first, &options()).unwrap();
    }
}

#[test]
fn a_time_among_the_errors_decides_the_code() {
    let compacted = ValidateOptions { require_keys: true, ..options() };
    let null_key = Owned { timestamp: NOW, ..Owned::default() };
    let late = record("k", "v", NOW + 3_600_001);
    let batch = in_codec(Compression::None, &[null_key, late]);
    let error = validate(&batch, &compacted).unwrap_err();
    assert_eq!(code(&error), 32);
    let BatchError::Refused(refused) = error else { panic!("{error}") };
    let message = refused.message("cp-0");
    assert!(message.starts_with("records refused: 2; record 0: it has no key"), "{message}");
    assert!(message.contains("; record 1: its timestamp"), "{message}");
}

#[test]
fn the_list_of_errors_is_bounded() {
    let compacted = ValidateOptions { require_keys: true, ..options() };
    let null_keys = vec![Owned { timestamp: NOW, ..Owned::default() }; RECORD_ERRORS_MAX + 5];
    let error = validate(&in_codec(Compression::None, &null_keys), &compacted).unwrap_err();
    let BatchError::Refused(refused) = error else { panic!("{error}") };
    assert_eq!((refused.errors.len(), refused.total), (RECORD_ERRORS_MAX, RECORD_ERRORS_MAX + 5));
    let why = "it has no key, which a compacted topic needs (cp-0)";
    let message = format!(
        "records refused: 1005; record 0: {why}; record 1: {why}; record 2: {why}; and 1002 more"
    );
    assert_eq!(refused.message("cp-0"), message);
}

#[test]
fn headers_repeat_and_are_null() {
    let headers = vec![
        (b"h".to_vec(), None),
        (b"h".to_vec(), Some(b"2".to_vec())),
        (Vec::new(), Some(Vec::new())),
    ];
    let batch = in_codec(Compression::None, &[Owned { headers, ..record("k", "v", NOW) }]);
    validate(&batch, &options()).unwrap();
}

#[test]
fn records_that_contradict_themselves() {
    let payload = one()[HEADER_BYTES..].to_vec();
    let with = |payload: &[u8]| with_payload(&one(), payload, |_| {});
    // The record's own size is one less and one more than its fields have.
    let mut short = payload.clone();
    short[0] -= 2;
    let (size, used) = ((payload.len() - 2) as u64, (payload.len() - 1) as u64);
    let fault = RecordFault::Size { size, used };
    check_refused(&with(&short), &options(), BatchError::Record { index: 0, fault }, 87);
    let mut long = payload.clone();
    long[0] += 2;
    long.push(0);
    let fault = RecordFault::Size { size: size + 2, used };
    check_refused(&with(&long), &options(), BatchError::Record { index: 0, fault }, 87);
    // A size, a key's length, a header count below what they can be; a number that never ends.
    for (at, byte, n) in [(0, 1, -1), (4, 3, -2), (payload.len() - 1, 1, -1)] {
        let mut wrong = payload.clone();
        wrong[at] = byte;
        let fault = RecordFault::Length(n);
        check_refused(&with(&wrong), &options(), BatchError::Record { index: 0, fault }, 87);
    }
    let fault = RecordFault::Varint;
    check_refused(&with(&[0xff; 6]), &options(), BatchError::Record { index: 0, fault }, 87);
}

#[test]
fn offsets_that_are_not_dense_are_renumbered() {
    for codec in Compression::ALL {
        let records = [record("a", "1", NOW - 5), record("b", "2", NOW)];
        let dense = in_codec(Compression::None, &records);
        // The second record's offset delta: behind the first record, its size, attributes and
        // timestamp delta.
        let mut payload = dense[HEADER_BYTES..].to_vec();
        let second = usize::from(payload[0] / 2) + 1;
        assert_eq!(payload[second + 3], 2);
        payload[second + 3] = 0;
        let mut packed = Vec::new();
        compress(codec, None, &payload, &mut packed);
        let sent = with_payload(&dense, &packed, |h| h.attributes = h.attributes.with_codec(codec));
        let summary = validate(&sent, &options()).unwrap();
        assert_eq!(summary.rewrite, Some(Rewrite::Renumber));
        let accepted = accept_produced(&sent, &options(), &mut Scratch::new()).unwrap();
        assert_eq!(accepted.summary.rewrite, None);
        assert_eq!(accepted.bytes, in_codec(codec, &records), "{codec}");
        let claimed = with_header(&sent, |h| {
            h.attributes = h.attributes.with_timestamp_type(TimestampType::LogAppendTime);
        });
        let accepted = accept_produced(&claimed, &options(), &mut Scratch::new()).unwrap();
        assert_eq!(accepted.bytes, in_codec(codec, &records), "{codec}");
    }
}

#[test]
fn stored_in_the_topics_codec() {
    let records: Vec<Owned> = (0..50).map(|n| record("key", &"v".repeat(n), NOW - 50)).collect();
    for (sent, target) in
        Compression::ALL.iter().flat_map(|s| Compression::ALL.iter().map(move |t| (*s, *t)))
    {
        let batch = in_codec(sent, &records);
        let storing = Storing::In { codec: target, level: None };
        let options = ValidateOptions { storing, ..options() };
        let accepted = accept_produced(&batch, &options, &mut Scratch::new()).unwrap();
        assert_eq!(accepted.bytes, in_codec(target, &records), "{sent} {target}");
        assert_eq!(accepted.summary.header.compression(), Ok(target));
        assert_eq!(accepted.summary.max_timestamp, NOW - 50);
        if sent == target {
            assert_eq!(accepted.bytes.as_ptr(), batch.as_ptr(), "not even copied");
        }
    }
}

#[test]
fn too_large_once_recompressed() {
    let batch = in_codec(Compression::Zstd, &[record("k", &"x".repeat(5000), NOW)]);
    let options = ValidateOptions {
        batch_bytes_max: 1000,
        storing: Storing::In { codec: Compression::None, level: None },
        ..options()
    };
    let error = accept_produced(&batch, &options, &mut Scratch::new()).unwrap_err();
    assert!(matches!(error, BatchError::TooLarge { size: 5000.., max: 1000 }), "{error}");
}
