//! [`Queue`]: the requests of one connection that are not answered yet, in order.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use highwater_wire::Segment;

use crate::budget::Grant;
use crate::{Reply, Stage};

#[derive(Default)]
pub(crate) struct Queue {
    slots: VecDeque<Slot>,
    /// Bytes in memory of the answers that wait for their turn.
    ready_bytes: usize,
}

enum Slot {
    Ready(Reply),
    Pending {
        reply: Pin<Box<dyn Future<Output = Reply> + Send>>,
        /// The frame's share of the budget, held until there is an answer.
        _grant: Grant,
    },
}

/// Bytes of an answer that are in memory.
pub(crate) fn memory_bytes(segments: &[Segment]) -> usize {
    let in_memory = |segment: &Segment| match segment {
        Segment::Bytes(bytes) => bytes.len(),
        Segment::File(_) => 0,
    };
    segments.iter().map(in_memory).sum()
}

impl Queue {
    pub(crate) fn push(&mut self, stage: Stage, grant: Grant) {
        let slot = match stage {
            Stage::Ready(reply) => self.ready(reply),
            Stage::Pending(reply) => Slot::Pending { reply, _grant: grant },
            Stage::Close(reason) => Slot::Ready(Reply::Close(reason)),
        };
        self.slots.push_back(slot);
    }

    fn ready(&mut self, reply: Reply) -> Slot {
        if let Reply::Frame(segments) = &reply {
            self.ready_bytes += memory_bytes(segments);
        }
        Slot::Ready(reply)
    }

    /// Lets every future make progress: the peer may have sent many requests, and those behind
    /// the first must not wait for it.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) {
        for index in 0..self.slots.len() {
            if let Slot::Pending { reply, .. } = &mut self.slots[index]
                && let Poll::Ready(reply) = reply.as_mut().poll(cx)
            {
                self.slots[index] = self.ready(reply);
            }
        }
    }

    /// The answer whose turn it is.
    pub(crate) fn pop(&mut self) -> Option<Reply> {
        match self.slots.pop_front()? {
            Slot::Ready(reply) => {
                if let Reply::Frame(segments) = &reply {
                    self.ready_bytes -= memory_bytes(segments);
                }
                Some(reply)
            }
            pending => {
                self.slots.push_front(pending);
                None
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub(crate) fn ready_bytes(&self) -> usize {
        self.ready_bytes
    }

    /// Drops all requests.
    pub(crate) fn clear(&mut self) {
        self.slots = VecDeque::new();
        self.ready_bytes = 0;
    }
}
