//! How to connect.

use std::time::Duration;

use highwater_wire::Str;

use crate::limits::ANSWER_BYTES_MAX;

/// How a [`Connection`](crate::Connection) is opened and how long it waits.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectOptions {
    /// What the client calls itself in every request.
    pub client_id: Str,
    /// For the connection and its first exchange.
    pub connect_timeout: Duration,
    /// For an answer, unless the call says otherwise.
    pub request_timeout: Duration,
    pub answer_bytes_max: usize,
}

impl Default for ConnectOptions {
    fn default() -> Self {
        ConnectOptions {
            client_id: Str::from_static("highwater"),
            connect_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_secs(30),
            answer_bytes_max: ANSWER_BYTES_MAX,
        }
    }
}

impl ConnectOptions {
    pub fn named(client_id: &str) -> Self {
        ConnectOptions { client_id: client_id.into(), ..ConnectOptions::default() }
    }
}
