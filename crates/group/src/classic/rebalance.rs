//! The steps of a rebalance: prepare, wait for joins, start the next generation.

use highwater_wire::messages::JoinGroupResponse;
use highwater_wire::messages::join_group_response::JoinGroupResponseMember;
use highwater_wire::{ErrorCode, Str};

use super::group::{ClassicGroup, GroupState, InitialDelay};
use super::member::{Member, Waiting};
use super::sync::answer_syncs;
use crate::record::Record;
use crate::turn::Turn;
use crate::{Reply, Timer};

impl ClassicGroup {
    /// The membership changed, or must be asked again: rebalances, or goes on with the rebalance
    /// that runs.
    pub(crate) fn rebalance_or_complete(&mut self, turn: &mut Turn<'_>) {
        if self.state == GroupState::PreparingRebalance {
            self.maybe_complete_join(turn);
        } else {
            self.prepare_rebalance(turn);
        }
    }

    /// Asks all members to join again. Those who wait for an assignment are told first.
    pub(crate) fn prepare_rebalance(&mut self, turn: &mut Turn<'_>) {
        if self.state == GroupState::CompletingRebalance {
            for member in self.members_mut() {
                member.assignment = Default::default();
            }
            answer_syncs(self, ErrorCode::REBALANCE_IN_PROGRESS, turn);
        }
        self.pending_syncs.clear();
        turn.disarm(Timer::Sync(self.id.clone()));

        let is_first = self.state == GroupState::Empty;
        self.become_state(GroupState::PreparingRebalance, turn.now);
        if is_first {
            self.begin_initial_delay(turn);
        } else if self.have_all_joined() {
            self.complete_join(turn);
        } else {
            turn.arm(Timer::Join(self.id.clone()), self.rebalance_timeout_ms());
        }
    }

    fn begin_initial_delay(&mut self, turn: &mut Turn<'_>) {
        let delay_ms = turn.config.initial_rebalance_delay_ms;
        let timeout_ms = self.rebalance_timeout_ms().unsigned_abs();
        self.initial = Some(InitialDelay {
            delay_ms,
            remaining_ms: timeout_ms.saturating_sub(delay_ms),
            has_newcomer: false,
        });
        turn.arm(Timer::Join(self.id.clone()), delay_ms.cast_signed());
    }

    /// Ends the join phase if everybody has joined. The first rebalance always lasts its delay.
    pub(crate) fn maybe_complete_join(&mut self, turn: &mut Turn<'_>) {
        let waits = self.state == GroupState::PreparingRebalance && self.initial.is_none();
        if waits && self.have_all_joined() {
            self.complete_join(turn);
        }
    }

    /// The join timer is due: a newcomer extends the first rebalance's delay, within the rebalance
    /// timeout; otherwise who has not joined is left behind.
    pub(crate) fn on_join_timer(&mut self, turn: &mut Turn<'_>) {
        if self.state != GroupState::PreparingRebalance {
            return;
        }
        match &mut self.initial {
            Some(initial) if initial.has_newcomer && initial.remaining_ms > 0 => {
                let next_ms = turn.config.initial_rebalance_delay_ms.min(initial.remaining_ms);
                initial.remaining_ms = initial.remaining_ms.saturating_sub(initial.delay_ms);
                initial.delay_ms = next_ms;
                initial.has_newcomer = false;
                turn.arm(Timer::Join(self.id.clone()), next_ms.cast_signed());
            }
            _ => self.complete_join(turn),
        }
    }

    /// Ends the join phase. Dynamic members that have not joined again are removed; static ones
    /// keep their place until their session ends.
    pub(crate) fn complete_join(&mut self, turn: &mut Turn<'_>) {
        turn.disarm(Timer::Join(self.id.clone()));
        let late = self.members();
        let late = late.filter(|member| member.awaiting_join.is_none() && !member.is_static());
        for member_id in late.map(|member| member.id.clone()).collect::<Vec<_>>() {
            self.take_out(&member_id);
            turn.disarm(Timer::Session(self.id.clone(), member_id));
        }
        if self.members.is_empty() {
            self.become_empty(turn);
        } else if self.elect_joined_leader() {
            self.begin_generation(turn);
        } else {
            // Only static members, and none of them joined: wait until they do or their sessions
            // end.
            if let Some(initial) = &mut self.initial {
                initial.remaining_ms = 0;
            }
            turn.arm(Timer::Join(self.id.clone()), self.rebalance_timeout_ms());
        }
    }

