//! Writing: addresses, sizes, forged batches, times.

use std::time::Duration;

use bytes::Bytes;
use highwater_records::{Attributes, BatchHeader, Compression, NewRecord};
use highwater_testkit::batch::{self, record};
use highwater_testkit::{Topic, Wire, WireError, now_ms, unique};
use highwater_types::Uuid;
use highwater_wire::messages::ProduceRequest;
use highwater_wire::{ApiKey, ErrorCode};

use super::case::{Bench, Case, End, Expected, Outcome, case, check, not_as_kafka, says};
use super::topics::NO_SUCH_ID;

/// Kafka's default of `max.message.bytes`.
const BATCH_BYTES_MAX: usize = 1_048_588;
const HOUR_MS: i64 = 3_600_000;

pub struct State {
    topic: Topic,
    compacted: Topic,
    offsets: Topic,
    missing: Topic,
    now: i64,
}

type Run = Bench<State>;
type Ended = Result<Outcome, WireError>;

#[test]
fn produce() {
    check(prepare, cases());
}

fn prepare(wire: &mut Wire) -> State {
    wire.wait_for_coordinator("any");
    State {
        topic: wire.new_topic(2, &[]),
        compacted: wire.new_topic(1, &[("cleanup.policy", "compact")]),
        offsets: Topic { name: "__consumer_offsets".into(), id: Uuid::ZERO },
        missing: Topic { name: unique("nope").into(), id: NO_SUCH_ID },
        now: now_ms(),
    }
}

/// In the order in which they are sent: the offsets of those that are accepted follow each other.
pub fn cases() -> Vec<Case<State>> {
    let mut all = addresses();
    all.extend(sizes());
    all.extend(forgeries());
    all.extend(control_and_codecs());
    all.extend(times());
    all.extend(keys());
    all.extend(producers());
    all.extend(versions());
    all
}

/// Sends what the closure makes, and reports on its only partition.
fn produced(
    label: &str,
    expected: impl Into<Expected>,
    make: impl Fn(&State) -> (i16, ProduceRequest) + 'static,
) -> Case<State> {
    let send = move |b: &mut Run| {
        let (version, request) = make(&b.state);
        let mut answer = b.call(version, &request)?;
        let partition = answer.responses.remove(0).partition_responses.remove(0);
        let outcome = Outcome::code(partition.error_code).saying(partition.error_message);
        let outcome = match partition.record_errors.first() {
            Some(error) => outcome.with("record", error.batch_index.into()),
            None => outcome,
        };
        Ok(outcome.with("base_offset", partition.base_offset))
    };
    case(format!("produce: {label}"), expected, send)
}

/// Sends a batch to the plain topic.
fn batched(
    label: &str,
    expected: impl Into<Expected>,
    make: impl Fn(i64) -> Bytes + 'static,
) -> Case<State> {
    produced(label, expected, move |s| (9, s.topic.produce(9, 0, Some(make(s.now)))))
}

/// Sends a batch with another header; its CRC fits.
fn forged(
    label: &str,
    expected: impl Into<Expected>,
    change: impl Fn(&mut BatchHeader) + 'static,
) -> Case<State> {
    batched(label, expected, move |now| batch::forged(&batch::one(now), &change))
}

fn refused(code: ErrorCode) -> Expected {
    Expected::from(code).with("base_offset", -1)
}

fn accepted(base_offset: i64) -> Expected {
    Expected::from(ErrorCode::NONE).with("base_offset", base_offset)
}

fn addresses() -> Vec<Case<State>> {
    use ErrorCode as E;
    let one = |s: &State| Some(batch::one(s.now));
    let unknown = || refused(E::UNKNOWN_TOPIC_OR_PARTITION);
    vec![
        produced("valid", accepted(0), move |s| (9, s.topic.produce(9, 0, one(s)))),
        produced("unknown topic (v9, by name)", unknown(), move |s| {
            (9, s.missing.produce(9, 0, one(s)))
        }),
        produced("unknown topic id (v13)", refused(E::UNKNOWN_TOPIC_ID), move |s| {
            (13, s.missing.produce(13, 0, one(s)))
        }),
        produced("unknown partition", unknown(), move |s| (9, s.topic.produce(9, 7, one(s)))),
        produced("partition -1", unknown(), move |s| (9, s.topic.produce(9, -1, one(s)))),
        produced("acks=2", refused(E::INVALID_REQUIRED_ACKS), move |s| {
            (9, ProduceRequest { acks: 2, ..s.topic.produce(9, 0, one(s)) })
        }),
        produced("acks=-2", refused(E::INVALID_REQUIRED_ACKS), move |s| {
            (9, ProduceRequest { acks: -2, ..s.topic.produce(9, 0, one(s)) })
        }),
        produced("to __consumer_offsets", refused(E::INVALID_TOPIC_EXCEPTION), move |s| {
            (9, s.offsets.produce(9, 0, one(s)))
        }),
    ]
}

