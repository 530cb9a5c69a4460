//! [`ConnectionTask`]: one connection's life, as one future.
//!
//! ```text
//! socket -> Inbound -> Service::on_request -> Queue -> Outbound -> socket
//! ```
//! Reading, waiting for answers and writing are three pollings in one task, so an answer that is
//! ready is written at once by who read its request, and one that comes later by who is woken
//! for it: nothing is handed to another task.
//!
//! | intake | requests | leaves it |
//! |---|---|---|
//! | open | are taken while the queue, unsent answers and the budget allow | see below |
//! | ended | no more; what is queued is answered, then the connection is closed | never |
//!
//! The intake ends when the peer closes its side, a frame's length is out of bounds, the service
//! says so, or the broker stops. Failing to read or write, stalling and idling end everything at
//! once.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

use crate::budget::{Grant, Wait};
use crate::inbound::{Inbound, Next};
use crate::limits::{
    ANSWERED_AFTER_EOF, BUFFERS_KEPT_FOR, PIPELINED_REQUESTS_MAX, REQUESTS_PER_TURN_MAX,
    UNSENT_BYTES_MAX,
};
use crate::outbound::Outbound;
use crate::queue::Queue;
use crate::server::Shared;
use crate::{CloseReason, Connection, Reply, Stage};

pub(crate) type Stop = Pin<Box<dyn Future<Output = ()> + Send>>;

/// "Never" for a timer.
const FAR: Duration = Duration::from_secs(24 * 3600);

pub(crate) struct ConnectionTask {
    stream: TcpStream,
    connection: Arc<Connection>,
    shared: Arc<Shared>,
    inbound: Inbound,
    queue: Queue,
    outbound: Outbound,
    /// `Some` once the intake has ended.
    ended: Option<CloseReason>,
    /// Latest end of what is still answered.
    drain_until: Option<Instant>,
    /// The frame in progress waits for its share of the budget.
    memory: Option<Wait>,
    /// When bytes last moved.
    last_io: Instant,
    /// Fires no later than anything here that depends on time. Not moved on every request, which
    /// would cost more than a look at the clock when it fires.
    timer: Pin<Box<Sleep>>,
    stop: Option<Stop>,
}

impl ConnectionTask {
    pub(crate) fn new(
        stream: TcpStream,
        connection: Arc<Connection>,
        shared: Arc<Shared>,
        stop: Stop,
    ) -> Self {
        let now = Instant::now();
        let first = shared.config.idle_timeout.unwrap_or(FAR);
        ConnectionTask {
            stream,
            connection,
            inbound: Inbound::new(shared.config.frame_bytes_max, shared.budget.clone()),
            queue: Queue::default(),
            outbound: Outbound::default(),
            ended: None,
            drain_until: None,
            memory: None,
            last_io: now,
            timer: Box::pin(tokio::time::sleep_until(now + first)),
            stop: Some(stop),
            shared,
        }
    }

    fn end(&mut self, reason: CloseReason) {
        self.ended.get_or_insert(reason);
        self.memory = None;
    }

    fn poll_stop(&mut self, cx: &mut Context<'_>) {
        if let Some(stop) = &mut self.stop
            && stop.as_mut().poll(cx).is_ready()
        {
            self.stop = None;
            self.end(CloseReason::Shutdown);
        }
    }

    /// Moves the answers whose turn has come to where they are sent.
    fn take_answers(&mut self, cx: &mut Context<'_>) {
        self.queue.poll(cx);
        while let Some(reply) = self.queue.pop() {
            match reply {
                Reply::Frame(segments) => {
                    if !self.outbound.push(segments) {
                        tracing::error!(connection = ?self.connection, "an answer is above 2 GiB");
                        self.close_behind("an answer is too long for a frame");
                    }
                }
                Reply::None => {}
                Reply::Close(reason) => self.close_behind(reason),
            }
        }
    }

    /// Nothing goes out any more behind what is already to be sent.
    fn close_behind(&mut self, reason: &'static str) {
        self.queue.clear();
        self.end(CloseReason::Service(reason));
    }

    fn poll_send(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let mut sent = 0;
        let all = self.outbound.poll_send(&self.stream, &self.shared.readers, cx, &mut sent);
        if sent > 0 {
            self.last_io = Instant::now();
        }
        match all {
            Poll::Ready(result) => result,
            Poll::Pending => Ok(()),
        }
    }

    fn may_take(&self) -> bool {
        self.ended.is_none()
            && self.queue.len() < PIPELINED_REQUESTS_MAX
            && self.queue.ready_bytes() + self.outbound.memory_bytes() < UNSENT_BYTES_MAX
    }

    /// Takes requests; `true` if there may be more to do at once.
    fn poll_requests(&mut self, cx: &mut Context<'_>) -> io::Result<bool> {
        let mut taken = 0;
        let result = self.take_requests(cx, &mut taken);
        if taken > 0 {
            self.shared.service.on_turn_end();
        }
        result?;
        Ok(taken > 0 || self.is_finished())
    }

