//! What the network asks of those who know what a frame means.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use highwater_wire::Segment;

use crate::Connection;

/// Answers requests. One instance serves all connections.
pub trait Service: Send + Sync + 'static {
    /// The first stage of a request, in the order the requests came. `frame` is what follows the
    /// length. Never blocks; what must wait is [`Stage::Pending`].
    fn on_request(&self, connection: &Arc<Connection>, frame: Bytes) -> Stage;

    /// Follows the last of the requests that were taken together from a connection, on the same
    /// thread: what was gathered for them can be handed on.
    fn on_turn_end(&self) {}

    /// The connection is gone; nothing of it runs any more.
    fn on_close(&self, connection: &Arc<Connection>, reason: CloseReason) {
        let _ = (connection, reason);
    }
}

/// What the first stage of a request came to.
pub enum Stage {
    Ready(Reply),
    /// The answer comes later. Requests behind this one are taken meanwhile.
    Pending(Pin<Box<dyn Future<Output = Reply> + Send>>),
    /// Nothing behind this request is taken. Answers to earlier ones still go out, then the
    /// connection is closed.
    Close(&'static str),
}

/// What becomes of a request.
pub enum Reply {
    /// Header and body of the answer, without the length before them.
    Frame(Vec<Segment>),
    /// The peer expects no answer.
    None,
    /// Answers to earlier requests still go out, then the connection is closed.
    Close(&'static str),
}

/// Why a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseReason {
    /// The peer closed it.
    Peer,
    /// Reading or writing failed, or a file is shorter than what was to be sent of it.
    Io(std::io::ErrorKind),
    /// A frame's length was 0, negative, or above the limit.
    FrameLength,
    /// A frame began and did not go on.
    StalledFrame,
    Idle,
    /// The service wanted it so.
    Service(&'static str),
    Shutdown,
}

impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CloseReason::Peer => f.write_str("the peer closed it"),
            CloseReason::Io(kind) => write!(f, "{kind}"),
            CloseReason::FrameLength => f.write_str("a frame had a length out of bounds"),
            CloseReason::StalledFrame => f.write_str("a frame began and did not go on"),
            CloseReason::Idle => f.write_str("it was idle"),
            CloseReason::Service(reason) => f.write_str(reason),
            CloseReason::Shutdown => f.write_str("the broker stops"),
        }
    }
}
