//! A classic group as it is now: its members, its state, and who waits for what.
//!
//! Holds data and answers questions about it; the events that change it are in the sibling
//! modules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use highwater_types::Timestamp;
use highwater_wire::{ErrorCode, Str};

use super::member::{Member, Protocol};
use crate::offsets::subscribed_topics;
use crate::state::{GroupImage, MemberImage};

/// The protocol type of Kafka's own consumers, the only one whose subscriptions we can read.
const CONSUMER: &str = "consumer";

/// Where a classic group stands.
///
/// ```text
///           join                     all joined, or time is up
///  Empty ─────────> PreparingRebalance ─────────> CompletingRebalance
///    ^                │    ^   ^                    │           │
///    └────────────────┘    │   └────────────────────┘           │ leader syncs
///       nobody left        │    join, leave, expiry             v
///                          └─────────────────────────────── Stable
/// ```
///
/// Kafka's fifth state, Dead, is a group that does not exist: it appears in answers only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupState {
    /// No members; perhaps offsets, perhaps ids handed out to members that have not joined yet.
    /// Left by the first join.
    Empty,
    /// Members are asked to join again. Left when all have, or when time is up: to
    /// CompletingRebalance, or to Empty if nobody is left.
    PreparingRebalance,
    /// All joined; the leader's assignment is awaited. Left to Stable by the leader's sync, to
    /// PreparingRebalance by whatever changes the membership.
    CompletingRebalance,
    /// Every member has, or can get, its assignment. Left to PreparingRebalance.
    Stable,
}

impl GroupState {
    /// The word of `ListGroups` and `DescribeGroups`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            GroupState::Empty => "Empty",
            GroupState::PreparingRebalance => "PreparingRebalance",
            GroupState::CompletingRebalance => "CompletingRebalance",
            GroupState::Stable => "Stable",
        }
    }
}

/// The first rebalance of a group waits for more members to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InitialDelay {
    /// The wait that is running.
    pub(crate) delay_ms: u64,
    /// What may still be added to it.
    pub(crate) remaining_ms: u64,
    /// A member came while it ran: it is worth waiting again.
    pub(crate) has_newcomer: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClassicGroup {
    pub(crate) id: Str,
    pub(crate) state: GroupState,
    /// Present only in PreparingRebalance, if that was entered from Empty.
    pub(crate) initial: Option<InitialDelay>,
    /// When the group came into its state, on the wall clock.
    pub(crate) since: Timestamp,
    /// `None`: nobody ever joined; the group only holds offsets (a simple group).
    pub(crate) protocol_type: Option<Str>,
    /// The strategy elected for `generation`; `None` while the group is empty.
    pub(crate) protocol: Option<Str>,
    pub(crate) generation: i32,
    /// Always a member, if there are any.
    pub(crate) leader: Option<Str>,
    /// Shared with the copies that decisions work on: an event touches few of them.
    pub(crate) members: BTreeMap<Str, Arc<Member>>,
    /// Ids handed out (MEMBER_ID_REQUIRED) whose owners have not joined yet; none is a member.
    pub(crate) pending_joins: BTreeSet<Str>,
    /// Members of this generation that have not synced yet.
    pub(crate) pending_syncs: BTreeSet<Str>,
}

impl ClassicGroup {
    pub(crate) fn new(id: Str, now: Timestamp) -> Self {
        ClassicGroup {
            id,
            state: GroupState::Empty,
            initial: None,
            since: now,
            protocol_type: None,
            protocol: None,
            generation: 0,
            leader: None,
            members: BTreeMap::new(),
            pending_joins: BTreeSet::new(),
            pending_syncs: BTreeSet::new(),
        }
    }

    /// The group as its last record left it.
    pub(crate) fn from_image(id: Str, image: &GroupImage) -> Self {
        let protocol = image.protocol.clone();
        let members = image.members.iter().map(|(id, member)| {
            let name = protocol.clone().unwrap_or_default();
            let member = Member {
                id: id.clone(),
                instance_id: member.instance_id.clone(),
                client_id: member.client_id.clone(),
                client_host: member.client_host.clone(),
                rebalance_timeout_ms: member.rebalance_timeout_ms,
                session_timeout_ms: member.session_timeout_ms,
                protocols: vec![Protocol { name, metadata: member.subscription.clone() }],
                assignment: member.assignment.clone(),
                awaiting_join: None,
                awaiting_sync: None,
                is_new: false,
            };
            (id.clone(), Arc::new(member))
        });
        let members: BTreeMap<Str, Arc<Member>> = members.collect();
        let known = image.leader.as_ref().filter(|leader| members.contains_key(*leader));
        ClassicGroup {
            state: if members.is_empty() { GroupState::Empty } else { GroupState::Stable },
            protocol_type: image.protocol_type.clone(),
            generation: image.generation,
            leader: known.or_else(|| members.keys().next()).cloned(),
            protocol,
            members,
            ..ClassicGroup::new(id, image.since)
        }
    }

    /// What a record of this group would say now.
    pub(crate) fn to_image(&self) -> GroupImage {
        let protocol = self.protocol.clone().unwrap_or_default();
        let members = self.members().map(|member| {
            let image = MemberImage {
                instance_id: member.instance_id.clone(),
                client_id: member.client_id.clone(),
                client_host: member.client_host.clone(),
                rebalance_timeout_ms: member.rebalance_timeout_ms,
                session_timeout_ms: member.session_timeout_ms,
                subscription: member.metadata(&protocol),
                assignment: member.assignment.clone(),
            };
            (member.id.clone(), image)
        });
        GroupImage {
            protocol_type: self.protocol_type.clone(),
            generation: self.generation,
            protocol: self.protocol.clone(),
            leader: self.leader.clone(),
            since: self.since,
            members: members.collect(),
        }
    }