    fn take_requests(&mut self, cx: &mut Context<'_>, taken: &mut usize) -> io::Result<()> {
        while *taken < REQUESTS_PER_TURN_MAX && self.may_take() {
            if let Some(wait) = &mut self.memory {
                let Poll::Ready(grant) = wait.as_mut().poll(cx) else { break };
                self.inbound.put_grant(grant);
                self.memory = None;
                self.last_io = Instant::now();
            }
            match self.inbound.next() {
                Next::Frame(frame, grant) => {
                    self.on_frame(frame, grant);
                    *taken += 1;
                }
                Next::Memory(bytes) => {
                    self.memory = Some(self.inbound.take_grant().cover(bytes));
                }
                Next::Refused => self.end(CloseReason::FrameLength),
                Next::Bytes => match self.poll_fill(cx) {
                    Poll::Ready(Ok(0)) => self.on_end_of_stream(),
                    Poll::Ready(Ok(_)) => {}
                    Poll::Ready(Err(error)) => return Err(error),
                    Poll::Pending => break,
                },
            }
        }
        Ok(())
    }

    fn on_frame(&mut self, frame: Bytes, grant: Grant) {
        let stage = self.shared.service.on_request(&self.connection, frame);
        if let Stage::Close(reason) | Stage::Ready(Reply::Close(reason)) = &stage {
            // Nothing behind it is taken, though answers before it may still be waited for.
            self.end(CloseReason::Service(reason));
        }
        self.queue.push(stage, grant);
    }

    fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.stream.poll_read_ready(cx))?;
            let held_memory = self.inbound.holds_memory();
            match self.inbound.fill(&self.stream) {
                Ok(bytes) => {
                    self.last_io = Instant::now();
                    if !held_memory {
                        self.timer.as_mut().reset(self.last_io + BUFFERS_KEPT_FOR);
                    }
                    return Poll::Ready(Ok(bytes));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }

    /// The peer sends nothing more, but may still read.
    fn on_end_of_stream(&mut self) {
        self.end(CloseReason::Peer);
        let until = Instant::now() + ANSWERED_AFTER_EOF;
        self.drain_until = Some(until);
        self.timer.as_mut().reset(until);
    }

    fn is_finished(&self) -> bool {
        self.ended.is_some() && self.queue.is_empty() && self.outbound.is_empty()
    }

    fn poll_timer(&mut self, cx: &mut Context<'_>) -> Poll<CloseReason> {
        while self.timer.as_mut().poll(cx).is_ready() {
            let now = Instant::now();
            if let Some(reason) = self.on_time(now) {
                return Poll::Ready(reason);
            }
            let next = self.next_time(now);
            self.timer.as_mut().reset(next);
        }
        Poll::Pending
    }

    fn on_time(&mut self, now: Instant) -> Option<CloseReason> {
        let quiet = now - self.last_io;
        if self.drain_until.is_some_and(|until| now >= until) {
            return self.ended;
        }
        let waits_for_bytes = self.may_take() && self.memory.is_none();
        let is_stalled = quiet >= self.shared.config.stalled_frame_timeout;
        if self.inbound.is_amid_frame() && waits_for_bytes && is_stalled {
            return Some(CloseReason::StalledFrame);
        }
        // A request that takes long is not idleness; a peer that does not read its answers is.
        let is_idle = self.queue.is_empty() || !self.outbound.is_empty();
        if is_idle && self.shared.config.idle_timeout.is_some_and(|timeout| quiet >= timeout) {
            return Some(CloseReason::Idle);
        }
        if quiet >= BUFFERS_KEPT_FOR {
            self.inbound.release();
            self.outbound.release();
            if self.queue.is_empty() {
                self.queue.clear();
            }
        }
        None
    }

    fn next_time(&self, now: Instant) -> Instant {
        let soon = now + BUFFERS_KEPT_FOR;
        let idle_at = self.last_io + self.shared.config.idle_timeout.unwrap_or(FAR);
        let mut next = idle_at.max(soon);
        if let Some(until) = self.drain_until {
            next = next.min(until);
        }
        if self.inbound.is_amid_frame() || self.inbound.holds_memory() {
            next = next.min(soon);
        }
        next
    }

    fn poll_all(&mut self, cx: &mut Context<'_>) -> io::Result<Poll<CloseReason>> {
        self.poll_stop(cx);
        loop {
            self.take_answers(cx);
            self.poll_send(cx)?;
            if self.is_finished()
                && let Some(reason) = self.ended
            {
                return Ok(Poll::Ready(reason));
            }
            if !self.poll_requests(cx)? {
                return Ok(self.poll_timer(cx));
            }
        }
    }
}

impl Future for ConnectionTask {
    type Output = CloseReason;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<CloseReason> {
        match self.poll_all(cx) {
            Ok(poll) => poll,
            Err(error) => Poll::Ready(CloseReason::Io(error.kind())),
        }
    }
}
