//! Timers of a classic group: a session ends, a join phase ends, a sync does not come.

use highwater_wire::Str;

use super::group::{ClassicGroup, GroupState};
use crate::GroupCoordinator;
use crate::turn::Turn;

impl GroupCoordinator {
    /// A member, or an id handed out to one, was not heard of for its session timeout.
    pub(crate) fn decide_session_end(&self, group_id: &Str, member_id: &Str, turn: &mut Turn<'_>) {
        self.with_live(group_id, turn, |group, turn| group.on_session_end(member_id, turn));
    }

    pub(crate) fn decide_join_timer(&self, group_id: &Str, turn: &mut Turn<'_>) {
        self.with_live(group_id, turn, ClassicGroup::on_join_timer);
    }

    /// Some members have not fetched their assignment for a rebalance timeout.
    pub(crate) fn decide_sync_timer(&self, group_id: &Str, turn: &mut Turn<'_>) {
        self.with_live(group_id, turn, ClassicGroup::on_sync_timer);
    }

    /// Timers concern live groups only; one whose group is gone does nothing.
    fn with_live(
        &self,
        group_id: &Str,
        turn: &mut Turn<'_>,
        event: impl FnOnce(&mut ClassicGroup, &mut Turn<'_>),
    ) {
        if let Some(group) = self.live_group(group_id) {
            let mut group = group.clone();
            event(&mut group, turn);
            turn.save(group);
        }
    }
}

impl ClassicGroup {
    fn on_session_end(&mut self, member_id: &Str, turn: &mut Turn<'_>) {
        if self.members.get(member_id).is_some_and(|member| member.is_excused()) {
            return;
        }
        let was_member = self.members.contains_key(member_id);
        self.remove_member(member_id, turn);
        match self.state {
            GroupState::Stable | GroupState::CompletingRebalance if was_member => {
                self.prepare_rebalance(turn);
            }
            GroupState::PreparingRebalance if self.have_all_joined() => self.complete_join(turn),
            _ => {}
        }
    }

    fn on_sync_timer(&mut self, turn: &mut Turn<'_>) {
        let is_awaited = matches!(self.state, GroupState::CompletingRebalance | GroupState::Stable);
        if !is_awaited || self.pending_syncs.is_empty() {
            return;
        }
        for member_id in std::mem::take(&mut self.pending_syncs) {
            self.remove_member(&member_id, turn);
        }
        self.prepare_rebalance(turn);
    }
}
