//! SyncGroup: the leader brings the assignment, the others fetch theirs.

use std::collections::BTreeMap;

use bytes::Bytes;
use highwater_shard::Token;
use highwater_wire::messages::{SyncGroupRequest, SyncGroupResponse};
use highwater_wire::{ErrorCode, Str};

use super::group::{ClassicGroup, GroupState};
use super::member::Waiting;
use crate::record::Record;
use crate::turn::Turn;
use crate::{Call, GroupCoordinator, Reply, Timer};

/// From this version on the protocol's type and name are part of the request.
const PROTOCOL_FROM: i16 = 5;

impl GroupCoordinator {
    pub(crate) fn decide_sync(
        &self,
        token: Token,
        call: Call<SyncGroupRequest>,
        turn: &mut Turn<'_>,
    ) {
        let waiting = Waiting { token, version: call.version };
        let found = match self.group(&call.body.group_id) {
            _ if lacks_protocol(&call) => Err(ErrorCode::INCONSISTENT_GROUP_PROTOCOL),
            _ if call.body.group_id.is_empty() => Err(ErrorCode::INVALID_GROUP_ID),
            None => Err(ErrorCode::UNKNOWN_MEMBER_ID),
            Some(group) => check_sync(&group, &call.body).map(|()| group),
        };
        match found {
            Err(code) => refuse_sync(waiting, code, turn),
            Ok(group) => {
                let mut group = group.into_owned();
                group.on_sync(waiting, call.body, turn);
                turn.save(group);
            }
        }
    }
}

fn lacks_protocol(call: &Call<SyncGroupRequest>) -> bool {
    call.version >= PROTOCOL_FROM
        && (call.body.protocol_type.is_none() || call.body.protocol_name.is_none())
}

fn check_sync(group: &ClassicGroup, body: &SyncGroupRequest) -> Result<(), ErrorCode> {
    group.check_member(&body.member_id, body.group_instance_id.as_deref())?;
    if body.generation_id != group.generation {
        return Err(ErrorCode::ILLEGAL_GENERATION);
    }
    let differs =
        |asked: &Option<Str>, own: &Option<Str>| asked.is_some() && own.is_some() && asked != own;
    if differs(&body.protocol_type, &group.protocol_type)
        || differs(&body.protocol_name, &group.protocol)
    {
        return Err(ErrorCode::INCONSISTENT_GROUP_PROTOCOL);
    }
    match group.state {
        GroupState::Empty => Err(ErrorCode::UNKNOWN_MEMBER_ID),
        GroupState::PreparingRebalance => Err(ErrorCode::REBALANCE_IN_PROGRESS),
        GroupState::CompletingRebalance | GroupState::Stable => Ok(()),
    }
}

impl ClassicGroup {
    fn on_sync(&mut self, waiting: Waiting, body: SyncGroupRequest, turn: &mut Turn<'_>) {
        self.pending_syncs.remove(&body.member_id);
        if self.pending_syncs.is_empty() {
            turn.disarm(Timer::Sync(self.id.clone()));
        }
        let is_stable = self.state == GroupState::Stable;
        let Some(member) = self.member_mut(&body.member_id) else { return };
        if is_stable {
            let assignment = member.assignment.clone();
            return self.answer_sync(waiting, assignment, turn);
        }
        if let Some(old) = member.awaiting_sync.replace(waiting) {
            // Sent again: only the later one is listened to.
            refuse_sync(old, ErrorCode::REBALANCE_IN_PROGRESS, turn);
        }
        if self.is_leader(&body.member_id) {
            self.on_assignment(body, turn);
        }
    }

    /// The leader's word: written down first, so that no answer leaves before it is committed.
    fn on_assignment(&mut self, body: SyncGroupRequest, turn: &mut Turn<'_>) {
        let assignments = body.assignments.into_iter();
        let mut by_member: BTreeMap<Str, Bytes> =
            assignments.map(|given| (given.member_id, given.assignment)).collect();
        for member in self.members_mut() {
            let assignment = by_member.remove(&member.id).unwrap_or_default();
            member.assignment = Bytes::copy_from_slice(&assignment);
        }
        let image = self.to_image();
        if image.size_bytes(&self.id) > turn.config.batch_bytes_max {
            // It could never be written: all are told (as Kafka does), and try again.
            answer_syncs(self, ErrorCode::UNKNOWN_SERVER_ERROR, turn);
            return self.prepare_rebalance(turn);
        }
        turn.record(Record::group(self.id.clone(), &image));
        answer_syncs(self, ErrorCode::NONE, turn);
        self.become_state(GroupState::Stable, turn.now);
    }

    fn answer_sync(&self, waiting: Waiting, assignment: Bytes, turn: &mut Turn<'_>) {
        let response = SyncGroupResponse {
            protocol_type: self.protocol_type.clone(),
            protocol_name: self.protocol.clone(),
            assignment,
            ..SyncGroupResponse::default()
        };
        turn.reply(waiting.token, Reply::SyncGroup(response));
    }
}

/// Answers every waiting sync, with the member's assignment or with `code`.
pub(crate) fn answer_syncs(group: &mut ClassicGroup, code: ErrorCode, turn: &mut Turn<'_>) {
    let group_id = group.id.clone();
    let mut waits = Vec::new();
    for member in group.members_mut() {
        if let Some(waiting) = member.awaiting_sync.take() {
            waits.push((waiting, member.assignment.clone()));
            // Its session stood still while it waited here.
            let timer = Timer::Session(group_id.clone(), member.id.clone());
            turn.arm(timer, member.session_timeout_ms.into());
        }
    }
    for (waiting, assignment) in waits {
        if code == ErrorCode::NONE {
            group.answer_sync(waiting, assignment, turn);
        } else {
            refuse_sync(waiting, code, turn);
        }
    }
}

pub(crate) fn refuse_sync(waiting: Waiting, code: ErrorCode, turn: &mut Turn<'_>) {
    let response = SyncGroupResponse { error_code: code.0, ..SyncGroupResponse::default() };
    turn.reply(waiting.token, Reply::SyncGroup(response));
}