fn sizes() -> Vec<Case<State>> {
    use ErrorCode as E;
    let too_large = || refused(E::MESSAGE_TOO_LARGE);
    vec![
        batched("record of 1 MiB + 100 (max.message.bytes 1048588)", too_large(), |now| {
            let value = "x".repeat((1 << 20) + 100);
            batch::plain(&[record(None, Some(&value), now)])
        }),
        batched("batch of exactly 1048588 B", accepted(1), |now| {
            batch::of_size(BATCH_BYTES_MAX, now)
        }),
        batched("batch of 1048589 B", too_large(), |now| batch::of_size(BATCH_BYTES_MAX + 1, now)),
    ]
}

fn forgeries() -> Vec<Case<State>> {
    use ErrorCode as E;
    let invalid = || refused(E::INVALID_RECORD);
    let one = batch::one;
    vec![
        batched("CRC wrong", refused(E::CORRUPT_MESSAGE), move |now| {
            batch::with_crc(&one(now), 12_345)
        }),
        forged("magic 1 in a v2-shaped batch", invalid(), |h| h.magic = 1),
        forged("magic 3", says(E::CORRUPT_MESSAGE).with("base_offset", -1), |h| h.magic = 3),
        case(
            "produce: null records",
            not_as_kafka(E::INVALID_RECORD, End::NoAnswer),
            |b: &mut Run| {
                let request = b.state.topic.produce(9, 0, None);
                let mut wire = b.broker.connect().with_timeout(Duration::from_secs(3));
                let mut answer = wire.try_call(9, &request)?;
                let partition = answer.responses.remove(0).partition_responses.remove(0);
                Ok(Outcome::code(partition.error_code))
            },
        ),
        batched("empty records", invalid(), |_| Bytes::new()),
        batched("two batches for one partition", invalid(), move |now| {
            [one(now), one(now)].concat().into()
        }),
        batched("batch cut short by 5 B", invalid(), move |now| {
            let batch = one(now);
            batch.slice(..batch.len() - 5)
        }),
        batched("batch followed by 5 stray bytes", accepted(2), move |now| {
            [&one(now)[..], &[0; 5]].concat().into()
        }),
        batched("batch with no records", invalid(), |now| {
            batch::forged(&batch::with_payload(&batch::one(now), &[]), |h| {
                (h.record_count, h.last_offset_delta) = (0, -1);
            })
        }),
        forged("count field 2, one record", invalid(), |h| {
            (h.record_count, h.last_offset_delta) = (2, 1);
        }),
        forged("count 1 but last offset delta 5", invalid(), |h| h.last_offset_delta = 5),
        forged("base offset 100 in the batch", invalid(), |h| h.base_offset = 100),
    ]
}

fn control_and_codecs() -> Vec<Case<State>> {
    use ErrorCode as E;
    let unknown_error = End::Code(E::UNKNOWN_SERVER_ERROR);
    let control = |transactional: bool| {
        move |now| {
            let marker = NewRecord {
                timestamp: now,
                key: Some(b"\0\0\0\x01"),
                value: Some(b"\0\0\0\0\0\0"),
                headers: &[],
            };
            batch::forged(&batch::plain(&[marker]), |h| {
                let attributes = h.attributes.with_control(true);
                h.attributes = attributes.with_transactional(transactional);
                if transactional {
                    (h.producer_id, h.producer_epoch, h.base_sequence) = (1, 0, 0);
                }
            })
        }
    };
    vec![
        batched("control batch from a client", refused(E::INVALID_RECORD), control(false)),
        batched(
            "control batch flagged transactional",
            refused(E::TRANSACTIONAL_ID_AUTHORIZATION_FAILED),
            control(true),
        ),
        forged(
            "codec 5 in the attributes",
            not_as_kafka(E::UNSUPPORTED_COMPRESSION_TYPE, unknown_error).with("base_offset", -1),
            |h| h.attributes = Attributes(5),
        ),
        forged(
            "gzip flag over bytes that are not gzip",
            not_as_kafka(E::INVALID_RECORD, unknown_error).with("base_offset", -1),
            |h| h.attributes = h.attributes.with_codec(Compression::Gzip),
        ),
        batched("gzip, valid", accepted(3), |now| {
            batch::compressed(Compression::Gzip, &[record(Some("k"), Some("v"), now)])
        }),
        produced("zstd flag in Produce v6", refused(E::UNSUPPORTED_COMPRESSION_TYPE), |s| {
            let batch = batch::forged(&batch::one(s.now), |h| {
                h.attributes = h.attributes.with_codec(Compression::Zstd);
            });
            (6, s.topic.produce(6, 0, Some(batch)))
        }),
    ]
}

