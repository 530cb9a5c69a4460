//! Sequences and epochs of idempotent producers.

use bytes::Bytes;
use highwater_testkit::{Topic, Wire, batch, now_ms};
use highwater_wire::ErrorCode;
use highwater_wire::messages::InitProducerIdRequest;

use super::case::{Bench, Case, Expected, Outcome, case, check, no_transactions};

/// Never handed out by any cluster of this test.
const FOREIGN_ID: i64 = 987_654_321;

pub struct State {
    topic: Topic,
    producer: i64,
    /// Unknown to the partition until it starts late.
    late: i64,
    wrapping: i64,
    now: i64,
}

/// Producer, epoch, base sequence, number of records.
type Written = (fn(&State) -> i64, i16, i32, usize);

#[test]
fn idempotence() {
    let prepare = |wire: &mut Wire| State {
        topic: wire.new_topic(1, &[]),
        producer: wire.new_producer().0,
        late: wire.new_producer().0,
        wrapping: wire.new_producer().0,
        now: now_ms(),
    };
    check(prepare, cases());
}

fn batch_of(state: &State, (id, epoch, sequence, count): Written) -> Bytes {
    batch::of_producer((id(state), epoch), sequence, count, state.now)
}

fn written(label: &str, expected: Expected, written: Written) -> Case<State> {
    let send = move |b: &mut Bench<State>| {
        let batch = batch_of(&b.state, written);
        let request = b.state.topic.produce(9, 0, Some(batch));
        let mut answer = b.call(9, &request)?;
        let partition = answer.responses.remove(0).partition_responses.remove(0);
        Ok(Outcome::code(partition.error_code).with("base_offset", partition.base_offset))
    };
    case(format!("idempotent: {label}"), expected, send)
}

pub fn cases() -> Vec<Case<State>> {
    use ErrorCode as E;
    let at = |offset| Expected::from(E::NONE).with("base_offset", offset);
    let refused = |code: ErrorCode| Expected::from(code).with("base_offset", -1);
    let gap = || refused(E::OUT_OF_ORDER_SEQUENCE_NUMBER);
    let producer: fn(&State) -> i64 = |state| state.producer;
    let timeout = || Expected::from(E::INVALID_TRANSACTION_TIMEOUT);
    let wrapping: fn(&State) -> i64 = |state| state.wrapping;
    vec![
        written("first batch, sequence 0", at(0), (producer, 0, 0, 2)),
        written("sequence 2 follows", at(2), (producer, 0, 2, 1)),
        written(
            "last batch again (duplicate: answered with its offset)",
            at(2),
            (producer, 0, 2, 1),
        ),
        written("first batch again (still among the last 5)", at(0), (producer, 0, 0, 2)),
        written("gap, sequence 9 after 2", gap(), (producer, 0, 9, 1)),
        written("sequence 0 with 3 records (no exact match)", gap(), (producer, 0, 0, 3)),
        case(
            "idempotent: batch 6 back (no longer among the last 5)",
            gap(),
            |b: &mut Bench<State>| {
                for sequence in 3..=7 {
                    let batch = batch_of(&b.state, (|s| s.producer, 0, sequence, 1));
                    b.wire.must_produce(&b.state.topic, 0, &batch);
                }
                let batch = batch_of(&b.state, (|s| s.producer, 0, 2, 1));
                let answer = b.wire.produce(&b.state.topic, 0, &batch);
                Ok(Outcome::code(answer.error_code).with("base_offset", answer.base_offset))
            },
        ),
        written("epoch 1, sequence 5 (a new epoch starts at 0)", gap(), (producer, 1, 5, 1)),
        written("epoch 1, sequence 0", at(8), (producer, 1, 0, 1)),
        written("stale epoch 0", refused(E::INVALID_PRODUCER_EPOCH), (producer, 0, 8, 1)),
        written("unknown producer starts at sequence 10", at(9), (|s| s.late, 0, 10, 1)),
        written("producer id never handed out", at(10), (|_| FOREIGN_ID, 0, 0, 1)),
        written("wrap, first batch at 2147483646", at(11), (wrapping, 0, i32::MAX - 1, 1)),
        written("wrap, two records at 2147483647", at(12), (wrapping, 0, i32::MAX, 2)),
        written("wrap, next at 1", at(14), (wrapping, 0, 1, 1)),
        init("timeout 900001 ms (maximum 900000)", timeout(), ("t", 900_001, NONE)),
        init("timeout 0", timeout(), ("t", 0, NONE)),
        init("empty transactional id", E::INVALID_REQUEST.into(), ("", 60_000, NONE)),
        init("producer id without epoch", E::INVALID_REQUEST.into(), ("t", 60_000, (5, -1))),
        init(
            "unknown transactional id with a producer id",
            no_transactions(),
            ("unknown", 60_000, (FOREIGN_ID, 0)),
        ),
    ]
}

/// Producer id and epoch of a request for a new producer.
const NONE: (i64, i16) = (-1, -1);

/// Transactional id, timeout, producer id and epoch.
type Init = (&'static str, i32, (i64, i16));

fn init(label: &str, expected: Expected, init: Init) -> Case<State> {
    let (transactional_id, transaction_timeout_ms, (producer_id, producer_epoch)) = init;
    let send = move |b: &mut Bench<State>| {
        let request = InitProducerIdRequest {
            transactional_id: Some(transactional_id.into()),
            transaction_timeout_ms,
            producer_id,
            producer_epoch,
            ..Default::default()
        };
        b.until_final(|b| Ok(Outcome::code(b.call(4, &request)?.error_code)))
    };
    case(format!("init producer id: {label}"), expected, send)
}
