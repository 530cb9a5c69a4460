//! The state machine of one offsets partition: who is asked for which event. Nothing else.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use highwater_shard::{Cx, Decision, Input, Shard, Token, Unavailable};
use highwater_types::{LeaderEpoch, Offset};
use highwater_wire::Str;

use crate::classic::ClassicGroup;
use crate::refuse::{refuse, unavailable_code};
use crate::turn::Turn;
use crate::{GroupView, Record, Reply, Request, State};

/// What a due timer is for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timer {
    /// A member (group, member id) was not heard of.
    Session(Str, Str),
    /// The join phase of a group is over.
    Join(Str),
    /// The members of a group should have fetched their assignments.
    Sync(Str),
    /// Time to look for expired offsets and empty groups, from this id on; all are after the
    /// empty one.
    Sweep(Str),
}

/// A change of soft state.
#[derive(Debug)]
pub enum SoftEvent {
    /// This is the group now.
    Put(Box<LiveGroup>),
    /// The group is nothing but its records.
    Forget(Str),
}

/// A group with what its records do not say; opaque outside the crate.
#[derive(Debug)]
pub struct LiveGroup(pub(crate) ClassicGroup);

/// The coordinator of the groups whose records are in one partition of `__consumer_offsets`.
#[derive(Debug, Default)]
pub struct GroupCoordinator {
    state: State,
    /// Groups with members, or with ids handed out. Soft: a new leader starts from the records,
    /// with every group that has members Stable.
    live: BTreeMap<Str, ClassicGroup>,
}

impl GroupCoordinator {
    pub fn new() -> Self {
        GroupCoordinator::default()
    }

    /// The durable state, for read-only views and tests.
    pub fn state(&self) -> &State {
        &self.state
    }

    pub(crate) fn live_group(&self, id: &str) -> Option<&ClassicGroup> {
        self.live.get(id)
    }

    /// The group as it is now, if there is one: alive, recorded, or known by its offsets alone.
    pub(crate) fn group(&self, id: &str) -> Option<Cow<'_, ClassicGroup>> {
        if let Some(group) = self.live.get(id) {
            return Some(Cow::Borrowed(group));
        }
        if let Some((id, image)) = self.state.groups.get_key_value(id) {
            return Some(Cow::Owned(ClassicGroup::from_image(id.clone(), image)));
        }
        let (id, _) = self.state.offsets.get_key_value(id)?;
        Some(Cow::Owned(ClassicGroup::new(id.clone(), highwater_types::Timestamp::NONE)))
    }

    /// Every group there is, in order.
    pub(crate) fn group_ids(&self) -> BTreeSet<&Str> {
        self.group_ids_from("", usize::MAX)
    }

    /// The groups from `from` on: at least `count` of them, if there are as many.
    pub(crate) fn group_ids_from(&self, from: &str, count: usize) -> BTreeSet<&Str> {
        let range = (Bound::Included(from), Bound::Unbounded);
        let recorded = self.state.groups.range::<str, _>(range).map(|(id, _)| id).take(count);
        let with_offsets = self.state.offsets.range::<str, _>(range).map(|(id, _)| id).take(count);
        let live = self.live.range::<str, _>(range).map(|(id, _)| id).take(count);
        recorded.chain(with_offsets).chain(live).collect()
    }

    fn decide_request(&self, token: Token, request: Request, turn: &mut Turn<'_>) {
        match request {
            Request::JoinGroup(call) => self.decide_join(token, call, turn),
            Request::SyncGroup(call) => self.decide_sync(token, call, turn),
            Request::Heartbeat(call) => self.decide_heartbeat(token, call, turn),
            Request::LeaveGroup(call) => self.decide_leave(token, call, turn),
            Request::OffsetCommit(call) => self.decide_offset_commit(token, call, turn),
            Request::OffsetFetch(call) => self.decide_offset_fetch(token, call, turn),
            Request::OffsetDelete(call) => self.decide_offset_delete(token, call, turn),
            Request::DescribeGroups(call) => self.decide_describe(token, call, turn),
            Request::ListGroups(call) => self.decide_list(token, call, turn),
            Request::DeleteGroups(call) => self.decide_delete_groups(token, call, turn),
            Request::TopicDeleted { id, name } => self.decide_topic_deleted(token, id, &name, turn),
        }
    }

    fn decide_timer(&self, timer: Timer, turn: &mut Turn<'_>) {
        match timer {
            Timer::Session(group, member) => self.decide_session_end(&group, &member, turn),
            Timer::Join(group) => self.decide_join_timer(&group, turn),
            Timer::Sync(group) => self.decide_sync_timer(&group, turn),
            Timer::Sweep(from) => self.decide_sweep(&from, turn),
        }
    }
}

impl Shard for GroupCoordinator {
    type Request = Request;
    type Record = Record;
    type Reply = Reply;
    type Soft = SoftEvent;
    type Timer = Timer;
    type View = dyn GroupView;

    fn decide(&self, input: Input<Self>, cx: &mut Cx<'_, dyn GroupView>) -> Decision<Self> {
        let mut turn = Turn::new(cx);
        match input {
            Input::Request(token, request) => self.decide_request(token, request, &mut turn),
            Input::Timer(timer) => self.decide_timer(timer, &mut turn),
        }
        turn.into_decision()
    }

    fn replay(&mut self, _offset: Offset, record: &Record) {
        self.state.replay(record);
    }

    fn on_soft(&mut self, event: SoftEvent) {
        match event {
            SoftEvent::Put(group) => {
                self.live.insert(group.0.id.clone(), group.0);
            }
            SoftEvent::Forget(id) => {
                self.live.remove(&id);
            }
        }
    }

    fn on_lead(&self, _epoch: LeaderEpoch, cx: &mut Cx<'_, dyn GroupView>) -> Decision<Self> {
        let mut turn = Turn::new(cx);
        self.on_lead_classic(&mut turn);
        self.arm_next_sweep(&mut turn);
        turn.into_decision()
    }

    fn unavailable(request: Option<&Request>, why: Unavailable) -> Reply {
        let code = unavailable_code(why);
        request.map_or(Reply::Refused(code), |request| refuse(request, code))
    }

    fn emptied(&self) -> Self {
        GroupCoordinator::default()
    }
}
