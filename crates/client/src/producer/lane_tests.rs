//! One partition's batches under every kind of answer.

use std::time::Duration;

use highwater_records::NewRecord;
use highwater_types::{Offset, PartitionIndex, ProducerEpoch, ProducerId};
use highwater_wire::ErrorCode;
use tokio::time::Instant;

use super::ProducerOptions;
use super::batch::Identity;
use super::delivery::{Delivery, Placed};
use super::lane::{Lane, Readiness};
use crate::{Backoff, ClientError};

struct Bench {
    lane: Lane,
    options: ProducerOptions,
    now: Instant,
    deliveries: Vec<Delivery>,
}

fn identity(id: i64) -> Identity {
    Identity { id: ProducerId(id), epoch: ProducerEpoch(0) }
}

/// A lane whose producer the broker knows, with so many batches of one record each, closed.
fn bench(batches: usize) -> Bench {
    let mut bench = new_bench();
    bench.append();
    bench.lane.close();
    assert_eq!(bench.take(), [(0, 0)]);
    bench.succeed(0, 0);
    bench.deliveries.clear();
    bench.lane.take_freed();
    for _ in 0..batches {
        bench.append();
        bench.lane.close();
    }
    bench
}

/// A lane whose producer the broker does not know yet.
fn new_bench() -> Bench {
    let first = Duration::from_millis(100);
    Bench {
        lane: Lane::new(PartitionIndex(0), identity(7)),
        options: ProducerOptions { backoff: Backoff { first, max: first }, ..Default::default() },
        now: Instant::now(),
        deliveries: Vec::new(),
    }
}

impl Bench {
    fn append(&mut self) -> bool {
        let record = NewRecord { value: Some(&[0; 100]), ..NewRecord::default() };
        let (delivery, is_news) = self.lane.append(&record, 100, &self.options, self.now);
        self.deliveries.push(delivery);
        is_news
    }

    /// Takes all that can be taken: the orders and base sequences.
    fn take(&mut self) -> Vec<(u64, i32)> {
        let mut taken = Vec::new();
        while self.lane.readiness(&self.options, self.now) == Readiness::Now {
            let batch = self.lane.take().unwrap();
            let bytes = batch.records.to_bytes().unwrap();
            let header = highwater_records::BatchHeader::parse(&bytes).unwrap();
            taken.push((batch.order, header.base_sequence));
        }
        taken
    }

    /// The epoch of the next batch.
    fn next_epoch(&mut self) -> i16 {
        let batch = self.lane.take().unwrap();
        let header = highwater_records::BatchHeader::parse(&batch.records.to_bytes().unwrap());
        header.unwrap().producer_epoch
    }

    fn succeed(&mut self, order: u64, base_offset: i64) {
        let base_offset = Some(Offset(base_offset));
        self.lane.on_success(order, Placed { base_offset, append_time: None });
    }

    fn fail(&mut self, order: u64, code: ErrorCode) {
        let error = ClientError::check("test", code.0, None).unwrap_err();
        self.lane.on_failure(order, error, &self.options, self.now);
    }

    fn lose(&mut self, order: u64) {
        let error = ClientError::Closed { address: "a".into(), reason: "test".into() };
        self.lane.on_failure(order, error, &self.options, self.now);
    }

    fn wait(&mut self) {
        self.now += Duration::from_millis(150);
    }

    /// Offsets of the deliveries: -1 failed, -2 not known yet.
    fn offsets(&self) -> Vec<i64> {
        let offset = |delivery: &Delivery| match delivery.result() {
            None => -2,
            Some(Err(_)) => -1,
            Some(Ok(delivered)) => delivered.offset.unwrap().get(),
        };
        self.deliveries.iter().map(offset).collect()
    }
}

#[test]
fn batches_close_when_full_and_go_out_when_lingered() {
    let mut bench = bench(0);
    bench.options.batch_bytes = 400;
    assert!(bench.append(), "a batch began");
    assert!(!bench.append());
    let linger_at = bench.now + bench.options.linger;
    assert_eq!(bench.lane.readiness(&bench.options, bench.now), Readiness::At(linger_at));
    let news: Vec<bool> = (0..4).map(|_| bench.append()).collect();
    assert_eq!(news.iter().filter(|news| **news).count(), 1, "the first is full");
    assert_eq!(bench.take(), [(1, 1)]);
    bench.wait();
    assert_eq!(bench.take(), [(2, 4)]);
    bench.succeed(1, 40);
    bench.succeed(2, 43);
    assert_eq!(bench.offsets(), [40, 41, 42, 43, 44, 45]);
    assert_eq!(bench.lane.take_freed(), 600);
}

#[test]
fn at_most_so_many_fly() {
    let mut bench = bench(7);
    assert_eq!(bench.take().len(), 5);
    bench.succeed(1, 1);
    assert_eq!(bench.take(), [(6, 6)]);
}

#[test]
fn after_a_failure_all_return_before_any_goes_again_in_order() {
    let mut bench = bench(4);
    assert_eq!(bench.take(), [(1, 1), (2, 2), (3, 3), (4, 4)]);
    bench.fail(1, ErrorCode::NOT_LEADER_OR_FOLLOWER);
    bench.fail(3, ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER);
    bench.wait();
    assert_eq!(bench.take(), []);
    bench.fail(2, ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER);
    bench.fail(4, ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER);
    assert_eq!(bench.take(), [], "a pause first");
    bench.wait();
    assert_eq!(bench.take(), [(1, 1), (2, 2), (3, 3), (4, 4)]);
    for order in 1..5 {
        bench.succeed(order, order as i64);
    }
    assert_eq!(bench.offsets(), [1, 2, 3, 4]);
}

