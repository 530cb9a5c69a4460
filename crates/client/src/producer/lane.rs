//! [`Lane`]: one partition's batches, from the first record to the last answer. No I/O, no clock.
//!
//! ```text
//! records -> open -> closed -> flying -> delivered
//!                      ^         |
//!                      +- returned (to be sent again, once nothing flies any more)
//! ```
//! Order and absence of duplicates rest on four rules:
//! 1. Batches are taken in their order, at most `in_flight_max` fly; one, until the broker has the
//!    first of an identity. None is taken so far ahead of the oldest that flies that the broker
//!    could forget that one before it is settled.
//! 2. When one comes back, nothing is taken until all that fly have come back; then those that
//!    returned go out again, first, in their order, with the stamp they had.
//! 3. A batch that failed for good leaves a gap in the sequence. All that is left is then stamped
//!    anew, in the producer's next epoch, so that no stray copy of it is taken any more.
//! 4. A batch that may be in the log already is never stamped anew: it is sent first, as it was,
//!    until the broker says what became of it.

use std::collections::VecDeque;
use std::sync::Arc;

use highwater_records::NewRecord;
use highwater_types::PartitionIndex;
use highwater_wire::{ErrorCode, Records};
use tokio::time::Instant;

use super::ProducerOptions;
use super::batch::{Batch, Identity, OpenBatch, Stamp};
use super::delivery::{Delivery, Outcome, Placed};
use crate::ClientError;

pub(super) struct Lane {
    partition: PartitionIndex,
    open: Option<OpenBatch>,
    /// Rising by order, as are `flying` and `returned`; none in two of them.
    closed: VecDeque<Batch>,
    flying: VecDeque<Batch>,
    returned: Vec<Batch>,
    /// Of the next batch to be closed.
    stamp: Stamp,
    is_gapped: bool,
    /// Of a batch that is surely not in the log and leaves a gap: what lies behind it is not there
    /// either, whatever became of the requests.
    gap_at: Option<u64>,
    /// The broker has a batch of this identity. Of a producer that it does not know it takes any
    /// sequence, so until then only one batch flies: a second would be taken where the first failed.
    is_known: bool,
    next_order: u64,
    /// In a row; a delivery begins anew.
    failures: u32,
    blocked_until: Option<Instant>,
    last_error: Option<ClientError>,
    /// Bytes of the producer's buffer that completed batches gave back.
    freed: usize,
}

/// When a lane has something to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Readiness {
    Now,
    At(Instant),
    /// Not before something else happens.
    Idle,
}

/// A batch to be sent.
pub(super) struct Taken {
    pub(super) order: u64,
    pub(super) records: Records,
    pub(super) size_bytes: usize,
}

impl Lane {
    pub(super) fn new(partition: PartitionIndex, identity: Identity) -> Self {
        Lane {
            partition,
            open: None,
            closed: VecDeque::new(),
            flying: VecDeque::new(),
            returned: Vec::new(),
            stamp: Stamp::first(identity),
            is_gapped: false,
            gap_at: None,
            is_known: false,
            next_order: 0,
            failures: 0,
            blocked_until: None,
            last_error: None,
            freed: 0,
        }
    }

    /// Appends a record that has taken `room` bytes of the buffer. Says also whether the sender
    /// must look at the lane: a batch began, or one is full.
    pub(super) fn append(
        &mut self,
        record: &NewRecord<'_>,
        room: usize,
        options: &ProducerOptions,
        now: Instant,
    ) -> (Delivery, bool) {
        let fits = |open: &OpenBatch| {
            let size = open.builder.plain_size_bytes() + open.builder.size_of_next(record);
            open.builder.is_empty() || size <= options.batch_bytes
        };
        let mut is_news = false;
        if self.open.as_ref().is_some_and(|open| !fits(open)) {
            self.close();
            is_news = true;
        }
        let (partition, stamp) = (self.partition, self.stamp);
        let open = self.open.get_or_insert_with(|| {
            is_news = true;
            OpenBatch::new(partition, stamp, options, now)
        });
        let delivery = open.outcome.delivery(open.builder.record_count().into());
        open.builder.append(record);
        open.room += room;
        (delivery, is_news)
    }

