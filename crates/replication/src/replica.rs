//! The local replica of one partition, as a state machine over appends, flushes, followers'
//! positions and role changes.

use std::collections::BTreeMap;

use highwater_types::{BrokerId, LeaderEpoch, Offset, invariant};

use crate::waiters::{Waiters, Woken};
use crate::{AckOutcome, FlushPolicy};

/// What this replica is at the moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// Neither leads nor follows yet, or the partition is offline. Left by `become_leader`.
    Idle,
    /// Takes writes. `isr` always holds the local broker.
    Leader { epoch: LeaderEpoch, isr: Vec<BrokerId> },
}

/// Where a replica stands; see the picture in the crate's documentation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Positions {
    pub log_start: Offset,
    pub high_watermark: Offset,
    pub flushed: Offset,
    pub log_end: Offset,
}

/// One partition replica. `A` is what waits for an acknowledgement, `F` a waiting fetch.
#[derive(Debug)]
pub struct Replica<A, F> {
    local: BrokerId,
    role: Role,
    policy: FlushPolicy,
    /// `log_start <= high_watermark <= log_end` and `flushed <= log_end`.
    at: Positions,
    /// Up to where the log is on disk. May be ahead of `log_end`: a flush that runs beside the
    /// writer can cover an append before this replica is told of it.
    on_disk: Offset,
    /// Log ends of the other in-sync replicas, as their fetches report them.
    followers: BTreeMap<BrokerId, Offset>,
    /// Bytes appended above the high watermark, by the log end they led to.
    unreadable: BTreeMap<Offset, u64>,
    waiters: Waiters<A, F>,
}

impl<A, F> Replica<A, F> {
    /// A replica over a log that stands at `at`, with no role yet.
    pub fn new(local: BrokerId, policy: FlushPolicy, at: Positions) -> Self {
        check_order(&at);
        Replica {
            local,
            role: Role::Idle,
            policy,
            at,
            on_disk: at.flushed,
            followers: BTreeMap::new(),
            unreadable: BTreeMap::new(),
            waiters: Waiters::default(),
        }
    }

    pub fn role(&self) -> &Role {
        &self.role
    }

    pub fn positions(&self) -> Positions {
        self.at
    }

    /// The epoch in which this replica leads, if it does.
    pub fn leader_epoch(&self) -> Option<LeaderEpoch> {
        match &self.role {
            Role::Leader { epoch, .. } => Some(*epoch),
            Role::Idle => None,
        }
    }

    /// Whether the high watermark waits for a flush of the local log.
    pub fn needs_flush(&self) -> bool {
        self.counts_flushed_only() && self.at.flushed < self.at.log_end
    }

    pub fn waiting_fetches(&self) -> usize {
        self.waiters.fetch_count()
    }

    /// Leads from `epoch` on with the given in-sync replicas (the local one among them).
    pub fn become_leader(&mut self, epoch: LeaderEpoch, isr: Vec<BrokerId>) -> Woken<A, F> {
        invariant!("leader-in-isr", isr.contains(&self.local));
        self.followers =
            isr.iter().filter(|id| **id != self.local).map(|id| (*id, Offset::ZERO)).collect();
        self.role = Role::Leader { epoch, isr };
        self.advance()
    }

    /// Stops leading; every waiter is told.
    pub fn become_idle(&mut self) -> Woken<A, F> {
        self.role = Role::Idle;
        let mut woken = Woken::default();
        self.waiters.fail_all(&mut woken);
        woken
    }

    pub fn on_policy(&mut self, policy: FlushPolicy) -> Woken<A, F> {
        self.policy = policy;
        self.advance()
    }

    /// The log grew to `end` by `bytes`.
    pub fn on_appended(&mut self, end: Offset, bytes: u64) -> Woken<A, F> {
        invariant!("log-end-rises", end >= self.at.log_end);
        self.at.log_end = end;
        self.at.flushed = self.on_disk.min(end);
        *self.unreadable.entry(end).or_default() += bytes;
        self.advance()
    }

