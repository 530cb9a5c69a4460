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
    /// `None`: idle connections stay.
    pub connections_idle_max_ms: Option<u64>,
    /// Largest request frame.
    pub request_bytes_max: u32,
    /// Bytes of requests in flight over the whole broker; `None`: no limit was set.
    pub queued_request_bytes_max: Option<u64>,
    pub queued_requests_max: u32,
    /// `None`: the operating system decides.
    pub socket_send_buffer_bytes: Option<u32>,
    /// `None`: the operating system decides.
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
    u32::try_from(read.int(name)).ok()
}
