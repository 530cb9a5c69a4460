//! [`Link`]: one socket, with many requests under way on it.
//!
//! Who sends a request writes it at once, as far as the socket takes it; a task of the link reads
//! the answers and writes what is left. So a caller that gives up half way leaves no half frame.
//!
//! Knows frames and correlation ids, not what is in them.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::sync::Arc;

use bytes::{Buf, Bytes, BytesMut};
use highwater_wire::frame::{self, LENGTH_BYTES};
use parking_lot::Mutex;
use tokio::net::TcpStream;
use tokio::sync::{Notify, oneshot, watch};
use tokio::task::AbortHandle;

use crate::ClientError;
use crate::limits::{PIECES_PER_WRITE_MAX, READ_BYTES};

/// The answer to one request, when it comes.
pub(crate) type Answer = oneshot::Receiver<Bytes>;

pub(crate) struct Link {
    shared: Arc<Shared>,
    task: AbortHandle,
}

struct Shared {
    stream: TcpStream,
    address: Arc<str>,
    state: Mutex<State>,
    /// There is something for the task to write.
    unsent: Notify,
    /// Why the link is closed, once it is.
    failure: watch::Sender<Option<ClientError>>,
}

#[derive(Default)]
struct State {
    last_correlation_id: i32,
    /// Requests under way, in the order of their answers.
    expected: VecDeque<Expected>,
    unsent: VecDeque<Bytes>,
}

struct Expected {
    /// `None` if whatever comes is taken.
    correlation_id: Option<i32>,
    answer: oneshot::Sender<Bytes>,
}

impl Link {
    pub(crate) fn new(stream: TcpStream, address: Arc<str>, answer_bytes_max: usize) -> Link {
        let shared = Arc::new(Shared {
            stream,
            address,
            state: Mutex::default(),
            unsent: Notify::new(),
            failure: watch::Sender::new(None),
        });
        let running = shared.clone();
        let task = tokio::spawn(async move {
            let error = running.run(answer_bytes_max).await;
            running.fail(&error.to_string());
        });
        Link { shared, task: task.abort_handle() }
    }

    pub(crate) fn address(&self) -> &Arc<str> {
        &self.shared.address
    }

    /// Sends a frame made by `encode` from the correlation id it is given.
    pub(crate) fn send(
        &self,
        expects_answer: bool,
        encode: impl FnOnce(i32) -> Result<Vec<Bytes>, ClientError>,
    ) -> Result<Option<Answer>, ClientError> {
        let mut state = self.shared.state.lock();
        let correlation_id = state.last_correlation_id.wrapping_add(1) & i32::MAX;
        let pieces = encode(correlation_id)?;
        state.last_correlation_id = correlation_id;
        self.shared.write(&mut state, pieces, expects_answer.then_some(Some(correlation_id)))
    }

    /// Sends bytes as they are.
    pub(crate) fn send_raw(
        &self,
        pieces: Vec<Bytes>,
        expects_answer: bool,
    ) -> Result<Option<Answer>, ClientError> {
        let mut state = self.shared.state.lock();
        self.shared.write(&mut state, pieces, expects_answer.then_some(None))
    }

    /// Closes the link; the first reason counts.
    pub(crate) fn close(&self, reason: &str) {
        self.shared.fail(reason);
        self.task.abort();
    }

    pub(crate) fn failure(&self) -> Option<ClientError> {
        self.shared.failure.borrow().clone()
    }