    /// The leader must be a member that has joined, since it is asked for the assignment.
    fn elect_joined_leader(&mut self) -> bool {
        let has_joined = |member: &Member| member.awaiting_join.is_some();
        let leader = self.leader.as_ref().and_then(|leader| self.members.get(leader));
        if !leader.is_some_and(|member| has_joined(member)) {
            let joined = self.members().find(|member| has_joined(member));
            let Some(leader) = joined.map(|member| member.id.clone()) else { return false };
            self.leader = Some(leader);
        }
        true
    }

    fn become_empty(&mut self, turn: &mut Turn<'_>) {
        self.generation = next_generation(self.generation);
        self.protocol = None;
        self.leader = None;
        self.become_state(GroupState::Empty, turn.now);
        self.pending_syncs.clear();
        turn.record(Record::group(self.id.clone(), &self.to_image()));
    }

    fn begin_generation(&mut self, turn: &mut Turn<'_>) {
        self.generation = next_generation(self.generation);
        self.protocol = self.elect_protocol();
        self.become_state(GroupState::CompletingRebalance, turn.now);
        self.pending_syncs = self.members.keys().cloned().collect();
        for member_id in self.pending_syncs.clone() {
            let Some(member) = self.member_mut(&member_id) else { continue };
            member.is_new = false;
            let session_ms = member.session_timeout_ms.into();
            let waiting = member.awaiting_join.take();
            turn.arm(Timer::Session(self.id.clone(), member_id.clone()), session_ms);
            if let Some(waiting) = waiting {
                self.answer_join(waiting, &member_id, turn);
            }
        }
        turn.arm(Timer::Sync(self.id.clone()), self.rebalance_timeout_ms());
    }

    /// Tells a member its generation; the leader also gets the members, to assign to.
    pub(crate) fn answer_join(&self, waiting: Waiting, member_id: &Str, turn: &mut Turn<'_>) {
        let members =
            if self.is_leader(member_id) { self.members_for_leader() } else { Vec::new() };
        let response = JoinGroupResponse { members, ..self.join_response(member_id, waiting) };
        turn.reply(waiting.token, Reply::JoinGroup(response));
    }

    /// A successful answer without the list of members.
    pub(crate) fn join_response(&self, member_id: &Str, waiting: Waiting) -> JoinGroupResponse {
        JoinGroupResponse {
            generation_id: self.generation,
            protocol_type: self.protocol_type.clone(),
            protocol_name: self.protocol.clone().or_else(|| absent_protocol(waiting.version)),
            leader: self.leader.clone().unwrap_or_default(),
            member_id: member_id.clone(),
            ..JoinGroupResponse::default()
        }
    }

    pub(crate) fn members_for_leader(&self) -> Vec<JoinGroupResponseMember> {
        let protocol = self.protocol.clone().unwrap_or_default();
        let members = self.members().map(|member| JoinGroupResponseMember {
            member_id: member.id.clone(),
            group_instance_id: member.instance_id.clone(),
            metadata: member.metadata(&protocol),
            ..JoinGroupResponseMember::default()
        });
        members.collect()
    }
}

/// Answers a join with an error.
pub(crate) fn refuse_join(waiting: Waiting, member_id: Str, code: ErrorCode, turn: &mut Turn<'_>) {
    let Waiting { token, version } = waiting;
    turn.reply(token, Reply::JoinGroup(join_error(version, member_id, code)));
}

/// The body of a refused join.
pub(crate) fn join_error(version: i16, member_id: Str, code: ErrorCode) -> JoinGroupResponse {
    JoinGroupResponse {
        error_code: code.0,
        generation_id: -1,
        protocol_type: None,
        protocol_name: absent_protocol(version),
        member_id,
        ..JoinGroupResponse::default()
    }
}

/// The member has sent its join again: only the later one is listened to, but each is answered.
pub(crate) fn refuse_superseded_join(old: Option<Waiting>, member_id: &Str, turn: &mut Turn<'_>) {
    if let Some(old) = old {
        refuse_join(old, member_id.clone(), ErrorCode::REBALANCE_IN_PROGRESS, turn);
    }
}

/// Before v7 the protocol's name cannot be null.
fn absent_protocol(version: i16) -> Option<Str> {
    (version < 7).then(Str::default)
}

/// Generations start again at 0 rather than become negative, which means "none".
fn next_generation(generation: i32) -> i32 {
    generation.checked_add(1).unwrap_or(0)
}
