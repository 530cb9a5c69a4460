//! [`Server`]: all listeners of a broker and their connections, from start to stop.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;

use crate::accept::Acceptor;
use crate::admission::Admission;
use crate::budget::Budget;
use crate::cold::ColdReaders;
use crate::{NetConfig, Service};

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) service: Arc<dyn Service>,
    pub(crate) config: NetConfig,
    pub(crate) budget: Arc<Budget>,
    pub(crate) readers: ColdReaders,
    pub(crate) admission: Arc<Admission>,
    last_id: AtomicU64,
}

impl Shared {
    pub(crate) fn next_id(&self) -> u64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// Serving listeners. Dropping it ends all connections at once; see [`Server::stop`].
pub struct Server {
    shared: Arc<Shared>,
    stop: watch::Sender<bool>,
    acceptors: Vec<JoinHandle<JoinSet<()>>>,
}

impl Server {
    /// Begins to accept connections on the named listeners. Call it inside a tokio runtime.
    pub fn start<S: Service>(
        listeners: Vec<(String, TcpListener)>,
        service: Arc<S>,
        config: NetConfig,
    ) -> Server {
        let shared = Arc::new(Shared {
            budget: Budget::new(config.requests_bytes_max),
            readers: ColdReaders::start(),
            admission: Admission::new(config.connections.clone()),
            last_id: AtomicU64::new(0),
            service,
            config,
        });
        let (stop, stopped) = watch::channel(false);
        let acceptors = listeners
            .into_iter()
            .map(|(name, listener)| {
                let (shared, stop) = (shared.clone(), stopped.clone());
                let acceptor = Acceptor { name: name.into(), listener, shared, stop };
                tokio::spawn(acceptor.run())
            })
            .collect();
        Server { shared, stop, acceptors }
    }

    /// Where the limits on connections can be changed.
    pub fn admission(&self) -> Arc<Admission> {
        self.shared.admission.clone()
    }

    /// Connections that are open now.
    pub fn connections(&self) -> usize {
        self.shared.admission.connections()
    }

    /// Takes no more connections and requests, lets the requests that were taken be answered for
    /// up to `drain`, then closes all that is left.
    pub async fn stop(mut self, drain: Duration) {
        let until = Instant::now() + drain;
        // Nobody listens any more if all acceptors have ended.
        let _ = self.stop.send(true);
        for acceptor in std::mem::take(&mut self.acceptors) {
            let Ok(mut connections) = acceptor.await else { continue };
            let drained = async { while connections.join_next().await.is_some() {} };
            if tokio::time::timeout_at(until, drained).await.is_err() {
                connections.shutdown().await;
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for acceptor in &self.acceptors {
            acceptor.abort();
        }
    }
}

/// Opens a listening socket at `host:port`; port 0 lets the operating system choose. Call it
/// inside a tokio runtime.
///
/// # Errors
/// The address is in use, not ours, not resolvable, or not permitted.
pub fn bind(address: &str, backlog: u32) -> io::Result<TcpListener> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in address.to_socket_addrs()? {
        match bind_at(address, backlog) {
            Ok(listener) => return Ok(listener),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn bind_at(address: SocketAddr, backlog: u32) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // A restart must not wait for connections of the last run to time out.
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(i32::try_from(backlog).unwrap_or(i32::MAX))?;
    TcpListener::from_std(socket.into())
}
