//! JoinGroup: a new member, a member that was told its id, a member that joins again.

use highwater_shard::Token;
use highwater_types::Uuid;
use highwater_wire::messages::JoinGroupRequest;
use highwater_wire::{ErrorCode, Str};

use super::group::{ClassicGroup, GroupState};
use super::member::{Member, Protocol, Waiting};
use super::rebalance::{refuse_join, refuse_superseded_join};
use crate::limits::{NEW_MEMBER_TIMEOUT_MS, PENDING_JOINS_MAX, STRING_BYTES_MAX, fits};
use crate::record::Record;
use crate::request::MemberOrigin;
use crate::turn::Turn;
use crate::{Call, GroupConfig, GroupCoordinator, Timer};

/// From this version on a dynamic member must first ask for its id (KIP-394).
const MEMBER_ID_REQUIRED_FROM: i16 = 4;

/// A JoinGroup, ready to be decided.
pub(crate) struct Join {
    pub(crate) waiting: Waiting,
    pub(crate) origin: MemberOrigin,
    pub(crate) member_id: Str,
    pub(crate) instance_id: Option<Str>,
    pub(crate) session_timeout_ms: i32,
    pub(crate) rebalance_timeout_ms: i32,
    pub(crate) protocol_type: Str,
    pub(crate) protocols: Vec<Protocol>,
}

impl Join {
    fn new(token: Token, version: i16, origin: MemberOrigin, body: JoinGroupRequest) -> Self {
        Join {
            waiting: Waiting { token, version },
            origin: MemberOrigin {
                client_id: origin.client_id.detached(),
                client_host: origin.client_host.detached(),
            },
            member_id: body.member_id.detached(),
            instance_id: body.group_instance_id.as_ref().map(Str::detached),
            session_timeout_ms: body.session_timeout_ms,
            // v0 has one timeout for both.
            rebalance_timeout_ms: if version == 0 {
                body.session_timeout_ms
            } else {
                body.rebalance_timeout_ms
            },
            protocol_type: body.protocol_type.detached(),
            protocols: Protocol::list(&body.protocols),
        }
    }

    pub(crate) fn refuse(self, code: ErrorCode, turn: &mut Turn<'_>) {
        refuse_join(self.waiting, self.member_id, code, turn);
    }

    /// A fresh member id: the instance id or the client id (as much of it as fits), then a random
    /// one.
    fn new_member_id(&self, turn: &mut Turn<'_>) -> Str {
        let random = Uuid::random(turn.entropy).to_hyphenated();
        let prefix = self.instance_id.as_ref().unwrap_or(&self.origin.client_id);
        let room = STRING_BYTES_MAX - random.len() - 1;
        let prefix = &prefix[..prefix.floor_char_boundary(room)];
        Str::from(format!("{prefix}-{random}"))
    }
}

impl GroupCoordinator {
    pub(crate) fn decide_join(
        &self,
        token: Token,
        call: Call<JoinGroupRequest>,
        turn: &mut Turn<'_>,
    ) {
        let group_id = call.body.group_id.detached();
        let checked = check_join(&call, &turn.config);
        let join = Join::new(token, call.version, call.origin, call.body);
        if let Err(code) = checked {
            return join.refuse(code, turn);
        }
        let known = self.group(&group_id);
        if known.is_none() && !join.member_id.is_empty() {
            return join.refuse(ErrorCode::UNKNOWN_MEMBER_ID, turn);
        }
        let mut group = match known {
            Some(group) => group.into_owned(),
            None => ClassicGroup::new(group_id.clone(), turn.now),
        };
        if !group.has_room_for(&join, turn.config.members_max) {
            group.remove_member(&join.member_id, turn);
            let code = ErrorCode::GROUP_MAX_SIZE_REACHED;
            refuse_join(join.waiting, Str::default(), code, turn);
            // It may have been the last one awaited.
            group.maybe_complete_join(turn);
        } else if !group.accepts(&join.protocol_type, &join.protocols) {
            join.refuse(ErrorCode::INCONSISTENT_GROUP_PROTOCOL, turn);
        } else if join.member_id.is_empty() {
            group.on_join_new(join, turn);
        } else {
            group.on_join_known(join, turn);
        }
        let has_record = turn.has_records() || self.state().groups.contains_key(&group_id);
        if !has_record && !group.is_settled() {
            // The group exists from here on: a new leader must know of it.
            let image = ClassicGroup::new(group_id.clone(), turn.now).to_image();
            turn.record(Record::group(group_id, &image));
        }
        turn.save(group);
    }
}