#[test]
fn a_lost_connection_repeats_all_as_they_were() {
    let mut bench = bench(3);
    assert_eq!(bench.take().len(), 3);
    for order in 1..4 {
        bench.lose(order);
    }
    bench.wait();
    assert_eq!(bench.take(), [(1, 1), (2, 2), (3, 3)]);
}

#[test]
fn none_gets_so_far_ahead_that_the_broker_could_forget_the_oldest() {
    let mut bench = bench(9);
    assert_eq!(bench.take().len(), 5);
    bench.fail(1, ErrorCode::REQUEST_TIMED_OUT);
    for order in 2..6 {
        bench.succeed(order, 0);
    }
    bench.wait();
    // The broker remembers 1 to 5.
    assert_eq!(bench.take(), [(1, 1)]);
    bench.succeed(1, 0);
    assert_eq!(bench.take().len(), 4);
}

#[test]
fn a_batch_that_fails_for_good_makes_the_rest_begin_anew() {
    let mut bench = bench(3);
    assert_eq!(bench.take().len(), 3);
    bench.fail(1, ErrorCode::MESSAGE_TOO_LARGE);
    bench.fail(2, ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER);
    bench.fail(3, ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER);
    bench.append();
    bench.wait();
    assert_eq!(bench.take(), [(2, 0)], "one, until the broker has it");
    bench.succeed(2, 9);
    assert_eq!(bench.take(), [(3, 1), (4, 2)]);
    assert_eq!(bench.offsets(), [-1, 9, -2, -2]);
}

#[test]
fn behind_a_refused_batch_nothing_is_in_the_log() {
    let mut bench = bench(3);
    assert_eq!(bench.take().len(), 3);
    bench.lose(2);
    bench.lose(3);
    bench.fail(1, ErrorCode::RECORD_LIST_TOO_LARGE);
    bench.wait();
    // Behind a batch that is surely not in the log nothing is.
    assert_eq!(bench.next_epoch(), 1);
}

#[test]
fn behind_what_is_perhaps_in_the_log_nothing_is_certain() {
    let mut bench = bench_of_3_lost();
    bench.fail(1, ErrorCode::UNKNOWN_SERVER_ERROR);
    // They go out as they were; the broker, which has neither, says so.
    assert_eq!(bench.take(), [(2, 2), (3, 3)]);
    bench.fail(2, ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER);
    bench.lose(3);
    bench.wait();
    assert_eq!(bench.next_epoch(), 1);
    assert_eq!(bench.offsets(), [-1, -2, -2]);
}

/// Three batches that were lost; the first flies again.
fn bench_of_3_lost() -> Bench {
    let mut bench = bench(3);
    bench.take();
    for order in 1..4 {
        bench.lose(order);
    }
    bench.wait();
    bench.lane.take();
    bench
}

#[test]
fn a_broker_that_forgot_the_producer_gets_its_next_epoch() {
    for code in [ErrorCode::UNKNOWN_PRODUCER_ID, ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER] {
        let mut bench = bench(2);
        assert_eq!(bench.take().len(), 2);
        bench.fail(1, code);
        bench.fail(2, code);
        bench.wait();
        assert_eq!(bench.next_epoch(), 1);
    }
}

#[test]
fn deliveries_end_in_time() {
    let mut bench = bench(2);
    bench.now += bench.options.delivery_timeout;
    bench.append();
    bench.lane.expire(&bench.options, bench.now);
    assert_eq!(bench.offsets(), [-1, -1, -2]);
    bench.wait();
    assert_eq!(bench.take(), [(3, 0)]);
    bench.now += bench.options.delivery_timeout;
    bench.lose(3);
    assert_eq!(bench.offsets(), [-1, -1, -1]);
}

#[test]
fn without_identity_errors_about_sequences_are_final() {
    let mut bench = bench(0);
    bench.lane = Lane::new(PartitionIndex(0), Identity::NONE);
    bench.append();
    bench.lane.close();
    assert_eq!(bench.take(), [(0, -1)]);
    bench.fail(0, ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER);
    assert_eq!(bench.offsets(), [-1]);
    assert!(!bench.lane.wants_identity());
}

#[test]
fn all_can_be_failed() {
    let mut bench = bench(3);
    bench.take();
    bench.fail(2, ErrorCode::NOT_LEADER_OR_FOLLOWER);
    bench.append();
    bench.lane.fail_all(&ClientError::invalid("over"));
    assert_eq!(bench.offsets(), [-1; 4]);
    assert_eq!(bench.lane.take_freed(), 400);
    assert!(bench.lane.outcomes().is_empty());
}

#[test]
fn of_an_unknown_producer_one_batch_flies() {
    let mut bench = new_bench();
    for _ in 0..3 {
        bench.append();
        bench.lane.close();
    }
    assert_eq!(bench.take(), [(0, 0)]);
    bench.fail(0, ErrorCode::NOT_LEADER_OR_FOLLOWER);
    bench.wait();
    assert_eq!(bench.take(), [(0, 0)]);
    bench.succeed(0, 0);
    assert_eq!(bench.take(), [(1, 1), (2, 2)]);
}

#[test]
fn after_the_last_epoch_comes_another_producer() {
    let mut bench = new_bench();
    let last = Identity { epoch: ProducerEpoch(i16::MAX), ..identity(7) };
    bench.lane = Lane::new(PartitionIndex(0), last);
    for _ in 0..2 {
        bench.append();
        bench.lane.close();
    }
    assert_eq!(bench.take(), [(0, 0)]);
    bench.fail(0, ErrorCode::MESSAGE_TOO_LARGE);
    assert!(bench.lane.wants_identity());
    assert_eq!(bench.take(), [], "not without an identity");
    bench.lane.adopt(identity(8));
    assert!(!bench.lane.wants_identity());
    assert_eq!(bench.next_epoch(), 0);
}
