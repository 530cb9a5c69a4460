//! `listeners`, `advertised.listeners` and `listener.security.protocol.map`, parsed.
//!
//! Owns the syntax `NAME://host:port` and the match of names to protocols. Refuses to bind or
//! resolve anything.

use std::fmt;

use crate::error::ConfigError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecurityProtocol {
    Plaintext,
    Ssl,
    SaslPlaintext,
    SaslSsl,
}

impl SecurityProtocol {
    pub const fn name(self) -> &'static str {
        match self {
            SecurityProtocol::Plaintext => "PLAINTEXT",
            SecurityProtocol::Ssl => "SSL",
            SecurityProtocol::SaslPlaintext => "SASL_PLAINTEXT",
            SecurityProtocol::SaslSsl => "SASL_SSL",
        }
    }

    /// The number that registrations carry.
    pub const fn id(self) -> i16 {
        match self {
            SecurityProtocol::Plaintext => 0,
            SecurityProtocol::Ssl => 1,
            SecurityProtocol::SaslPlaintext => 2,
            SecurityProtocol::SaslSsl => 3,
        }
    }

    pub fn from_name(name: &str) -> Option<SecurityProtocol> {
        [
            SecurityProtocol::Plaintext,
            SecurityProtocol::Ssl,
            SecurityProtocol::SaslPlaintext,
            SecurityProtocol::SaslSsl,
        ]
        .into_iter()
        .find(|p| p.name().eq_ignore_ascii_case(name))
    }
}

/// One address to bind or to advertise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    /// In capitals.
    pub name: String,
    /// Empty: every interface.
    pub host: String,
    pub port: u16,
    pub protocol: SecurityProtocol,
}

impl fmt::Display for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let brackets = self.host.contains(':');
        let (open, close) = if brackets { ("[", "]") } else { ("", "") };
        write!(f, "{}://{open}{}{close}:{}", self.name, self.host, self.port)
    }
}

/// Parses the items of `setting` (`listeners` or `advertised.listeners`); `protocols` is the text
/// of `listener.security.protocol.map`.
pub fn parse_listeners(
    setting: &str,
    items: &[String],
    protocols: &str,
) -> Result<Vec<Listener>, ConfigError> {
    let map = parse_protocol_map(protocols)?;
    let mut listeners: Vec<Listener> = Vec::new();
    for item in items {
        let listener = parse_one(setting, item, &map)?;
        if listeners.iter().any(|l| l.name == listener.name && !may_share_name(l, &listener)) {
            return Err(invalid(setting, item, format!("{} stands there twice", listener.name)));
        }
        listeners.push(listener);
    }
    Ok(listeners)
}

/// The same name may bind IPv4 and IPv6 on one port.
fn may_share_name(a: &Listener, b: &Listener) -> bool {
    a.port == b.port && a.host.contains(':') != b.host.contains(':')
}

fn parse_one(
    setting: &str,
    item: &str,
    map: &[(String, SecurityProtocol)],
) -> Result<Listener, ConfigError> {
    let bad = |reason: &str| invalid(setting, item, reason.to_owned());
    let form = "it is not of the form NAME://host:port";
    let (name, address) = item.split_once("://").ok_or_else(|| bad(form))?;
    let (host, port) = address.rsplit_once(':').ok_or_else(|| bad(form))?;
    let port = port.parse().map_err(|_| bad("the port is not a number from 0 to 65535"))?;
    let host = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
    let name = name.to_ascii_uppercase();
    let protocol =
        map.iter().find(|(n, _)| *n == name).map(|(_, p)| *p).ok_or_else(|| {
            bad(&format!("{name} has no protocol in listener.security.protocol.map"))
        })?;
    Ok(Listener { name, host: host.to_owned(), port, protocol })
}

fn parse_protocol_map(text: &str) -> Result<Vec<(String, SecurityProtocol)>, ConfigError> {
    const SETTING: &str = "listener.security.protocol.map";
    let mut map: Vec<(String, SecurityProtocol)> = Vec::new();
    for item in crate::parse::split_list(text) {
        let bad = |reason: &str| invalid(SETTING, &item, reason.to_owned());
        let (name, protocol) =
            item.split_once(':').ok_or_else(|| bad("it is not of the form NAME:PROTOCOL"))?;
        let protocol = SecurityProtocol::from_name(protocol).ok_or_else(|| {
            bad("the protocol is not one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL")
        })?;
        map.push((name.to_ascii_uppercase(), protocol));
    }
    Ok(map)
}

fn invalid(setting: &str, item: &str, reason: String) -> ConfigError {
    ConfigError::Invalid { name: setting.into(), value: item.into(), reason }
}