fn check_join(call: &Call<JoinGroupRequest>, config: &GroupConfig) -> Result<(), ErrorCode> {
    let body = &call.body;
    if body.group_id.is_empty() || !fits(&body.group_id) {
        return Err(ErrorCode::INVALID_GROUP_ID);
    }
    let allowed = config.session_timeout_ms_min..=config.session_timeout_ms_max;
    if !allowed.contains(&body.session_timeout_ms) {
        return Err(ErrorCode::INVALID_SESSION_TIMEOUT);
    }
    let names = body.protocols.iter().map(|protocol| &protocol.name);
    let names = names.chain(&body.group_instance_id).chain([&body.protocol_type]);
    let all_fit = names.chain([&call.origin.client_id, &call.origin.client_host]).all(|s| fits(s));
    if all_fit { Ok(()) } else { Err(ErrorCode::INVALID_REQUEST) }
}

impl ClassicGroup {
    /// While members join again it is those who have joined that count, so that a lowered
    /// `group.max.size` leaves out the last ones. A static member that comes back without its
    /// member id is not one more (Kafka counts it as one, and a full group refuses it for good).
    fn has_room_for(&self, join: &Join, members_max: usize) -> bool {
        let instance_id = join.instance_id.as_deref();
        let former = || self.static_member(instance_id?);
        let member = self.members.get(&join.member_id).map(|member| &**member).or_else(former);
        match self.state {
            GroupState::Empty => true,
            GroupState::PreparingRebalance => {
                member.is_some_and(|member| member.awaiting_join.is_some())
                    || self.awaiting_join_count() < members_max
            }
            GroupState::CompletingRebalance | GroupState::Stable => {
                member.is_some() || self.members.len() < members_max
            }
        }
    }

    /// A join without a member id.
    fn on_join_new(&mut self, join: Join, turn: &mut Turn<'_>) {
        let member_id = join.new_member_id(turn);
        let instance_id = join.instance_id.as_deref();
        let replaced = instance_id.and_then(|instance| self.static_member(instance));
        if let Some(old) = replaced.map(|member| member.id.clone()) {
            self.on_join_replacing(join, &old, member_id, turn);
        } else if join.instance_id.is_some() || join.waiting.version < MEMBER_ID_REQUIRED_FROM {
            self.add_member(join, member_id, turn);
        } else if self.pending_joins.len() >= PENDING_JOINS_MAX {
            join.refuse(ErrorCode::GROUP_MAX_SIZE_REACHED, turn);
        } else {
            let session_ms = join.session_timeout_ms.into();
            turn.arm(Timer::Session(self.id.clone(), member_id.clone()), session_ms);
            self.pending_joins.insert(member_id.clone());
            refuse_join(join.waiting, member_id, ErrorCode::MEMBER_ID_REQUIRED, turn);
        }
    }

    /// A join with a member id that we gave out.
    fn on_join_known(&mut self, join: Join, turn: &mut Turn<'_>) {
        let member_id = join.member_id.clone();
        if self.pending_joins.contains(&member_id) && join.instance_id.is_none() {
            return self.add_member(join, member_id, turn);
        }
        if let Err(code) = self.check_member(&member_id, join.instance_id.as_deref()) {
            return join.refuse(code, turn);
        }
        let is_same =
            self.members.get(&member_id).is_some_and(|own| own.protocols == join.protocols);
        let only_asks = match self.state {
            // The answer to its first join was lost: it gets the same again.
            GroupState::CompletingRebalance => is_same,
            // A leader that joins again wants a rebalance (its topics changed, say).
            GroupState::Stable => is_same && !self.is_leader(&member_id),
            GroupState::PreparingRebalance | GroupState::Empty => false,
        };
        if only_asks {
            self.answer_join(join.waiting, &member_id, turn);
        } else {
            self.update_member(&member_id, join, turn);
            self.rebalance_or_complete(turn);
        }
    }

    fn add_member(&mut self, join: Join, member_id: Str, turn: &mut Turn<'_>) {
        if let Some(initial) = &mut self.initial {
            initial.has_newcomer = true;
        }
        turn.arm(Timer::Session(self.id.clone(), member_id.clone()), NEW_MEMBER_TIMEOUT_MS);
        let member = Member {
            id: member_id,
            instance_id: join.instance_id,
            client_id: join.origin.client_id,
            client_host: join.origin.client_host,
            rebalance_timeout_ms: join.rebalance_timeout_ms,
            session_timeout_ms: join.session_timeout_ms,
            protocols: join.protocols,
            assignment: Default::default(),
            awaiting_join: Some(join.waiting),
            awaiting_sync: None,
            is_new: true,
        };
        self.insert(member, join.protocol_type);
        self.rebalance_or_complete(turn);
    }

    /// What the member says of itself now holds, and it waits for the generation to come.
    pub(crate) fn update_member(&mut self, member_id: &Str, join: Join, turn: &mut Turn<'_>) {
        if let Some(member) = self.member_mut(member_id) {
            member.protocols = join.protocols;
            member.rebalance_timeout_ms = join.rebalance_timeout_ms;
            member.session_timeout_ms = join.session_timeout_ms;
            refuse_superseded_join(member.awaiting_join.replace(join.waiting), member_id, turn);
        }
    }
}