    /// The log is on disk up to `end`.
    pub fn on_flushed(&mut self, end: Offset) -> Woken<A, F> {
        self.on_disk = self.on_disk.max(end);
        self.at.flushed = self.on_disk.min(self.at.log_end);
        self.advance()
    }

    /// An in-sync follower holds everything below `end`.
    pub fn on_follower(&mut self, follower: BrokerId, end: Offset) -> Woken<A, F> {
        if let Some(known) = self.followers.get_mut(&follower) {
            *known = (*known).max(end);
        }
        self.advance()
    }

    /// Records below `start` are gone. Waiting fetches look again: theirs may be out of range.
    pub fn on_log_start(&mut self, start: Offset) -> Woken<A, F> {
        invariant!("log-start-below-watermark", start <= self.at.high_watermark);
        let mut woken = Woken::default();
        if start > self.at.log_start {
            self.at.log_start = start;
            self.waiters.wake_fetches(&mut woken);
        }
        woken
    }

    /// Wakes every waiting fetch to look again (a topic was deleted, settings changed).
    pub fn wake_fetches(&mut self) -> Woken<A, F> {
        let mut woken = Woken::default();
        self.waiters.wake_fetches(&mut woken);
        woken
    }

    /// Waits until everything below `end` is committed; `Err` hands the waiter back at once if
    /// that is decided already.
    pub fn wait_for_ack(&mut self, end: Offset, ack: A) -> Result<(), (A, AckOutcome)> {
        if end <= self.at.high_watermark {
            return Err((ack, AckOutcome::Committed));
        }
        if self.role == Role::Idle {
            return Err((ack, AckOutcome::NotLeader));
        }
        self.waiters.add_ack(end, ack);
        Ok(())
    }

    /// Waits until `needs` more bytes are readable than were at high watermark `seen`; `Err` hands
    /// the waiter back if something has moved since. The id is for [`Replica::stop_waiting`].
    pub fn wait_for_data(&mut self, seen: Positions, needs: u64, fetch: F) -> Result<u64, F> {
        let moved = seen.high_watermark != self.at.high_watermark
            || seen.log_start != self.at.log_start
            || self.role == Role::Idle;
        if moved { Err(fetch) } else { Ok(self.waiters.add_fetch(needs.max(1), fetch)) }
    }

    /// Forgets a waiting fetch; one that was woken already is none of our business.
    pub fn stop_waiting(&mut self, id: u64) {
        self.waiters.remove_fetch(id);
    }

    fn counts_flushed_only(&self) -> bool {
        self.policy.counts_flushed_only(1 + self.followers.len())
    }

    /// Raises the high watermark to what every in-sync replica counts as held.
    fn advance(&mut self) -> Woken<A, F> {
        let mut woken = Woken::default();
        if self.role == Role::Idle {
            return woken;
        }
        let local = if self.counts_flushed_only() { self.at.flushed } else { self.at.log_end };
        let held = self.followers.values().fold(local, |least, end| least.min(*end));
        if held > self.at.high_watermark {
            self.at.high_watermark = held;
            let bytes = self.take_readable(held);
            self.waiters.on_high_watermark(held, bytes, &mut woken);
        }
        check_order(&self.at);
        woken
    }

    /// Bytes of the appends that end at or below `watermark`, which are readable from now on.
    fn take_readable(&mut self, watermark: Offset) -> u64 {
        let above = self.unreadable.split_off(&watermark.next());
        std::mem::replace(&mut self.unreadable, above).into_values().sum()
    }
}

fn check_order(at: &Positions) {
    invariant!("HW-02", at.high_watermark <= at.log_end, "{at:?}");
    invariant!("log-start-below-watermark", at.log_start <= at.high_watermark, "{at:?}");
    invariant!("flushed-below-end", at.flushed <= at.log_end, "{at:?}");
}

#[cfg(test)]
#[path = "replica_tests.rs"]
mod tests;
