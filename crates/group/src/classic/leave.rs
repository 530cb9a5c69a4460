//! LeaveGroup: members that go by themselves, and static ones that an administrator removes.

use highwater_shard::Token;
use highwater_wire::messages::leave_group_request::MemberIdentity;
use highwater_wire::messages::leave_group_response::MemberResponse;
use highwater_wire::messages::{LeaveGroupRequest, LeaveGroupResponse};
use highwater_wire::{ErrorCode, Str};

use super::group::{ClassicGroup, GroupState};
use super::rebalance::refuse_join;
use super::sync::refuse_sync;
use crate::turn::Turn;
use crate::{Call, GroupCoordinator, Reply, Timer};

/// From this version on a request names several members, and the answer speaks of each.
pub(crate) const BATCH_FROM: i16 = 3;

impl GroupCoordinator {
    pub(crate) fn decide_leave(
        &self,
        token: Token,
        call: Call<LeaveGroupRequest>,
        turn: &mut Turn<'_>,
    ) {
        let Call { version, body, .. } = call;
        if body.group_id.is_empty() {
            let response = leave_response(version, Err(ErrorCode::INVALID_GROUP_ID));
            return turn.reply(token, Reply::LeaveGroup(response));
        }
        let leaving = leaving_members(version, &body);
        let results = match self.group(&body.group_id) {
            None => leaving
                .into_iter()
                .map(|member| member_response(member, Err(ErrorCode::UNKNOWN_MEMBER_ID)))
                .collect(),
            Some(group) => {
                let mut group = group.into_owned();
                let results = group.on_leave(leaving, turn);
                turn.save(group);
                results
            }
        };
        turn.reply(token, Reply::LeaveGroup(leave_response(version, Ok(results))));
    }
}

/// Before v3 the request is one member id.
fn leaving_members(version: i16, body: &LeaveGroupRequest) -> Vec<MemberIdentity> {
    if version >= BATCH_FROM {
        return body.members.clone();
    }
    vec![MemberIdentity { member_id: body.member_id.clone(), ..MemberIdentity::default() }]
}

fn member_response(member: MemberIdentity, result: Result<(), ErrorCode>) -> MemberResponse {
    MemberResponse {
        member_id: member.member_id,
        group_instance_id: member.group_instance_id,
        error_code: result.err().unwrap_or(ErrorCode::NONE).0,
        ..MemberResponse::default()
    }
}

/// Before v3 there is only one code for the whole request.
pub(crate) fn leave_response(
    version: i16,
    result: Result<Vec<MemberResponse>, ErrorCode>,
) -> LeaveGroupResponse {
    let (error_code, members) = match result {
        Err(code) => (code.0, Vec::new()),
        Ok(members) if version >= BATCH_FROM => (0, members),
        Ok(members) => (members.first().map_or(0, |member| member.error_code), Vec::new()),
    };
    LeaveGroupResponse { error_code, members, ..LeaveGroupResponse::default() }
}

impl ClassicGroup {
    fn on_leave(
        &mut self,
        leaving: Vec<MemberIdentity>,
        turn: &mut Turn<'_>,
    ) -> Vec<MemberResponse> {
        let mut results = Vec::with_capacity(leaving.len());
        let mut has_left = false;
        for member in leaving {
            let result = self.leaving_id(&member).map(|id| self.remove_member(&id, turn));
            has_left |= result.is_ok();
            results.push(member_response(member, result));
        }
        if has_left {
            match self.state {
                GroupState::Stable | GroupState::CompletingRebalance => {
                    self.prepare_rebalance(turn);
                }
                GroupState::PreparingRebalance => self.maybe_complete_join(turn),
                GroupState::Empty => {}
            }
        }
        results
    }

    /// Which member is meant. An administrator names a static member by its instance id alone.
    fn leaving_id(&self, member: &MemberIdentity) -> Result<Str, ErrorCode> {
        let instance_id = member.group_instance_id.as_deref();
        if member.member_id.is_empty() {
            let owner = instance_id.and_then(|instance| self.static_member(instance));
            return owner.map(|owner| owner.id.clone()).ok_or(ErrorCode::UNKNOWN_MEMBER_ID);
        }
        if !self.pending_joins.contains(&member.member_id) {
            self.check_member(&member.member_id, instance_id)?;
        }
        Ok(member.member_id.clone())
    }

    /// Takes a member, or a handed-out id, out of the group. Requests of it that still wait learn
    /// that it is not a member any more.
    pub(crate) fn remove_member(&mut self, member_id: &Str, turn: &mut Turn<'_>) {
        turn.disarm(Timer::Session(self.id.clone(), member_id.clone()));
        let Some(member) = self.take_out(member_id) else { return };
        let code = ErrorCode::UNKNOWN_MEMBER_ID;
        if let Some(waiting) = member.awaiting_join {
            refuse_join(waiting, Str::default(), code, turn);
        }
        if let Some(waiting) = member.awaiting_sync {
            refuse_sync(waiting, code, turn);
        }
        if self.pending_syncs.is_empty() {
            turn.disarm(Timer::Sync(self.id.clone()));
        }
    }
}
