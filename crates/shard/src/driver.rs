//! Runs one [`Shard`]: pipelines decisions, replays what is appended, holds replies back until
//! they are true. Pure: an event in, effects out.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use highwater_types::{LeaderEpoch, Mono, Offset, invariant};

use crate::{Cx, Decision, Input, Shard, TimerOp, Token, Unavailable};

/// What happens to a shard.
pub enum Event<S: Shard> {
    Request(Token, S::Request),
    /// Time has passed: timers that are due fire. Send it at or after [`Driver::next_timer`].
    Tick,
    /// The high watermark of the log is now this (exclusive).
    CommittedTo(Offset),
    /// The append at this offset was refused.
    AppendFailed(Offset),
    /// This node leads the log from `epoch` on: answered by [`Effect::Load`].
    Lead(LeaderEpoch),
    /// A record read while loading, in log order.
    Loaded(Offset, S::Record),
    /// The log has been read up to `log_end`; `committed` is its high watermark.
    LoadEnded {
        log_end: Offset,
        committed: Offset,
    },
    /// Another node leads, or the log is gone.
    Resign,
}

/// What the host must do.
pub enum Effect<S: Shard> {
    /// Append these as one batch whose first record gets `at`.
    Append {
        at: Offset,
        epoch: LeaderEpoch,
        records: Vec<S::Record>,
    },
    Reply(Token, S::Reply),
    /// Read the log from the start.
    Load,
}

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Role {
    /// Not in charge; requests are refused. Left by `Lead`.
    Idle,
    /// Reading the log; requests are refused. Left by `LoadEnded` and `Resign`.
    Loading,
    /// In charge. Left by `AppendFailed` (to Loading) and `Resign`.
    Leading,
}

/// The pure driver of one shard.
///
/// ```text
///   committed        next
///       |              |
///  -----+--------------+----> log
///       | in flight    | where the next record goes
/// ```
pub struct Driver<S: Shard> {
    shard: S,
    role: Role,
    epoch: LeaderEpoch,
    /// Offset of the next record; every record below it has been replayed.
    next: Offset,
    /// High watermark of the log; `committed <= next` while leading.
    committed: Offset,
    /// Replies that wait until `committed` reaches their offset; offsets never fall.
    parked: VecDeque<(Offset, Token, S::Reply)>,
    /// Requests taken in whose reply no decision has given yet.
    waiting: BTreeSet<Token>,
    due: BTreeMap<S::Timer, Mono>,
    by_time: BTreeSet<(Mono, S::Timer)>,
}

impl<S: Shard> Driver<S> {
    /// A driver that is not in charge of anything yet.
    pub fn new(shard: S) -> Self {
        Driver {
            shard,
            role: Role::Idle,
            epoch: LeaderEpoch::NONE,
            next: Offset::ZERO,
            committed: Offset::ZERO,
            parked: VecDeque::new(),
            waiting: BTreeSet::new(),
            due: BTreeMap::new(),
            by_time: BTreeSet::new(),
        }
    }

    /// The state, for read-only views of the host.
    pub fn shard(&self) -> &S {
        &self.shard
    }

    pub fn is_leading(&self) -> bool {
        self.role == Role::Leading
    }

    /// When the next timer is due.
    pub fn next_timer(&self) -> Option<Mono> {
        self.by_time.first().map(|(at, _)| *at)
    }

    /// Offset that the next record will get.
    pub fn next_offset(&self) -> Offset {
        self.next
    }

    /// Takes one event; effects are added to `effects` in the order they must be carried out.
    pub fn on(&mut self, event: Event<S>, cx: &mut Cx<'_, S::View>, effects: &mut Vec<Effect<S>>) {
        match event {
            Event::Request(token, request) => self.on_request(token, request, cx, effects),
            Event::Tick => self.on_tick(cx, effects),
            Event::CommittedTo(offset) => self.on_committed(offset, effects),
            Event::AppendFailed(_) if self.role == Role::Leading => {
                self.drop_requests(Unavailable::AppendFailed, effects);
                self.begin_load(effects);
            }
            Event::AppendFailed(_) => {}
            Event::Lead(epoch) => {
                self.drop_requests(Unavailable::NotLeader, effects);
                self.epoch = epoch;
                self.begin_load(effects);
            }
            Event::Loaded(offset, record) => {
                invariant!("loaded-while-loading", self.role == Role::Loading);
                self.shard.replay(offset, &record);
            }
            Event::LoadEnded { log_end, committed } => {
                invariant!("loaded-while-loading", self.role == Role::Loading);
                self.role = Role::Leading;
                self.next = log_end;
                self.committed = committed;
                let decision = self.shard.on_lead(self.epoch, cx);
                self.apply(decision, effects);
            }
            Event::Resign => {
                self.drop_requests(Unavailable::NotLeader, effects);
                self.role = Role::Idle;
                self.shard = self.shard.emptied();
            }
        }
    }

