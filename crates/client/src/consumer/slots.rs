//! [`Slots`]: the assigned partitions, where each stands, and what is fetched of them. No I/O.
//!
//! ```text
//! handed out | ready (records) | chunks (bytes) | to be fetched
//!            ^ position                         ^ next_fetch
//! ```

use std::collections::{BTreeMap, VecDeque};

use highwater_types::{Offset, TopicPartition};
use tokio::time::Instant;

use super::chunk::Chunk;
use super::{ConsumerRecord, Start};
use crate::{Backoff, ClientError};

/// Fetched chunks of a partition that wait to be read; then no more is fetched of it.
const CHUNKS_MAX: usize = 2;

pub(super) struct Slot {
    /// Where to begin while there is no position.
    pub(super) start: Start,
    pub(super) position: Option<Offset>,
    next_fetch: Option<Offset>,
    ready: VecDeque<ConsumerRecord>,
    /// Behind the batch that `ready` came from.
    ready_end: Option<Offset>,
    chunks: VecDeque<Chunk>,
    /// Changes with every assignment and seek; what was asked for before does not count any more.
    pub(super) version: u64,
    is_busy: bool,
    pub(super) is_paused: bool,
    failures: u32,
    not_before: Option<Instant>,
    error: Option<ClientError>,
    pub(super) high_watermark: Option<Offset>,
}

/// A fetch or a look-up of one partition under way.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Errand {
    pub(super) at: TopicPartition,
    pub(super) version: u64,
    pub(super) offset: Offset,
}

#[derive(Default)]
pub(super) struct Slots {
    slots: BTreeMap<TopicPartition, Slot>,
    last_version: u64,
    /// Where the last poll ended, so that the next one begins behind it.
    turn: Option<TopicPartition>,
}

impl Slot {
    fn new(start: Start, version: u64) -> Self {
        let position = match start {
            Start::Offset(offset) => Some(offset),
            _ => None,
        };
        Slot {
            start,
            position,
            next_fetch: position,
            ready: VecDeque::new(),
            ready_end: None,
            chunks: VecDeque::new(),
            version,
            is_busy: false,
            is_paused: false,
            failures: 0,
            not_before: None,
            error: None,
            high_watermark: None,
        }
    }

    fn is_due(&self, now: Instant) -> bool {
        !self.is_busy && self.error.is_none() && self.not_before.is_none_or(|at| at <= now)
    }
}

impl Slots {
    /// Replaces the assignment; partitions that stay begin anew too.
    pub(super) fn assign(&mut self, partitions: impl IntoIterator<Item = (TopicPartition, Start)>) {
        self.slots.clear();
        for (at, start) in partitions {
            let version = self.next_version();
            self.slots.insert(at, Slot::new(start, version));
        }
    }

    fn next_version(&mut self) -> u64 {
        self.last_version += 1;
        self.last_version
    }

    pub(super) fn get(&self, at: &TopicPartition) -> Option<&Slot> {
        self.slots.get(at)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&TopicPartition, &Slot)> {
        self.slots.iter()
    }

    /// `false` if the partition is not assigned.
    pub(super) fn restart(&mut self, at: &TopicPartition, start: Start) -> bool {
        let version = self.next_version();
        let Some(slot) = self.slots.get_mut(at) else { return false };
        *slot = Slot { is_paused: slot.is_paused, ..Slot::new(start, version) };
        true
    }

    /// `false` if the partition is not assigned.
    pub(super) fn pause(&mut self, at: &TopicPartition, is_paused: bool) -> bool {
        let Some(slot) = self.slots.get_mut(at) else { return false };
        slot.is_paused = is_paused;
        true
    }

    /// Partitions that need a position, with an offset of no meaning. They are busy from now on.
    pub(super) fn take_unplaced(&mut self, now: Instant) -> Vec<(Errand, Start)> {
        let mut errands = Vec::new();
        for (at, slot) in &mut self.slots {
            if slot.position.is_none() && slot.is_due(now) {
                slot.is_busy = true;
                let errand = Errand { at: at.clone(), version: slot.version, offset: Offset::NONE };
                errands.push((errand, slot.start));
            }
        }
        errands
    }

    /// Partitions to fetch from, by `take` if it agrees. They are busy from now on.
    pub(super) fn take_fetchable(&mut self, now: Instant, mut take: impl FnMut(Errand) -> bool) {
        for (at, slot) in &mut self.slots {
            let Some(offset) = slot.next_fetch else { continue };
            if slot.is_paused || slot.chunks.len() >= CHUNKS_MAX || !slot.is_due(now) {
                continue;
            }
            slot.is_busy = take(Errand { at: at.clone(), version: slot.version, offset });
        }
    }

    /// When a partition that failed may be tried again.
    pub(super) fn retry_at(&self) -> Option<Instant> {
        self.slots.values().filter(|slot| !slot.is_busy).filter_map(|slot| slot.not_before).min()
    }

