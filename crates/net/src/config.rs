//! What of the network the settings decide.

use std::time::Duration;

use highwater_wire::limits::REQUEST_BYTES_MAX;

use crate::ConnectionLimits;
use crate::limits::STALLED_FRAME_TIMEOUT;

/// Settings of a [`Server`](crate::Server), with the Kafka name of each.
#[derive(Debug, Clone, PartialEq)]
pub struct NetConfig {
    /// Longest request frame (`socket.request.max.bytes`).
    pub frame_bytes_max: usize,
    /// Who may come in; [`Admission::limit`](crate::Admission::limit) changes it later.
    pub connections: ConnectionLimits,
    /// A connection without traffic for so long is closed; `None`: never
    /// (`connections.max.idle.ms`).
    pub idle_timeout: Option<Duration>,
    /// A frame that has begun and of which nothing more comes for so long closes the connection,
    /// so that its memory serves others. Not a setting of Kafka's.
    pub stalled_frame_timeout: Duration,
    /// Bytes of requests in flight over all connections (`queued.max.request.bytes`). One frame
    /// more than this can be held, see `budget`.
    pub requests_bytes_max: usize,
    /// `None`: the operating system decides (`socket.send.buffer.bytes`).
    pub send_buffer_bytes: Option<usize>,
    /// `None`: the operating system decides (`socket.receive.buffer.bytes`).
    pub receive_buffer_bytes: Option<usize>,
}

impl Default for NetConfig {
    fn default() -> Self {
        NetConfig {
            frame_bytes_max: REQUEST_BYTES_MAX,
            connections: ConnectionLimits::default(),
            idle_timeout: Some(Duration::from_secs(600)),
            stalled_frame_timeout: STALLED_FRAME_TIMEOUT,
            requests_bytes_max: 512 << 20,
            send_buffer_bytes: None,
            receive_buffer_bytes: None,
        }
    }
}
