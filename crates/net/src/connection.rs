//! [`Connection`]: what a request's handler may know of the connection it came by.

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use parking_lot::RwLock;

/// One accepted connection.
pub struct Connection {
    id: u64,
    peer: SocketAddr,
    local: SocketAddr,
    listener: Arc<str>,
    software: OnceLock<Software>,
    principal: RwLock<Principal>,
}

/// What a client says it is (ApiVersions from version 3 on).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Software {
    pub name: Box<str>,
    pub version: Box<str>,
}

/// Who the peer has proved to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    pub kind: Arc<str>,
    pub name: Arc<str>,
}

impl Principal {
    /// Who has not authenticated.
    pub fn anonymous() -> Self {
        Principal { kind: "User".into(), name: "ANONYMOUS".into() }
    }
}

/// As Kafka writes it: `User:ANONYMOUS`.
impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, self.name)
    }
}

impl Connection {
    /// A connection with nothing behind it yet. Public for tests of handlers.
    pub fn new(id: u64, peer: SocketAddr, local: SocketAddr, listener: Arc<str>) -> Self {
        Connection {
            id,
            peer,
            local,
            listener,
            software: OnceLock::new(),
            principal: RwLock::new(Principal::anonymous()),
        }
    }

    /// Unique in this process; rises from 1.
    pub fn id(&self) -> u64 {
        self.id
    }

    pub fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// Our end.
    pub fn local(&self) -> SocketAddr {
        self.local
    }

    /// Name of the listener that accepted it.
    pub fn listener(&self) -> &Arc<str> {
        &self.listener
    }

    /// Remembers what the client says it is. Only the first word counts, as a client says it once.
    pub fn set_software(&self, name: &str, version: &str) {
        let _ = self.software.set(Software { name: name.into(), version: version.into() });
    }

    /// `None` until the client has said it.
    pub fn software(&self) -> Option<&Software> {
        self.software.get()
    }

    pub fn principal(&self) -> Principal {
        self.principal.read().clone()
    }

    pub fn set_principal(&self, principal: Principal) {
        *self.principal.write() = principal;
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{} {}", self.listener, self.id, self.peer)
    }
}
