//! A service whose requests say how they are to be answered, and a client that speaks frames.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use highwater_net::{CloseReason, Connection, NetConfig, Reply, Server, Service, Stage, bind};
use highwater_wire::{FileRange, Segment};
use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

/// The first byte of a request says how it is answered:
/// `e` with itself at once, `p` with itself after [`Fake::release`], `h` never, `n` not at all,
/// `c` the connection is closed, `b` with a mebibyte, `f` with the file between two bytes,
/// `!` by a panic.
#[derive(Default)]
pub struct Fake {
    parked: Mutex<HashMap<Bytes, oneshot::Sender<()>>>,
    pub taken: AtomicUsize,
    pub closed: Mutex<Vec<CloseReason>>,
    pub file: Mutex<Option<FileRange>>,
}

pub const BIG: usize = 1 << 20;

impl Service for Fake {
    fn on_request(&self, connection: &Arc<Connection>, frame: Bytes) -> Stage {
        assert_eq!(&**connection.listener(), "TEST");
        self.taken.fetch_add(1, Ordering::SeqCst);
        match frame[0] {
            b'e' => Stage::Ready(Reply::Frame(vec![Segment::Bytes(frame)])),
            b'p' => {
                let (release, released) = oneshot::channel();
                self.parked.lock().insert(frame.clone(), release);
                Stage::Pending(Box::pin(async move {
                    let _ = released.await;
                    Reply::Frame(vec![Segment::Bytes(frame)])
                }))
            }
            b'h' => Stage::Pending(Box::pin(async move {
                let _held = frame;
                std::future::pending().await
            })),
            b'n' => Stage::Ready(Reply::None),
            b'b' => Stage::Ready(Reply::Frame(vec![Segment::Bytes(vec![b'b'; BIG].into())])),
            b'f' => {
                let range = self.file.lock().clone().expect("the test sets it");
                Stage::Ready(Reply::Frame(vec![
                    Segment::Bytes(Bytes::from_static(b"<")),
                    Segment::File(range),
                    Segment::Bytes(Bytes::from_static(b">")),
                ]))
            }
            b'!' => panic!("as the test wants"),
            _ => Stage::Close("as the test wants"),
        }
    }

    fn on_close(&self, _: &Arc<Connection>, reason: CloseReason) {
        self.closed.lock().push(reason);
    }
}

impl Fake {
    /// Lets a parked request be answered.
    pub fn release(&self, frame: &str) {
        let release = self.parked.lock().remove(frame.as_bytes()).expect("it is parked");
        let _ = release.send(());
    }

    pub fn is_parked(&self, frame: &str) -> bool {
        self.parked.lock().contains_key(frame.as_bytes())
    }

    pub async fn await_taken(&self, count: usize) {
        until(|| self.taken.load(Ordering::SeqCst) >= count).await;
    }

    pub async fn await_closed(&self, reason: CloseReason) {
        until(|| !self.closed.lock().is_empty()).await;
        assert_eq!(*self.closed.lock(), [reason]);
    }
}

/// Waits for something that is about to be true.
pub async fn until(mut is: impl FnMut() -> bool) {
    for _ in 0..1000 {
        if is() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it did not come true");
}

pub struct Running {
    pub service: Arc<Fake>,
    pub server: Server,
    pub address: SocketAddr,
}

pub fn start(config: NetConfig) -> Running {
    let listener = bind("127.0.0.1:0", 100).unwrap();
    let address = listener.local_addr().unwrap();
    let service = Arc::new(Fake::default());
    let server = Server::start(vec![("TEST".into(), listener)], service.clone(), config);
    Running { service, server, address }
}

impl Running {
    pub async fn connect(&self) -> Peer {
        Peer(TcpStream::connect(self.address).await.unwrap())
    }
}

/// The client's end.
pub struct Peer(pub TcpStream);

impl Peer {
    pub async fn send(&mut self, frame: impl AsRef<[u8]>) {
        let frame = frame.as_ref();
        let mut bytes = (frame.len() as i32).to_be_bytes().to_vec();
        bytes.extend_from_slice(frame);
        self.0.write_all(&bytes).await.unwrap();
    }

    pub async fn receive(&mut self) -> Vec<u8> {
        let len = self.0.read_i32().await.unwrap();
        let mut frame = vec![0; len as usize];
        self.0.read_exact(&mut frame).await.unwrap();
        frame
    }

    pub async fn expect(&mut self, frame: impl AsRef<[u8]>) {
        let got = tokio::time::timeout(Duration::from_secs(10), self.receive()).await.unwrap();
        assert_eq!(String::from_utf8_lossy(&got), String::from_utf8_lossy(frame.as_ref()));
    }

    /// Nothing arrives for a moment.
    pub async fn expect_silence(&mut self) {
        let mut byte = [0];
        let peek = tokio::time::timeout(Duration::from_millis(50), self.0.peek(&mut byte)).await;
        assert!(peek.is_err(), "something came: {peek:?}");
    }

    /// The broker closes without sending any more.
    pub async fn expect_close(&mut self) {
        let mut rest = Vec::new();
        let end = self.0.read_to_end(&mut rest);
        let end = tokio::time::timeout(Duration::from_secs(10), end).await.expect("it closes");
        assert!(rest.is_empty(), "{} more bytes, then {end:?}", rest.len());
    }
}