    fn current(&mut self, errand: &Errand) -> Option<&mut Slot> {
        let slot = self.slots.get_mut(&errand.at)?;
        if slot.version != errand.version {
            return None;
        }
        slot.is_busy = false;
        Some(slot)
    }

    pub(super) fn on_placed(&mut self, errand: &Errand, offset: Offset) {
        if let Some(slot) = self.current(errand) {
            slot.position = Some(offset);
            slot.next_fetch = Some(offset);
            slot.failures = 0;
            slot.not_before = None;
        }
    }

    pub(super) fn on_fetched(&mut self, errand: &Errand, chunk: Chunk, high_watermark: Offset) {
        if let Some(slot) = self.current(errand) {
            slot.failures = 0;
            slot.not_before = None;
            slot.high_watermark = Some(high_watermark);
            // Damage that was found meanwhile takes the slot back; then this would leave a hole.
            let is_next = slot.next_fetch == Some(errand.offset);
            if is_next && let Some(next) = chunk.next_offset() {
                slot.next_fetch = Some(next.max(errand.offset));
                slot.chunks.push_back(chunk);
            }
        }
    }

    /// Tries again later, or tells the next poll.
    pub(super) fn on_failure(
        &mut self,
        errand: &Errand,
        error: ClientError,
        backoff: &Backoff,
        now: Instant,
    ) {
        if error.is_retriable() {
            self.on_postponed(errand, backoff, now);
        } else if let Some(slot) = self.current(errand) {
            slot.error = Some(error);
        }
    }

    /// Tries again later.
    pub(super) fn on_postponed(&mut self, errand: &Errand, backoff: &Backoff, now: Instant) {
        if let Some(slot) = self.current(errand) {
            slot.failures += 1;
            slot.not_before = Some(now + backoff.pause(slot.failures));
        }
    }

    /// Tries again at once: what was missing is there.
    pub(super) fn on_mended(&mut self, errand: &Errand) {
        self.current(errand);
    }

    /// The partition has no such offset. Begins anew, but not before what was read is handed out;
    /// until then `false`.
    pub(super) fn on_out_of_range(&mut self, errand: &Errand, start: Start) -> bool {
        match self.slots.get(&errand.at) {
            Some(slot) if slot.version == errand.version => {
                let has_unread = !slot.ready.is_empty() || !slot.chunks.is_empty();
                !has_unread && self.restart(&errand.at, start)
            }
            _ => true,
        }
    }

    /// Records for a poll, at most so many. Partitions have their turn one after the other.
    ///
    /// # Errors
    /// What a partition met that retrying does not mend; it is tried again afterwards.
    pub(super) fn take_records(&mut self, max: usize) -> Result<Vec<ConsumerRecord>, ClientError> {
        let mut order: Vec<TopicPartition> = self.slots.keys().cloned().collect();
        let behind = |turn: &TopicPartition| order.partition_point(|at| at <= turn);
        let first = self.turn.as_ref().map_or(0, behind).min(order.len());
        order.rotate_left(first);
        let mut records = Vec::new();
        for at in order {
            let Some(slot) = self.slots.get_mut(&at) else { continue };
            if slot.is_paused {
                continue;
            }
            match slot.take(&at, max - records.len(), &mut records) {
                // What was taken before must not be lost with the error; it comes next time.
                Err(error) if !records.is_empty() => slot.error = Some(error),
                Err(error) => return Err(error),
                Ok(()) => {}
            }
            if records.len() >= max {
                self.turn = Some(at);
                break;
            }
        }
        Ok(records)
    }
}

impl Slot {
    fn take(
        &mut self,
        at: &TopicPartition,
        max: usize,
        records: &mut Vec<ConsumerRecord>,
    ) -> Result<(), ClientError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let until = records.len() + max;
        while records.len() < until {
            if let Some(record) = self.ready.pop_front() {
                self.position = Some(record.offset.next());
                records.push(record);
                continue;
            }
            if let Some(end) = self.ready_end.take() {
                self.position = self.position.max(Some(end));
            }
            let (Some(chunk), Some(position)) = (self.chunks.front_mut(), self.position) else {
                return Ok(());
            };
            match chunk.read(at, position) {
                Ok(Some(read)) => {
                    self.ready = read.records.into();
                    self.ready_end = Some(read.next);
                }
                Ok(None) => {
                    self.chunks.pop_front();
                }
                Err(error) => {
                    // Fetch it once more; it may have been damaged on the way.
                    self.chunks.clear();
                    self.next_fetch = self.position;
                    return Err(ClientError::Records { at: at.clone(), position, error });
                }
            }
        }
        // A whole batch handed out moves the position behind its gaps.
        if self.ready.is_empty()
            && let Some(end) = self.ready_end.take()
        {
            self.position = self.position.max(Some(end));
        }
        Ok(())
    }
}