    fn on_request(
        &mut self,
        token: Token,
        request: S::Request,
        cx: &mut Cx<'_, S::View>,
        effects: &mut Vec<Effect<S>>,
    ) {
        let why = match self.role {
            Role::Leading => {
                self.waiting.insert(token);
                let decision = self.shard.decide(Input::Request(token, request), cx);
                return self.apply(decision, effects);
            }
            Role::Loading => Unavailable::Loading,
            Role::Idle => Unavailable::NotLeader,
        };
        effects.push(Effect::Reply(token, S::unavailable(Some(&request), why)));
    }

    fn on_tick(&mut self, cx: &mut Cx<'_, S::View>, effects: &mut Vec<Effect<S>>) {
        // Timers armed while this tick is handled wait for the next one, even if already due:
        // a timer that re-arms itself for "now" cannot hold the shard for ever.
        let mut fired = Vec::new();
        while let Some((at, timer)) = self.by_time.first().cloned() {
            if at > cx.mono {
                break;
            }
            self.by_time.pop_first();
            fired.push((at, timer));
        }
        for (at, timer) in fired {
            // An earlier timer of this tick may have disarmed or moved this one.
            if self.due.get(&timer) == Some(&at) {
                self.due.remove(&timer);
                let decision = self.shard.decide(Input::Timer(timer), cx);
                self.apply(decision, effects);
            }
        }
    }

    fn on_committed(&mut self, offset: Offset, effects: &mut Vec<Effect<S>>) {
        if self.role != Role::Leading || offset <= self.committed {
            return;
        }
        self.committed = offset;
        while self.parked.front().is_some_and(|(at, ..)| *at <= offset) {
            if let Some((_, token, reply)) = self.parked.pop_front() {
                effects.push(Effect::Reply(token, reply));
            }
        }
    }

    fn apply(&mut self, decision: Decision<S>, effects: &mut Vec<Effect<S>>) {
        let Decision { records, soft, timers, replies } = decision;
        if !records.is_empty() {
            let at = self.next;
            for record in &records {
                self.shard.replay(self.next, record);
                self.next = self.next.next();
            }
            effects.push(Effect::Append { at, epoch: self.epoch, records });
        }
        for event in soft {
            self.shard.on_soft(event);
        }
        for op in timers {
            match op {
                TimerOp::Arm(timer, at) => self.arm(timer, at),
                TimerOp::Disarm(timer) => self.disarm(&timer),
            }
        }
        for (token, reply) in replies {
            invariant!("one-reply", self.waiting.remove(&token), "{token:?} was answered before");
            if self.next <= self.committed {
                effects.push(Effect::Reply(token, reply));
            } else {
                self.parked.push_back((self.next, token, reply));
            }
        }
    }

    fn arm(&mut self, timer: S::Timer, at: Mono) {
        self.disarm(&timer);
        self.due.insert(timer.clone(), at);
        self.by_time.insert((at, timer));
    }

    fn disarm(&mut self, timer: &S::Timer) {
        if let Some(at) = self.due.remove(timer) {
            self.by_time.remove(&(at, timer.clone()));
        }
    }

    fn drop_requests(&mut self, why: Unavailable, effects: &mut Vec<Effect<S>>) {
        let parked = std::mem::take(&mut self.parked).into_iter().map(|(_, token, _)| token);
        let waiting = std::mem::take(&mut self.waiting);
        for token in parked.chain(waiting) {
            effects.push(Effect::Reply(token, S::unavailable(None, why)));
        }
        self.due.clear();
        self.by_time.clear();
    }

    fn begin_load(&mut self, effects: &mut Vec<Effect<S>>) {
        self.role = Role::Loading;
        self.shard = self.shard.emptied();
        effects.push(Effect::Load);
    }
}

#[cfg(test)]
mod tests;