    /// Closes the open batch, if there is one.
    pub(super) fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let (outcome, room) = (open.outcome.clone(), open.room);
        match Batch::close(open, self.next_order, self.stamp) {
            Ok(batch) => {
                self.next_order += 1;
                self.stamp = self.stamp.behind(batch.record_count());
                self.closed.push_back(batch);
            }
            Err(error) => {
                self.freed += room;
                outcome.set(Err(ClientError::invalid(error.to_string())));
            }
        }
    }

    pub(super) fn readiness(&self, options: &ProducerOptions, now: Instant) -> Readiness {
        let is_first = self.has_identity() && !self.is_known;
        let in_flight_max = if is_first { 1 } else { options.in_flight_max };
        let next_order = self.closed.front().map_or(self.next_order, |batch| batch.order);
        let is_far = |oldest: &Batch| next_order - oldest.order >= in_flight_max as u64;
        if !self.returned.is_empty() || self.flying.front().is_some_and(is_far) {
            return Readiness::Idle;
        }
        if self.is_gapped && !self.is_front_ambiguous() {
            return Readiness::Idle;
        }
        let ready_at = match (self.closed.front(), &self.open) {
            (Some(_), _) => now,
            (None, Some(open)) => open.since + options.linger,
            (None, None) => return Readiness::Idle,
        };
        match ready_at.max(self.blocked_until.unwrap_or(now)) {
            at if at <= now => Readiness::Now,
            at => Readiness::At(at),
        }
    }

    /// Bytes of the batch that [`Lane::take`] would give, as far as is known before it is closed.
    pub(super) fn size_of_next(&self) -> usize {
        match (self.closed.front(), &self.open) {
            (Some(batch), _) => batch.size_bytes(),
            (None, Some(open)) => open.builder.plain_size_bytes(),
            (None, None) => 0,
        }
    }

    /// The next batch, if the lane [is ready](Lane::readiness).
    pub(super) fn take(&mut self) -> Option<Taken> {
        if self.closed.is_empty() {
            self.close();
        }
        let batch = self.closed.pop_front()?;
        let taken =
            Taken { order: batch.order, records: batch.records(), size_bytes: batch.size_bytes() };
        self.flying.push_back(batch);
        Some(taken)
    }

    pub(super) fn on_success(&mut self, order: u64, placed: Placed) {
        if let Some(batch) = self.land(order) {
            self.failures = 0;
            self.is_known = true;
            self.blocked_until = None;
            self.complete(batch, Ok(placed));
        }
        self.requeue();
    }

    pub(super) fn on_failure(
        &mut self,
        order: u64,
        error: ClientError,
        options: &ProducerOptions,
        now: Instant,
    ) {
        let Some(mut batch) = self.land(order) else { return };
        let is_first = [self.flying.front(), self.returned.first()]
            .into_iter()
            .flatten()
            .all(|other| other.order > order);
        let is_sequence = self.has_identity() && is_about_sequence(&error);
        if is_sequence {
            // Whatever the broker has, it is not this batch. If one before it came back, that is
            // why; otherwise the broker has lost or fenced us.
            batch.is_ambiguous = false;
            self.is_gapped |= is_first;
        } else {
            batch.is_ambiguous |= error.is_ambiguous();
        }
        if !is_sequence && !error.is_retriable() {
            self.complete_with_gap(batch, error);
        } else if now >= batch.begun + options.delivery_timeout {
            self.complete_with_gap(batch, gave_up(&error, options));
        } else {
            let at = self.returned.partition_point(|other| other.order < order);
            self.returned.insert(at, batch);
            self.failures += 1;
            self.blocked_until = Some(now + options.backoff.pause(self.failures));
            self.last_error = Some(error);
        }
        self.requeue();
    }

    /// Once nothing flies any more, puts what returned in front of what waits.
    fn requeue(&mut self) {
        if self.flying.is_empty() {
            while let Some(batch) = self.returned.pop() {
                self.closed.push_front(batch);
            }
        }
        self.maybe_begin_anew();
    }

    /// Fails what has waited too long to be sent.
    pub(super) fn expire(&mut self, options: &ProducerOptions, now: Instant) {
        let is_late = |since: Instant| now >= since + options.delivery_timeout;
        while self.closed.front().is_some_and(|batch| is_late(batch.begun)) {
            if let Some(batch) = self.closed.pop_front() {
                let error = self.last_error.clone().unwrap_or(ClientError::NoBroker([].into()));
                self.complete_with_gap(batch, gave_up(&error, options));
            }
        }
        self.maybe_begin_anew();
    }

    /// Why nothing can be sent at the moment; told if it stays so.
    pub(super) fn note_error(&mut self, error: &ClientError) {
        self.last_error = Some(error.clone());
    }

    /// When [`Lane::expire`] has something to do.
    pub(super) fn expires_at(&self, options: &ProducerOptions) -> Option<Instant> {
        self.closed.front().map(|batch| batch.begun + options.delivery_timeout)
    }

    /// There is a gap, and the last epoch is used up.
    pub(super) fn wants_identity(&self) -> bool {
        self.is_settled() && self.stamp.identity.next_epoch().is_none()
    }

    /// There is a gap, and nothing in the way of a new sequence.
    fn is_settled(&self) -> bool {
        let is_idle = self.flying.is_empty() && self.returned.is_empty();
        self.is_gapped && is_idle && !self.is_front_ambiguous()
    }

    /// The oldest batch may be in the log. If it is not, none behind it is.
    fn is_front_ambiguous(&self) -> bool {
        let is_before_gap = |batch: &Batch| self.gap_at.is_none_or(|gap| batch.order < gap);
        self.closed.front().is_some_and(|batch| batch.is_ambiguous && is_before_gap(batch))
    }

    /// Begins a new epoch if there is a gap and nothing in its way.
    fn maybe_begin_anew(&mut self) {
        if self.is_settled()
            && let Some(identity) = self.stamp.identity.next_epoch()
        {
            self.begin_anew(identity);
        }
    }

    /// Takes a new identity, if one is wanted.
    pub(super) fn adopt(&mut self, identity: Identity) {
        if self.wants_identity() {
            self.begin_anew(identity);
        }
    }

    /// Begins a new sequence with what is left.
    fn begin_anew(&mut self, identity: Identity) {
        self.stamp = Stamp::first(identity);
        for batch in &mut self.closed {
            batch.stamp(self.stamp);
            batch.is_ambiguous = false;
            self.stamp = self.stamp.behind(batch.record_count());
        }
        self.is_gapped = false;
        self.gap_at = None;
        self.is_known = false;
    }

    pub(super) fn fail_all(&mut self, error: &ClientError) {
        self.close();
        let batches =
            self.flying.drain(..).chain(self.returned.drain(..)).chain(self.closed.drain(..));
        for batch in batches.collect::<Vec<_>>() {
            self.complete(batch, Err(error.clone()));
        }
    }

    /// What becomes of every batch that there is now.
    pub(super) fn outcomes(&self) -> Vec<Arc<Outcome>> {
        let batches = self.flying.iter().chain(&self.returned).chain(&self.closed);
        let open = self.open.iter().map(|open| open.outcome.clone());
        batches.map(|batch| batch.outcome.clone()).chain(open).collect()
    }

    /// Bytes of the buffer that have become free since the last call.
    pub(super) fn take_freed(&mut self) -> usize {
        std::mem::take(&mut self.freed)
    }

    fn land(&mut self, order: u64) -> Option<Batch> {
        let at = self.flying.iter().position(|batch| batch.order == order)?;
        self.flying.remove(at)
    }

    fn has_identity(&self) -> bool {
        self.stamp.identity != Identity::NONE
    }

    fn complete_with_gap(&mut self, batch: Batch, error: ClientError) {
        self.is_gapped |= self.has_identity();
        if !batch.is_ambiguous && is_refusal(&error) {
            self.gap_at = Some(self.gap_at.map_or(batch.order, |at| at.min(batch.order)));
        }
        self.complete(batch, Err(error));
    }

    fn complete(&mut self, batch: Batch, result: Result<Placed, ClientError>) {
        self.freed += batch.room;
        batch.outcome.set(result);
    }
}

fn gave_up(last: &ClientError, options: &ProducerOptions) -> ClientError {
    ClientError::GaveUp {
        what: "the delivery".into(),
        after: options.delivery_timeout,
        last: Arc::new(last.clone()),
    }
}

/// The broker has looked at the batch and not taken it.
fn is_refusal(error: &ClientError) -> bool {
    matches!(error, ClientError::Broker { code, .. } if *code != ErrorCode::UNKNOWN_SERVER_ERROR)
}

/// The broker does not know the producer, or not at this sequence.
fn is_about_sequence(error: &ClientError) -> bool {
    matches!(
        error.code(),
        Some(
            ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER
                | ErrorCode::UNKNOWN_PRODUCER_ID
                | ErrorCode::INVALID_PRODUCER_EPOCH
        )
    )
}
