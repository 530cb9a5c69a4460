//! Heartbeat: keeps a member's session, and tells it of a rebalance.

use highwater_shard::Token;
use highwater_wire::ErrorCode;
use highwater_wire::messages::{HeartbeatRequest, HeartbeatResponse};

use super::group::{ClassicGroup, GroupState};
use crate::turn::Turn;
use crate::{Call, GroupCoordinator, Reply, Timer};

impl GroupCoordinator {
    pub(crate) fn decide_heartbeat(
        &self,
        token: Token,
        call: Call<HeartbeatRequest>,
        turn: &mut Turn<'_>,
    ) {
        let body = call.body;
        let result = if body.group_id.is_empty() {
            Err(ErrorCode::INVALID_GROUP_ID)
        } else {
            match self.group(&body.group_id) {
                Some(group) => group.on_heartbeat(&body, turn),
                None => Err(ErrorCode::UNKNOWN_MEMBER_ID),
            }
        };
        let code = result.err().unwrap_or(ErrorCode::NONE);
        let response = HeartbeatResponse { error_code: code.0, ..HeartbeatResponse::default() };
        turn.reply(token, Reply::Heartbeat(response));
    }
}

impl ClassicGroup {
    /// Changes nothing of the group itself: only the session's timer.
    fn on_heartbeat(&self, body: &HeartbeatRequest, turn: &mut Turn<'_>) -> Result<(), ErrorCode> {
        self.check_member(&body.member_id, body.group_instance_id.as_deref())?;
        if body.generation_id != self.generation {
            return Err(ErrorCode::ILLEGAL_GENERATION);
        }
        self.renew_session(&body.member_id, turn);
        match self.state {
            GroupState::PreparingRebalance => Err(ErrorCode::REBALANCE_IN_PROGRESS),
            // A client may send heartbeats as soon as it knows its generation.
            GroupState::CompletingRebalance | GroupState::Stable => Ok(()),
            GroupState::Empty => Err(ErrorCode::UNKNOWN_MEMBER_ID),
        }
    }

    pub(crate) fn renew_session(&self, member_id: &str, turn: &mut Turn<'_>) {
        if let Some(member) = self.members.get(member_id) {
            let timer = Timer::Session(self.id.clone(), member.id.clone());
            turn.arm(timer, member.session_timeout_ms.into());
        }
    }
}