    pub(crate) async fn closed(&self) -> ClientError {
        let mut failure = self.shared.failure.subscribe();
        // The sender lives as long as `self`.
        let failed = failure.wait_for(Option::is_some).await;
        failed.ok().and_then(|f| f.clone()).unwrap_or_else(|| self.shared.closed("it is gone"))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Shared {
    fn closed(&self, reason: &str) -> ClientError {
        ClientError::Closed { address: self.address.clone(), reason: reason.into() }
    }

    fn fail(&self, reason: &str) {
        let mut state = self.state.lock();
        self.failure.send_if_modified(|failure| {
            let is_first = failure.is_none();
            failure.get_or_insert_with(|| self.closed(reason));
            is_first
        });
        // Dropping the senders tells the callers.
        *state = State::default();
    }

    fn write(
        &self,
        state: &mut State,
        pieces: Vec<Bytes>,
        expected: Option<Option<i32>>,
    ) -> Result<Option<Answer>, ClientError> {
        if let Some(failure) = &*self.failure.borrow() {
            return Err(failure.clone());
        }
        let answer = expected.map(|correlation_id| {
            let (sender, receiver) = oneshot::channel();
            state.expected.push_back(Expected { correlation_id, answer: sender });
            receiver
        });
        let was_idle = state.unsent.is_empty();
        state.unsent.extend(pieces.into_iter().filter(|piece| !piece.is_empty()));
        if was_idle {
            // An error is met again, and told, by the task.
            let _ = self.write_unsent(state);
            if !state.unsent.is_empty() {
                self.unsent.notify_one();
            }
        }
        Ok(answer)
    }

    /// Writes until all is sent or the socket takes no more.
    fn write_unsent(&self, state: &mut State) -> io::Result<()> {
        while !state.unsent.is_empty() {
            let mut slices = [IoSlice::new(&[]); PIECES_PER_WRITE_MAX];
            let count = state.unsent.len().min(slices.len());
            for (slice, piece) in slices.iter_mut().zip(&state.unsent) {
                *slice = IoSlice::new(piece);
            }
            let mut sent = self.stream.try_write_vectored(&slices[..count])?;
            while let Some(first) = state.unsent.front_mut() {
                if sent < first.len() {
                    first.advance(sent);
                    break;
                }
                sent -= first.len();
                state.unsent.pop_front();
            }
        }
        Ok(())
    }

    async fn run(&self, answer_bytes_max: usize) -> io::Error {
        let mut buffer = BytesMut::new();
        loop {
            let is_unsent = !self.state.lock().unsent.is_empty();
            let done = tokio::select! {
                readable = self.stream.readable() => {
                    readable.and_then(|()| self.read(&mut buffer, answer_bytes_max))
                }
                writable = self.stream.writable(), if is_unsent => {
                    writable.and_then(|()| self.write_unsent(&mut self.state.lock()))
                }
                () = self.unsent.notified() => Ok(()),
            };
            match done {
                Err(error) if is_passing(error.kind()) => {}
                Err(error) => return error,
                Ok(()) => {}
            }
        }
    }

    fn read(&self, buffer: &mut BytesMut, answer_bytes_max: usize) -> io::Result<()> {
        if buffer.capacity() - buffer.len() < READ_BYTES / 4 {
            buffer.reserve(READ_BYTES);
        }
        if self.stream.try_read_buf(buffer)? == 0 {
            return Err(io::Error::other("the broker closed it"));
        }
        while let Some(length) = buffer.first_chunk::<LENGTH_BYTES>() {
            let Some(len) = frame::decode_length(*length, answer_bytes_max) else {
                let length = i32::from_be_bytes(*length);
                return Err(io::Error::other(format!("an answer claims {length} bytes")));
            };
            if buffer.len() < LENGTH_BYTES + len {
                break;
            }
            buffer.advance(LENGTH_BYTES);
            self.deliver(buffer.split_to(len).freeze())?;
        }
        Ok(())
    }

    fn deliver(&self, answer: Bytes) -> io::Result<()> {
        let Some(expected) = self.state.lock().expected.pop_front() else {
            return Err(io::Error::other("an answer came that nobody waits for"));
        };
        let got = answer.first_chunk().map(|bytes| i32::from_be_bytes(*bytes));
        if expected.correlation_id.is_some() && got != expected.correlation_id {
            return Err(io::Error::other("an answer came out of order"));
        }
        // The caller may have given up.
        let _ = expected.answer.send(answer);
        Ok(())
    }
}

fn is_passing(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
