//! Accepting connections on one listener, and what happens when the operating system has no room.
//! Who may come in is said by `admission`.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};

use crate::admission::{NoPlace, Place};
use crate::limits::{ACCEPT_PAUSE_MAX, ACCEPT_PAUSE_MIN};
use crate::server::Shared;
use crate::task::{ConnectionTask, Stop};
use crate::{CloseReason, Connection, NetConfig};

/// Tells the service of the end of a connection, however it comes.
struct Ending {
    shared: Arc<Shared>,
    connection: Arc<Connection>,
    reason: CloseReason,
    _place: Place,
}

impl Drop for Ending {
    fn drop(&mut self) {
        tracing::debug!(connection = ?self.connection, reason = %self.reason, "closed");
        self.shared.service.on_close(&self.connection, self.reason);
    }
}

type Accepted = (TcpStream, SocketAddr);

pub(crate) struct Acceptor {
    pub(crate) name: Arc<str>,
    pub(crate) listener: TcpListener,
    pub(crate) shared: Arc<Shared>,
    pub(crate) stop: watch::Receiver<bool>,
}

impl Acceptor {
    /// Accepts until told to stop; gives back the connections that are still there.
    pub(crate) async fn run(self) -> JoinSet<()> {
        let mut connections = JoinSet::new();
        let mut stop = stopped(self.stop.clone());
        let mut pause = Duration::ZERO;
        let mut held = None;
        loop {
            tokio::select! {
                biased;
                () = &mut stop => return connections,
                Some(ended) = connections.join_next() => log_panic(ended),
                accepted = self.accept(pause, &mut held) => match accepted {
                    Ok(accepted) => {
                        pause = Duration::ZERO;
                        held = self.admit(&mut connections, accepted);
                    }
                    Err(error) => pause = self.on_failure(&error, pause),
                },
            }
        }
    }

    /// A connection for which there is room now. One that was accepted and must wait is in `held`,
    /// so that none is lost if this future is dropped.
    async fn accept(&self, pause: Duration, held: &mut Option<Accepted>) -> io::Result<Accepted> {
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        loop {
            self.shared.admission.room().await;
            if let Some(accepted) = held.take() {
                return Ok(accepted);
            }
            // Looked at again behind this: limits may become others while nobody comes.
            *held = Some(self.listener.accept().await?);
        }
    }

    /// The pause before the next attempt: the reason seldom goes away at once.
    fn on_failure(&self, error: &io::Error, pause: Duration) -> Duration {
        if matches!(error.kind(), io::ErrorKind::ConnectionAborted) {
            return pause;
        }
        if pause.is_zero() {
            tracing::error!(
                listener = %self.name, %error,
                "HW0010: connections cannot be accepted; trying again until it works"
            );
        }
        (pause * 2).clamp(ACCEPT_PAUSE_MIN, ACCEPT_PAUSE_MAX)
    }

    /// Begins a connection; gives it back if the last place was taken meanwhile.
    fn admit(&self, connections: &mut JoinSet<()>, accepted: Accepted) -> Option<Accepted> {
        let (stream, peer) = accepted;
        let config = &self.shared.config;
        let ip = peer.ip().to_canonical();
        let place = match self.shared.admission.place(ip) {
            Ok(place) => place,
            Err(NoPlace::Full) => return Some((stream, peer)),
            Err(NoPlace::ForThisAddress) => {
                tracing::debug!(%ip, "closed: max.connections.per.ip is reached");
                return None;
            }
        };
        let local = set_up(&stream, config).ok()?;
        let connection =
            Arc::new(Connection::new(self.shared.next_id(), peer, local, self.name.clone()));
        let shared = self.shared.clone();
        let stop = stopped(self.stop.clone());
        let ending = Ending {
            shared: shared.clone(),
            connection: connection.clone(),
            reason: CloseReason::Shutdown,
            _place: place,
        };
        connections.spawn(async move {
            // Whole, not only the field: it is dropped with the task, behind the connection.
            let mut ending = ending;
            let task = ConnectionTask::new(stream, connection, shared, stop);
            ending.reason = task.await;
        });
        None
    }
}

fn stopped(mut stop: watch::Receiver<bool>) -> Stop {
    Box::pin(async move {
        // An error says that the server is gone, which is a stop too.
        let _ = stop.wait_for(|stopped| *stopped).await;
    })
}

fn log_panic(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "a connection ended by a panic");
    }
}

fn set_up(stream: &TcpStream, config: &NetConfig) -> io::Result<SocketAddr> {
    stream.set_nodelay(true)?;
    let socket = socket2::SockRef::from(stream);
    socket.set_keepalive(true)?;
    if let Some(bytes) = config.send_buffer_bytes {
        socket.set_send_buffer_size(bytes)?;
    }
    if let Some(bytes) = config.receive_buffer_bytes {
        socket.set_recv_buffer_size(bytes)?;
    }
    stream.local_addr()
}