    /// Nothing is known of the group but what its records and offsets say.
    pub(crate) fn is_settled(&self) -> bool {
        self.state == GroupState::Empty && self.pending_joins.is_empty()
    }

    pub(crate) fn members(&self) -> impl Iterator<Item = &Member> {
        self.members.values().map(|member| &**member)
    }

    pub(crate) fn members_mut(&mut self) -> impl Iterator<Item = &mut Member> {
        self.members.values_mut().map(Arc::make_mut)
    }

    pub(crate) fn member_mut(&mut self, member_id: &str) -> Option<&mut Member> {
        self.members.get_mut(member_id).map(Arc::make_mut)
    }

    pub(crate) fn is_leader(&self, member_id: &str) -> bool {
        self.leader.as_deref() == Some(member_id)
    }

    pub(crate) fn static_member(&self, instance_id: &str) -> Option<&Member> {
        let mut members = self.members();
        members.find(|member| member.instance_id.as_deref() == Some(instance_id))
    }

    pub(crate) fn uses_consumer_protocol(&self) -> bool {
        self.protocol_type.as_deref() == Some(CONSUMER)
    }

    pub(crate) fn awaiting_join_count(&self) -> usize {
        self.members().filter(|member| member.awaiting_join.is_some()).count()
    }

    pub(crate) fn have_all_joined(&self) -> bool {
        self.pending_joins.is_empty() && self.awaiting_join_count() == self.members.len()
    }

    /// The longest that any member may take to join again.
    pub(crate) fn rebalance_timeout_ms(&self) -> i64 {
        let longest = self.members().map(|member| member.rebalance_timeout_ms).max();
        longest.unwrap_or(0).max(0).into()
    }

    /// Whether a member with these protocols could take part.
    pub(crate) fn accepts(&self, protocol_type: &str, protocols: &[Protocol]) -> bool {
        if self.state == GroupState::Empty {
            return !protocol_type.is_empty() && !protocols.is_empty();
        }
        self.protocol_type.as_deref() == Some(protocol_type)
            && protocols.iter().any(|protocol| self.all_support(&protocol.name))
    }

    fn all_support(&self, protocol: &str) -> bool {
        self.members().all(|member| member.supports(protocol))
    }

    /// The strategy that all members support and most prefer; among equals the first by name.
    pub(crate) fn elect_protocol(&self) -> Option<Str> {
        let mut votes: BTreeMap<&Str, usize> = BTreeMap::new();
        for member in self.members() {
            let vote = member.protocols.iter().find(|protocol| self.all_support(&protocol.name));
            *votes.entry(&vote?.name).or_default() += 1;
        }
        let most = votes.values().copied().max()?;
        votes.into_iter().find(|(_, count)| *count == most).map(|(name, _)| name.clone())
    }

    /// Whether a request may speak for this member.
    pub(crate) fn check_member(
        &self,
        member_id: &str,
        instance_id: Option<&str>,
    ) -> Result<(), ErrorCode> {
        let member = self.members.get(member_id);
        match instance_id {
            None => member.map(|_| ()).ok_or(ErrorCode::UNKNOWN_MEMBER_ID),
            Some(own) if member.is_some_and(|m| m.instance_id.as_deref() == Some(own)) => Ok(()),
            Some(other) if self.static_member(other).is_some() => {
                Err(ErrorCode::FENCED_INSTANCE_ID)
            }
            Some(_) => Err(ErrorCode::UNKNOWN_MEMBER_ID),
        }
    }

    /// Adds a member; the first one gives the group its protocol type and its leader.
    pub(crate) fn insert(&mut self, member: Member, protocol_type: Str) {
        if self.members.is_empty() {
            self.protocol_type = Some(protocol_type);
        }
        if self.leader.is_none() {
            self.leader = Some(member.id.clone());
        }
        self.pending_joins.remove(&member.id);
        self.members.insert(member.id.clone(), Arc::new(member));
    }

    /// Takes a member out; another leads if it was the leader.
    pub(crate) fn take_out(&mut self, member_id: &str) -> Option<Member> {
        self.pending_joins.remove(member_id);
        self.pending_syncs.remove(member_id);
        let removed = self.members.remove(member_id).map(Arc::unwrap_or_clone);
        if self.is_leader(member_id) {
            self.leader = self.members.keys().next().cloned();
        }
        removed
    }

    pub(crate) fn become_state(&mut self, state: GroupState, now: Timestamp) {
        self.state = state;
        self.since = now;
        if state != GroupState::PreparingRebalance {
            self.initial = None;
        }
    }

    /// The topics its members consume, if they say it in a way we can read.
    pub(crate) fn subscribed_topics(&self) -> Option<BTreeSet<Str>> {
        if !self.uses_consumer_protocol() {
            return None;
        }
        if self.members.is_empty() {
            return Some(BTreeSet::new());
        }
        let protocol = self.protocol.as_deref()?;
        let mut all = BTreeSet::new();
        for member in self.members() {
            all.extend(subscribed_topics(&member.metadata(protocol))?);
        }
        Some(all)
    }
}
