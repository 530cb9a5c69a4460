//! The classic group protocol: JoinGroup, SyncGroup, Heartbeat, LeaveGroup. Members choose the
//! assignment among themselves; the coordinator keeps order.
//!
//! One file per event. Each decides on a copy of the group ([`ClassicGroup`]), which becomes the
//! live one when the decision is applied.

mod expire;
mod group;
mod heartbeat;
mod join;
mod join_static;
mod leave;
mod load;
mod member;
mod rebalance;
mod sync;

pub(crate) use group::{ClassicGroup, GroupState};
pub(crate) use leave::leave_response;
pub(crate) use member::Member;
pub(crate) use rebalance::join_error;
