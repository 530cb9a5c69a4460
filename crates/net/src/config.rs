//! What of the network the settings decide.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use highwater_wire::limits::REQUEST_BYTES_MAX;

use crate::limits::STALLED_FRAME_TIMEOUT;

/// Settings of a [`Server`](crate::Server), with the Kafka name of each.
#[derive(Debug, Clone, PartialEq)]
pub struct NetConfig {
    /// Longest request frame (`socket.request.max.bytes`).
    pub frame_bytes_max: usize,
    /// Connections over all listeners; at the limit no more are accepted until one ends
    /// (`max.connections`).
    pub connections_max: usize,
    /// Connections from one address; more are closed (`max.connections.per.ip`).
    pub connections_per_ip_max: usize,
    /// Other bounds for some addresses (`max.connections.per.ip.overrides`).
    pub connections_per_ip_overrides: BTreeMap<IpAddr, usize>,
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
            connections_max: i32::MAX as usize,
            connections_per_ip_max: i32::MAX as usize,
            connections_per_ip_overrides: BTreeMap::new(),
            idle_timeout: Some(Duration::from_secs(600)),
            stalled_frame_timeout: STALLED_FRAME_TIMEOUT,
            requests_bytes_max: 512 << 20,
            send_buffer_bytes: None,
            receive_buffer_bytes: None,
        }
    }
}

impl NetConfig {
    pub(crate) fn per_ip_max(&self, ip: IpAddr) -> usize {
        self.connections_per_ip_overrides.get(&ip).copied().unwrap_or(self.connections_per_ip_max)
    }
}
