//! One decision while it is being made: what surrounds it and what it has led to so far.

use highwater_shard::{Cx, Decision, TimerOp, Token};
use highwater_types::{Entropy, Mono, Timestamp};

use crate::classic::ClassicGroup;
use crate::{GroupConfig, GroupCoordinator, GroupView, LiveGroup, Record, Reply, SoftEvent, Timer};

pub(crate) struct Turn<'a> {
    pub(crate) now: Timestamp,
    pub(crate) entropy: &'a mut dyn Entropy,
    pub(crate) view: &'a dyn GroupView,
    pub(crate) config: GroupConfig,
    mono: Mono,
    decision: Decision<GroupCoordinator>,
}

impl<'a> Turn<'a> {
    pub(crate) fn new(cx: &'a mut Cx<'_, dyn GroupView>) -> Self {
        Turn {
            now: cx.now,
            mono: cx.mono,
            config: cx.view.config(),
            view: cx.view,
            entropy: &mut *cx.entropy,
            decision: Decision::default(),
        }
    }

    pub(crate) fn into_decision(self) -> Decision<GroupCoordinator> {
        self.decision
    }

    pub(crate) fn record(&mut self, record: Record) {
        self.decision.records.push(record);
    }

    pub(crate) fn has_records(&self) -> bool {
        !self.decision.records.is_empty()
    }

    pub(crate) fn records_len(&self) -> usize {
        self.decision.records.len()
    }

    pub(crate) fn reply(&mut self, token: Token, reply: Reply) {
        self.decision.replies.push((token, reply));
    }

    /// Takes back the records after the first `len`.
    pub(crate) fn truncate_records(&mut self, len: usize) {
        self.decision.records.truncate(len);
    }

    /// Arms `timer` in `ms` milliseconds; a negative wait is none.
    pub(crate) fn arm(&mut self, timer: Timer, ms: i64) {
        let at = self.mono.plus_ms(u64::try_from(ms).unwrap_or(0));
        self.decision.timers.push(TimerOp::Arm(timer, at));
    }

    pub(crate) fn disarm(&mut self, timer: Timer) {
        self.decision.timers.push(TimerOp::Disarm(timer));
    }

    /// Makes `group` the live form of its group. A group that is nothing but its records needs
    /// none.
    pub(crate) fn save(&mut self, group: ClassicGroup) {
        self.decision.soft.push(if group.is_settled() {
            SoftEvent::Forget(group.id)
        } else {
            SoftEvent::Put(Box::new(LiveGroup(group)))
        });
    }

    pub(crate) fn forget(&mut self, group_id: highwater_wire::Str) {
        self.decision.soft.push(SoftEvent::Forget(group_id));
    }
}