fn times() -> Vec<Case<State>> {
    let late = says(ErrorCode::INVALID_TIMESTAMP).with("record", 0).with("base_offset", -1);
    vec![
        batched("timestamp 2 h in the future (limit 1 h)", late, |now| {
            batch::one(now + 2 * HOUR_MS)
        }),
        batched("timestamp of 1970 (no lower limit by default)", accepted(4), |_| batch::one(0)),
        batched("timestamp -1", accepted(5), |_| batch::one(-1)),
        forged("max timestamp field wrong", accepted(6), |h| h.max_timestamp -= 5_000),
        forged("attributes say log append time", accepted(7), |h| h.attributes = Attributes(8)),
    ]
}

fn keys() -> Vec<Case<State>> {
    let keyless =
        |index| says(ErrorCode::INVALID_RECORD).with("record", index).with("base_offset", -1);
    let compacted = |label: &str, expected: Expected, keys: &'static [Option<&str>], value| {
        produced(label, expected, move |s| {
            let records: Vec<_> = keys.iter().map(|key| record(*key, value, s.now)).collect();
            (9, s.compacted.produce(9, 0, Some(batch::plain(&records))))
        })
    };
    vec![
        compacted("null key to a compacted topic", keyless(0), &[None], Some("v")),
        compacted(
            "second of three records without key to a compacted topic",
            keyless(1),
            &[Some("a"), None, Some("b")],
            Some("v"),
        ),
        compacted("tombstone to a compacted topic", accepted(0), &[Some("a")], None),
    ]
}

fn producers() -> Vec<Case<State>> {
    use ErrorCode as E;
    vec![
        forged(
            "transactional flag without a transactional id",
            refused(E::TRANSACTIONAL_ID_AUTHORIZATION_FAILED),
            |h| {
                h.attributes = h.attributes.with_transactional(true);
                (h.producer_id, h.producer_epoch, h.base_sequence) = (1, 0, 0);
            },
        ),
        produced("transactional id in the request, plain batch", accepted(8), |s| {
            let request = s.topic.produce(9, 0, Some(batch::one(s.now)));
            (9, ProduceRequest { transactional_id: Some("x".into()), ..request })
        }),
        forged("producer id without a sequence", refused(E::INVALID_RECORD), |h| {
            (h.producer_id, h.producer_epoch, h.base_sequence) = (5, 0, -1);
        }),
    ]
}

/// Sends 40 zeros as the body of a request.
pub fn send_zeros<S>(b: &mut Bench<S>, key: ApiKey, version: i16) -> Ended {
    let mut wire = b.broker.connect();
    let header = [&key.0.to_be_bytes()[..], &version.to_be_bytes(), &[0, 0, 0, 1, 0xff, 0xff]];
    wire.send_frame(&[&header.concat()[..], &[0; 40]].concat())?;
    wire.receive_frame()?;
    Ok(Outcome::of(End::Answered))
}

fn versions() -> Vec<Case<State>> {
    vec![
        case("produce: v2 (below the offered data versions)", End::Closed, |b: &mut Run| {
            send_zeros(b, ApiKey::PRODUCE, 2)
        }),
        case("produce: v14", End::Closed, |b: &mut Run| send_zeros(b, ApiKey::PRODUCE, 14)),
        batched("header value null, duplicate header names", accepted(9), |now| {
            let header = highwater_records::Header::new;
            let headers = [header("h", None), header("h", Some(b"2")), header("", Some(b""))];
            let record = record(Some("k"), Some("v"), now);
            batch::plain(&[NewRecord { headers: &headers, ..record }])
        }),
        case("produce: acks=0 with an unknown partition", End::Closed, |b: &mut Run| {
            let request = b.state.topic.produce(9, 77, Some(batch::one(b.state.now)));
            let mut wire = b.broker.connect();
            wire.try_call(9, &ProduceRequest { acks: 0, ..request })?;
            Ok(Outcome::of(End::Answered))
        }),
    ]
}
