//! What a state machine must provide, and what it may return.

use std::fmt::Debug;

use highwater_types::{Entropy, LeaderEpoch, Mono, Offset, Timestamp};

/// Names one waiting request. Opaque to the shard; it gives the token back with the reply.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Token(pub u64);

/// What surrounds a decision: the clocks, randomness, and whatever the host lets the shard see
/// (settings, the metadata image).
pub struct Cx<'a, V: ?Sized> {
    pub now: Timestamp,
    pub mono: Mono,
    pub entropy: &'a mut dyn Entropy,
    pub view: &'a V,
}

/// What asks for a decision.
pub enum Input<S: Shard> {
    /// A request; its token must come back in some decision's `replies`, now or later.
    Request(Token, S::Request),
    /// A timer that an earlier decision armed, and none disarmed, is due.
    Timer(S::Timer),
}

/// Arms or disarms a timer. Arming one that runs replaces its due time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TimerOp<T> {
    Arm(T, Mono),
    Disarm(T),
}

/// What a shard wants done. The parts take effect in the order of the fields.
pub struct Decision<S: Shard> {
    /// Appended as one atomic batch, then replayed in order.
    pub records: Vec<S::Record>,
    /// Applied after the records were replayed, in order.
    pub soft: Vec<S::Soft>,
    pub timers: Vec<TimerOp<S::Timer>>,
    /// Leave once the records, and everything appended before, are committed. A request that must
    /// wait for something else is remembered through `soft` and answered by a later decision.
    pub replies: Vec<(Token, S::Reply)>,
}

impl<S: Shard> Default for Decision<S> {
    fn default() -> Self {
        Decision { records: Vec::new(), soft: Vec::new(), timers: Vec::new(), replies: Vec::new() }
    }
}

impl<S: Shard> Decision<S> {
    /// Nothing but a reply.
    pub fn reply(token: Token, reply: S::Reply) -> Self {
        Decision { replies: vec![(token, reply)], ..Decision::default() }
    }
}

/// Why a shard cannot answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unavailable {
    /// The log is being read: come again (Kafka: COORDINATOR_LOAD_IN_PROGRESS).
    Loading,
    /// This node does not lead the shard's log (Kafka: NOT_COORDINATOR).
    NotLeader,
    /// The records could not be appended (Kafka: COORDINATOR_NOT_AVAILABLE).
    AppendFailed,
}

/// A replicated state machine.
///
/// Two kinds of state: *durable* state follows from the log alone and changes only in
/// [`Shard::replay`]; *soft* state (waiting joiners, long polls, what a timer is for) may die with
/// the leader and changes only in [`Shard::on_soft`]. `decide` reads both; `replay` may not read
/// soft state. Tests compare the durable state after replaying any prefix of the log with the
/// live one.
pub trait Shard: Sized {
    type Request;
    type Record: Clone;
    type Reply;
    type Soft;
    type Timer: Ord + Clone + Debug;
    /// What the host lets `decide` see beside the state.
    type View: ?Sized;

    /// Chooses what to do; `&self`, so whatever must change is in the decision.
    fn decide(&self, input: Input<Self>, cx: &mut Cx<'_, Self::View>) -> Decision<Self>;

    /// Applies a record that is in the log. Total: it may not refuse, whatever compaction removed
    /// before it.
    fn replay(&mut self, offset: Offset, record: &Self::Record);

    fn on_soft(&mut self, event: Self::Soft);

    /// Called once when this node begins to lead with the state just loaded: what must be armed
    /// or written then (session timers, expiry sweeps).
    fn on_lead(&self, epoch: LeaderEpoch, cx: &mut Cx<'_, Self::View>) -> Decision<Self>;

    /// The answer to a request that cannot be decided or whose records were not appended.
    /// `request` is `None` when the request has been taken in already.
    fn unavailable(request: Option<&Self::Request>, why: Unavailable) -> Self::Reply;

    /// A state as it is before the first record. `self` only gives its construction parameters.
    fn emptied(&self) -> Self;
}
