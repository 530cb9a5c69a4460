//! Reading: offsets, epochs, ids, sessions.

use highwater_testkit::{Topic, Wire, WireError, batch, now_ms, unique};
use highwater_types::Uuid;
use highwater_wire::messages::FetchRequest;
use highwater_wire::{ApiKey, ErrorCode};

use super::case::{Bench, Case, End, Expected, Outcome, case, check, not_as_kafka};
use super::produce::send_zeros;
use super::topics::NO_SUCH_ID;

pub struct State {
    /// Has ten records.
    topic: Topic,
    missing: Topic,
}

type Run = Bench<State>;
type Ended = Result<Outcome, WireError>;

#[test]
fn fetch() {
    let prepare = |wire: &mut Wire| {
        let topic = wire.new_topic(1, &[]);
        for _ in 0..10 {
            wire.must_produce(&topic, 0, &batch::one(now_ms()));
        }
        State { topic, missing: Topic { name: unique("nope").into(), id: NO_SUCH_ID } }
    };
    check(prepare, cases());
}

/// Sends what the closure makes of a fetch of the first partition from offset 0 on.
fn fetched(
    label: &str,
    expected: impl Into<Expected>,
    change: impl Fn(&State, &mut FetchRequest) + 'static,
) -> Case<State> {
    let send = move |b: &mut Run| {
        let mut request = b.state.topic.fetch(13, 0, 0);
        change(&b.state, &mut request);
        report(b, 13, &request)
    };
    case(format!("fetch: {label}"), expected, send)
}

fn report(b: &mut Run, version: i16, request: &FetchRequest) -> Ended {
    let mut answer = b.call(version, request)?;
    if answer.error_code != 0 || answer.responses.is_empty() {
        return Ok(Outcome::code(answer.error_code));
    }
    let partition = answer.responses.remove(0).partitions.remove(0);
    Ok(Outcome::code(partition.error_code)
        .with("high_watermark", partition.high_watermark)
        .with("log_start_offset", partition.log_start_offset))
}

fn refused(code: ErrorCode) -> Expected {
    Expected::from(code).with("high_watermark", -1).with("log_start_offset", -1)
}

pub fn cases() -> Vec<Case<State>> {
    let mut all = partitions();
    all.extend(sessions());
    all.extend(oddities());
    all
}

fn partitions() -> Vec<Case<State>> {
    use ErrorCode as E;
    let out_of_range = || refused(E::OFFSET_OUT_OF_RANGE);
    vec![
        fetched("offset beyond the end", out_of_range(), |_, r| {
            r.topics[0].partitions[0].fetch_offset = 100_000;
        }),
        fetched("offset -1", out_of_range(), |_, r| r.topics[0].partitions[0].fetch_offset = -1),
        fetched("unknown partition", refused(E::UNKNOWN_TOPIC_OR_PARTITION), |_, r| {
            r.topics[0].partitions[0].partition = 9;
        }),
        fetched("unknown topic id", refused(E::UNKNOWN_TOPIC_ID), |s, r| {
            r.topics[0].topic_id = s.missing.id;
        }),
        fetched("zero topic id", refused(E::UNKNOWN_TOPIC_ID), |_, r| {
            r.topics[0].topic_id = Uuid::ZERO;
        }),
        fetched("leader epoch 5 (current 0)", refused(E::UNKNOWN_LEADER_EPOCH), |_, r| {
            r.topics[0].partitions[0].current_leader_epoch = 5;
        }),
        fetched("leader epoch -1 (not checked)", E::NONE, |_, r| {
            r.topics[0].partitions[0].current_leader_epoch = -1;
        }),
        case("fetch: unknown topic by name (v12)", E::UNKNOWN_TOPIC_OR_PARTITION, |b: &mut Run| {
            let request = b.state.missing.fetch(12, 0, 0);
            report(b, 12, &request)
        }),
    ]
}

fn sessions() -> Vec<Case<State>> {
    use ErrorCode as E;
    vec![
        fetched("unknown session id", E::FETCH_SESSION_ID_NOT_FOUND, |_, r| {
            r.topics.clear();
            (r.session_id, r.session_epoch) = (123_456, 1);
        }),
        case(
            "fetch: session epoch 7 where 1 is due",
            E::INVALID_FETCH_SESSION_EPOCH,
            |b: &mut Run| {
                let first = FetchRequest { session_epoch: 0, ..b.state.topic.fetch(13, 0, 0) };
                let session_id = b.call(13, &first)?.session_id;
                let next = FetchRequest { session_id, session_epoch: 7, topics: vec![], ..first };
                report(b, 13, &next)
            },
        ),
    ]
}

fn oddities() -> Vec<Case<State>> {
    use ErrorCode as E;
    vec![
        fetched(
            "as follower 1 (no such replica fetch expected)",
            refused(E::NOT_LEADER_OR_FOLLOWER),
            |_, r| r.replica_id = 1,
        ),
        fetched("as consumer with replica id -3", E::NONE, |_, r| r.replica_id = -3),
        fetched(
            "isolation level 9",
            not_as_kafka(E::INVALID_REQUEST, End::Code(E::UNKNOWN_SERVER_ERROR)),
            |_, r| r.isolation_level = 9,
        ),
        case("fetch: v3", End::Closed, |b: &mut Run| send_zeros(b, ApiKey::FETCH, 3)),
        case("fetch: v19", End::Closed, |b: &mut Run| send_zeros(b, ApiKey::FETCH, 19)),
    ]
}
