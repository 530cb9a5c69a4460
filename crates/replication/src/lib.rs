//! One partition replica: its role, its epochs, its high watermark, and whoever waits for one of
//! them to move.
//!
//! The watermarks of a replica, always in this order:
//!
//! ```text
//!  log_start    last_stable   high_watermark    flushed <= log_end
//!      |             |              |              |         |
//!  ----+-------------+--------------+--------------+---------+--->
//!      | readable by read_committed |  acknowledged to nobody yet |
//! ```
//!
//! (`flushed` may lie below or above the high watermark, as the flush policy says.)
//!
//! The caller's duties:
//! 1. report every append, flush, follower position, log start and role change, in the order they
//!    happened, under one lock per partition;
//! 2. wake every waiter that a call returns.
//!
//! The crate's guarantees:
//! 1. HW-01: the high watermark never falls within an epoch; HW-02: it never passes the log end;
//! 2. a waiter is returned exactly once: when what it waits for holds, or when it cannot any more.
//!
//! Knows nothing of files, sockets, clocks; a waiter is an opaque value of the caller's.

mod flush_policy;
mod replica;
mod waiters;

pub use flush_policy::FlushPolicy;
pub use replica::{Positions, Replica, Role};
pub use waiters::{AckOutcome, Waiters, Woken};
