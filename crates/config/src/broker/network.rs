//! Listeners, sockets and what requests may take, typed.

use crate::error::ConfigError;
use crate::layers::Read;
use crate::listeners::{Listener, SecurityProtocol, parse_listeners};

#[derive(Clone, Debug, PartialEq)]
pub struct NetworkConfig {
    pub listeners: Vec<Listener>,
    /// As told to clients, never the controller's. Where none is given those of `listeners`; an
    /// empty host among them means that the machine's name must be put in.
    pub advertised_listeners: Vec<Listener>,
    pub controller_listener_names: Vec<String>,
    pub inter_broker_listener_name: String,
    /// Connections over all listeners.
    pub connections_max: u32,
    pub connections_per_ip_max: u32,
    /// Other bounds for some hosts, which are addresses or names.
    pub connections_per_ip_overrides: Vec<(String, u32)>,
    /// New connections in a second.
    pub connection_creation_rate_max: u32,
    /// `None`: idle connections stay.
    pub connections_idle_max_ms: Option<u64>,
    /// Largest request frame.
    pub request_bytes_max: u32,
    /// Bytes of requests in flight over the whole broker; `None`: no limit was set.
    pub queued_request_bytes_max: Option<u64>,
    pub queued_requests_max: u32,
    /// `None`: the operating system decides, as it does where nothing was set: a fixed size, such
    /// as the 100 KiB of the default, would end its own tuning.
    pub socket_send_buffer_bytes: Option<u32>,
    /// `None`: as above.
    pub socket_receive_buffer_bytes: Option<u32>,
    pub socket_listen_backlog_size: u32,
    pub network_threads: u32,
    pub io_threads: u32,
}

impl NetworkConfig {
    /// The listeners that serve clients: all but the controller's.
    pub fn client_listeners(&self) -> impl Iterator<Item = &Listener> {
        self.listeners.iter().filter(|l| !self.controller_listener_names.contains(&l.name))
    }
}

/// Listeners and the names that say which is for what.
pub(crate) struct ResolvedListeners {
    pub(crate) listeners: Vec<Listener>,
    pub(crate) advertised: Vec<Listener>,
    pub(crate) controller_names: Vec<String>,
    pub(crate) inter_broker_name: String,
}

pub(crate) fn resolve_listeners(read: &Read<'_>) -> Result<ResolvedListeners, ConfigError> {
    let controller_names: Vec<String> =
        read.list("controller.listener.names").iter().map(|n| n.to_ascii_uppercase()).collect();
    let mut protocols = read.text("listener.security.protocol.map").unwrap_or_default();
    if !read.is_given("listener.security.protocol.map") {
        // As in Kafka: controller listeners are plain text unless somebody gives the map.
        for name in controller_names.iter().filter(|n| SecurityProtocol::from_name(n).is_none()) {
            protocols.push_str(&format!(",{name}:PLAINTEXT"));
        }
    }
    let listeners = parse_listeners("listeners", &read.list("listeners"), &protocols)?;
    let given = read.list("advertised.listeners");
    let mut advertised = if given.is_empty() {
        listeners.clone()
    } else {
        parse_listeners("advertised.listeners", &given, &protocols)?
    };
    advertised.retain(|l| !controller_names.contains(&l.name));
    let inter_broker_name = read
        .text("inter.broker.listener.name")
        .or_else(|| read.text("security.inter.broker.protocol"))
        .unwrap_or_default()
        .to_ascii_uppercase();
    Ok(ResolvedListeners { listeners, advertised, controller_names, inter_broker_name })
}

pub(super) fn network(read: &Read<'_>) -> Result<NetworkConfig, ConfigError> {
    let resolved = resolve_listeners(read)?;
    Ok(NetworkConfig {
        listeners: resolved.listeners,
        advertised_listeners: resolved.advertised,
        controller_listener_names: resolved.controller_names,
        inter_broker_listener_name: resolved.inter_broker_name,
        connections_max: read.size("max.connections"),
        connections_per_ip_max: read.size("max.connections.per.ip"),
        connections_per_ip_overrides: counts_by_host(
            &read.text("max.connections.per.ip.overrides").unwrap_or_default(),
        )
        // It was checked.
        .unwrap_or_default(),
        connection_creation_rate_max: read.size("max.connection.creation.rate"),
        connections_idle_max_ms: read.limit("connections.max.idle.ms"),
        request_bytes_max: read.size("socket.request.max.bytes"),
        queued_request_bytes_max: read.limit("queued.max.request.bytes"),
        queued_requests_max: read.size("queued.max.requests"),
        socket_send_buffer_bytes: buffer_bytes(read, "socket.send.buffer.bytes"),
        socket_receive_buffer_bytes: buffer_bytes(read, "socket.receive.buffer.bytes"),
        socket_listen_backlog_size: read.size("socket.listen.backlog.size"),
        network_threads: read.size("num.network.threads"),
        io_threads: read.size("num.io.threads"),
    })
}

fn buffer_bytes(read: &Read<'_>, name: &'static str) -> Option<u32> {
    if read.is_given(name) { u32::try_from(read.int(name)).ok() } else { None }
}

/// Reads `host:count,…`; says what is wrong.
pub(crate) fn counts_by_host(text: &str) -> Result<Vec<(String, u32)>, String> {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    let read = |item: &str| {
        // The last colon: an address of version 6 has others.
        let (host, count) = item.rsplit_once(':')?;
        let host = host.trim().trim_start_matches('[').trim_end_matches(']');
        let count = count.trim().parse::<i32>().ok()?;
        let is_host = !host.is_empty() && !host.contains(char::is_whitespace);
        if is_host { Some((host.to_owned(), u32::try_from(count).ok()?)) } else { None }
    };
    items.map(|item| read(item).ok_or_else(|| format!("{item:?} is not host:count"))).collect()
}

#[cfg(test)]
mod tests {
    use super::counts_by_host;

    #[test]
    fn hosts_and_counts() {
        let read = |text| counts_by_host(text);
        let expected = [("10.0.0.1", 5), ("::1", 0), ("a.b", 7)].map(|(h, n)| (h.to_owned(), n));
        assert_eq!(read("10.0.0.1:5, [::1]:0,a.b : 7,"), Ok(expected.to_vec()));
        assert_eq!(read(""), Ok(Vec::new()));
        for wrong in ["a", "a:", ":1", "a:-1", "a:2147483648", "a:1 b:2", "a:x"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
