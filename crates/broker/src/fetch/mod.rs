//! What Fetch needs beyond one partition's read: waiting for data, and incremental sessions
//! (KIP-227).

mod session;
mod wait;

pub use session::{Lookup, Session, SessionCache, SessionError, SessionPartition, Told};
pub use wait::FetchWait;
