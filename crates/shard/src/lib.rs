//! The contract of a replicated state machine ([`Shard`]) and the pure driver that runs one
//! ([`Driver`]).
//!
//! A shard *decides* records from a request and *replays* records into state. Deciding reads
//! state and changes nothing; replaying is the only thing that changes durable state. So a crash,
//! a new leader and a test all rebuild the same state from the same records.
//!
//! The caller's duties:
//! 1. feed every event of one shard to one driver, one at a time;
//! 2. carry out the effects of an event in their order, before the next event;
//! 3. append the records of one [`Effect::Append`] as one batch at exactly the offset it names,
//!    and report [`Event::AppendFailed`] if that cannot be had;
//! 4. report [`Event::CommittedTo`] whenever the high watermark of the shard's log moves;
//! 5. after [`Effect::Load`], read the log from its start and answer with [`Event::Loaded`]
//!    records and at last [`Event::LoadEnded`]; once [`Event::Resign`] or another
//!    [`Effect::Load`] came between, nothing more of that reading is sent;
//! 6. when an append is refused, refuse those queued behind it as well; [`Event::AppendFailed`]
//!    for the first is enough, and none comes after the reading it caused has begun.
//!
//! The driver's guarantees:
//! 1. a reply leaves only when every record that its decision wrote, or may have read, is below
//!    the high watermark;
//! 2. records are replayed in log order, each once, as soon as their append is queued: a shard is
//!    never limited to one decision per disk round trip;
//! 3. when an append fails, every waiting request is answered with [`Shard::unavailable`] and the
//!    shard is rebuilt from its log.
//!
//! Knows nothing of tokio, files, clocks.

mod contract;
mod driver;

pub use contract::{Cx, Decision, Input, Shard, TimerOp, Token, Unavailable};
pub use driver::{Driver, Effect, Event};
