//! The sweep that removes what nobody needs any more: offsets past their retention, and empty
//! groups without offsets.

use std::collections::BTreeSet;

use highwater_types::Timestamp;
use highwater_wire::Str;

use super::{CommittedOffset, GroupOffsets};
use crate::classic::{ClassicGroup, GroupState};
use crate::limits::{SWEEP_GROUPS_MAX, SWEEP_RECORDS_MAX};
use crate::record::Record;
use crate::turn::Turn;
use crate::{GroupCoordinator, Timer};

/// From when on the retention of a group's offsets counts (KIP-211).
enum Retention {
    /// The group is empty, since then: all of them. Records of old brokers do not say since when;
    /// then it is the commit that counts.
    FromEmpty(Timestamp),
    /// From each one's commit, except for topics that are consumed.
    FromCommit { consumed: BTreeSet<Str> },
    /// The group is at work, and what it consumes is not known: none of them.
    Never,
}

impl GroupCoordinator {
    /// One step of a sweep, over the groups from `from` on.
    pub(crate) fn decide_sweep(&self, from: &Str, turn: &mut Turn<'_>) {
        let ids = self.group_ids_from(from, SWEEP_GROUPS_MAX + 1);
        for (index, id) in ids.into_iter().enumerate() {
            if index == SWEEP_GROUPS_MAX || turn.records_len() >= SWEEP_RECORDS_MAX {
                return turn.arm(Timer::Sweep(id.clone()), 0);
            }
            if let Some(group) = self.group(id) {
                self.sweep_group(&group, turn);
            }
        }
        self.arm_next_sweep(turn);
    }

    pub(crate) fn arm_next_sweep(&self, turn: &mut Turn<'_>) {
        let wait_ms = turn.config.offsets_check_interval_ms.cast_signed();
        turn.arm(Timer::Sweep(Str::default()), wait_ms);
    }

    fn sweep_group(&self, group: &ClassicGroup, turn: &mut Turn<'_>) {
        let none = GroupOffsets::new();
        let offsets = self.state().offsets.get(&group.id).unwrap_or(&none);
        let retention = retention_of(group);
        let mut are_all_gone = true;
        for (topic, partitions) in offsets {
            for (partition, offset) in partitions {
                if retention.is_over(topic, offset, turn) {
                    turn.record(Record::offset_tombstone(&group.id, topic, *partition));
                } else {
                    are_all_gone = false;
                }
            }
        }
        if are_all_gone && group.is_settled() {
            turn.record(Record::group_tombstone(&group.id));
        }
    }
}

fn retention_of(group: &ClassicGroup) -> Retention {
    match group.state {
        GroupState::Empty if group.protocol_type.is_some() => Retention::FromEmpty(group.since),
        // A simple group: each commit stands for itself.
        GroupState::Empty => Retention::FromCommit { consumed: BTreeSet::new() },
        GroupState::Stable => match group.subscribed_topics() {
            Some(consumed) => Retention::FromCommit { consumed },
            None => Retention::Never,
        },
        GroupState::PreparingRebalance | GroupState::CompletingRebalance => Retention::Never,
    }
}

impl Retention {
    fn is_over(&self, topic: &Str, offset: &CommittedOffset, turn: &Turn<'_>) -> bool {
        let from = match self {
            Retention::Never => return false,
            Retention::FromCommit { consumed } if consumed.contains(topic) => return false,
            Retention::FromCommit { .. } | Retention::FromEmpty(Timestamp::NONE) => {
                offset.committed_at
            }
            Retention::FromEmpty(since) => *since,
        };
        let until = match offset.expires_at {
            Some(at) => at,
            None => from.plus_ms(turn.config.offsets_retention_ms),
        };
        turn.now >= until
    }
}
