//! A static member that comes back without its member id takes the place of its former self.

use std::sync::Arc;

use highwater_wire::messages::JoinGroupResponse;
use highwater_wire::{ErrorCode, Str};

use super::group::{ClassicGroup, GroupState};
use super::join::Join;
use super::member::Waiting;
use super::rebalance::refuse_join;
use super::sync::refuse_sync;
use crate::record::Record;
use crate::turn::Turn;
use crate::{Reply, Timer};

/// From this version on a leader can be told the members without being asked to assign (KIP-814).
const SKIP_ASSIGNMENT_FROM: i16 = 9;

impl ClassicGroup {
    /// The instance `old_id` joins as `new_id`. Where the assignment is known, it simply goes on
    /// with it; where an assignment for the old id may be on its way, all must join again.
    pub(crate) fn on_join_replacing(
        &mut self,
        join: Join,
        old_id: &Str,
        new_id: Str,
        turn: &mut Turn<'_>,
    ) {
        let old_leader = self.leader.clone().unwrap_or_default();
        self.replace_member(old_id, new_id.clone(), turn);
        let waiting = join.waiting;
        let session_ms = join.session_timeout_ms.into();
        turn.arm(Timer::Session(self.id.clone(), new_id.clone()), session_ms);
        self.update_member(&new_id, join, turn);
        match self.state {
            GroupState::Stable if self.elect_protocol() == self.protocol => {
                if let Some(member) = self.member_mut(&new_id) {
                    member.awaiting_join = None;
                }
                turn.record(Record::group(self.id.clone(), &self.to_image()));
                self.answer_replaced(waiting, &new_id, old_leader, turn);
            }
            GroupState::Stable | GroupState::CompletingRebalance => self.prepare_rebalance(turn),
            GroupState::PreparingRebalance | GroupState::Empty => self.maybe_complete_join(turn),
        }
    }

    /// Renames a member. Whoever still waits under the old id is fenced.
    fn replace_member(&mut self, old_id: &Str, new_id: Str, turn: &mut Turn<'_>) {
        let Some(member) = self.members.remove(old_id) else { return };
        let mut member = Arc::unwrap_or_clone(member);
        turn.disarm(Timer::Session(self.id.clone(), old_id.clone()));
        if let Some(waiting) = member.awaiting_join.take() {
            refuse_join(waiting, old_id.clone(), ErrorCode::FENCED_INSTANCE_ID, turn);
        }
        if let Some(waiting) = member.awaiting_sync.take() {
            refuse_sync(waiting, ErrorCode::FENCED_INSTANCE_ID, turn);
        }
        if self.is_leader(old_id) {
            self.leader = Some(new_id.clone());
        }
        if self.pending_syncs.remove(old_id) {
            self.pending_syncs.insert(new_id.clone());
        }
        member.id = new_id.clone();
        self.members.insert(new_id, Arc::new(member));
    }

    /// The generation goes on. A client that cannot skip the assignment must not think that it
    /// leads, or it would send one: it is told its old id as the leader's.
    fn answer_replaced(
        &self,
        waiting: Waiting,
        member_id: &Str,
        old_leader: Str,
        turn: &mut Turn<'_>,
    ) {
        let base = self.join_response(member_id, waiting);
        let response = if waiting.version < SKIP_ASSIGNMENT_FROM {
            JoinGroupResponse { leader: old_leader, ..base }
        } else if self.is_leader(member_id) {
            let members = self.members_for_leader();
            JoinGroupResponse { members, skip_assignment: true, ..base }
        } else {
            base
        };
        turn.reply(waiting.token, Reply::JoinGroup(response));
    }
}
