//! What of the network the settings decide, at the start and while the broker runs.

use std::collections::BTreeMap;
use std::net::{IpAddr, ToSocketAddrs};
use std::time::Duration;

use highwater_config::{BrokerConfig, NetworkConfig};
use highwater_net::{ConnectionLimits, NetConfig};

use crate::Broker;
use crate::limits::REQUESTS_IN_FLIGHT_BYTES_MAX;

pub(crate) async fn net_config(config: &BrokerConfig) -> NetConfig {
    let network = &config.network;
    NetConfig {
        frame_bytes_max: network.request_bytes_max as usize,
        connections: connection_limits(network).await,
        idle_timeout: network.connections_idle_max_ms.map(Duration::from_millis),
        requests_bytes_max: network
            .queued_request_bytes_max
            .and_then(|bytes| usize::try_from(bytes).ok())
            .unwrap_or(REQUESTS_IN_FLIGHT_BYTES_MAX),
        send_buffer_bytes: network.socket_send_buffer_bytes.map(|bytes| bytes as usize),
        receive_buffer_bytes: network.socket_receive_buffer_bytes.map(|bytes| bytes as usize),
        ..NetConfig::default()
    }
}

impl Broker {
    /// The settings are others now: so are the limits for connections that come.
    pub(crate) async fn limit_connections(&self) {
        if let Some(admission) = self.admission.load_full() {
            let config = self.config.load_full();
            admission.limit(connection_limits(&config.network).await);
        }
    }
}

async fn connection_limits(network: &NetworkConfig) -> ConnectionLimits {
    ConnectionLimits {
        connections_max: network.connections_max as usize,
        per_ip_max: network.connections_per_ip_max as usize,
        per_ip_overrides: by_address(&network.connections_per_ip_overrides).await,
        rate_max: (network.connection_creation_rate_max < i32::MAX.unsigned_abs())
            .then_some(network.connection_creation_rate_max),
    }
}

/// Names become the addresses that they have now.
async fn by_address(by_host: &[(String, u32)]) -> BTreeMap<IpAddr, usize> {
    let mut counts = BTreeMap::new();
    for (host, count) in by_host {
        let addresses = match host.parse() {
            Ok(address) => vec![address],
            Err(_) => addresses_of(host.clone()).await,
        };
        if addresses.is_empty() {
            tracing::warn!(%host, "max.connections.per.ip.overrides: the name has no address");
        }
        counts.extend(addresses.iter().map(|address| (address.to_canonical(), *count as usize)));
    }
    counts
}

async fn addresses_of(host: String) -> Vec<IpAddr> {
    let found = tokio::task::spawn_blocking(move || (host.as_str(), 0).to_socket_addrs()).await;
    match found {
        Ok(Ok(addresses)) => addresses.map(|address| address.ip()).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use highwater_config::{Layers, Sources, StaticConfig};

    use super::*;

    async fn of(properties: &str) -> NetConfig {
        let sources = Sources { properties: Some(properties), ..Sources::default() };
        let (fixed, _) = StaticConfig::load(&sources).expect("good settings");
        let none = BTreeMap::new();
        let layers = Layers { broker: &none, cluster: &none, fixed: &fixed };
        net_config(&BrokerConfig::resolve(&layers).expect("good settings")).await
    }

    #[tokio::test]
    async fn what_is_set_reaches_the_network() {
        let config = of("max.connections=9\nmax.connections.per.ip=3\n\
            max.connections.per.ip.overrides=10.0.0.1:7,localhost:5\n\
            max.connection.creation.rate=20\nconnections.max.idle.ms=1000\n\
            socket.request.max.bytes=2000\nqueued.max.request.bytes=3000\n\
            socket.send.buffer.bytes=4096\nsocket.receive.buffer.bytes=8192\n")
        .await;
        let limits = &config.connections;
        assert_eq!((limits.connections_max, limits.per_ip_max, limits.rate_max), (9, 3, Some(20)));
        let of = |ip: [u8; 4]| limits.per_ip_overrides.get(&IpAddr::from(ip)).copied();
        assert_eq!((of([10, 0, 0, 1]), of([127, 0, 0, 1])), (Some(7), Some(5)));
        assert_eq!(config.idle_timeout, Some(Duration::from_secs(1)));
        assert_eq!((config.frame_bytes_max, config.requests_bytes_max), (2000, 3000));
        let buffers = (config.send_buffer_bytes, config.receive_buffer_bytes);
        assert_eq!(buffers, (Some(4096), Some(8192)));
    }

    #[tokio::test]
    async fn where_nothing_is_set() {
        let config = of("").await;
        assert_eq!(config.connections.rate_max, None);
        assert_eq!((config.send_buffer_bytes, config.receive_buffer_bytes), (None, None));
    }
}
