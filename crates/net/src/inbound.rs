//! [`Inbound`]: makes frames of the bytes that arrive on one connection.
//!
//! Short frames are slices of one read buffer. A long frame gets a buffer of its own that grows
//! as its bytes come: its length is only a claim.
//!
//! Knows nothing of what is in a frame. The connection's task calls it.

use std::io;
use std::sync::Arc;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use highwater_wire::frame::{self, LENGTH_BYTES};
use tokio::net::TcpStream;

use crate::budget::{Budget, Grant};
use crate::limits::{
    GROWTH_FACTOR, LONG_FRAME_BYTES_FIRST, READ_BUFFER_BYTES_MIN, SMALL_FRAME_BYTES_MAX,
};

pub(crate) struct Inbound {
    frame_bytes_max: usize,
    /// Bytes that arrived and belong to no long frame.
    buffer: BytesMut,
    /// How much to have room for in `buffer` before reading.
    room: usize,
    long: Option<LongFrame>,
    /// The share of the frame in progress.
    grant: Grant,
    budget: Arc<Budget>,
}

struct LongFrame {
    len: usize,
    /// Invariant: `bytes.len() <= bytes.capacity()`, and the grant covers the capacity.
    bytes: Vec<u8>,
}

/// What there is to do.
pub(crate) enum Next {
    Frame(Bytes, Grant),
    /// [`Inbound::fill`] it.
    Bytes,
    /// Let the grant ([`Inbound::take_grant`]) cover so many bytes.
    Memory(usize),
    /// The length is out of bounds.
    Refused,
}

impl Inbound {
    pub(crate) fn new(frame_bytes_max: usize, budget: Arc<Budget>) -> Self {
        Inbound {
            frame_bytes_max,
            buffer: BytesMut::new(),
            room: READ_BUFFER_BYTES_MIN,
            long: None,
            grant: budget.nothing(),
            budget,
        }
    }

    pub(crate) fn next(&mut self) -> Next {
        if self.long.is_some() {
            return self.next_of_long();
        }
        let Some(length) = self.buffer.first_chunk::<LENGTH_BYTES>() else {
            return Next::Bytes;
        };
        let Some(len) = frame::decode_length(*length, self.frame_bytes_max) else {
            return Next::Refused;
        };
        if len > SMALL_FRAME_BYTES_MAX - LENGTH_BYTES {
            return self.begin_long(len);
        }
        if self.buffer.len() < LENGTH_BYTES + len {
            return Next::Bytes;
        }
        if !self.grant.try_cover(len) {
            return Next::Memory(len);
        }
        self.buffer.advance(LENGTH_BYTES);
        let bytes = self.buffer.split_to(len).freeze();
        Next::Frame(bytes, self.take_grant())
    }

    fn begin_long(&mut self, len: usize) -> Next {
        let first = len.min(LONG_FRAME_BYTES_FIRST);
        self.grant.leave_room_for_short();
        if !self.grant.try_cover(first) {
            return Next::Memory(first);
        }
        let mut bytes = Vec::with_capacity(first);
        // The buffer is never larger than a small frame, so all in it is of this frame.
        bytes.extend_from_slice(self.buffer.get(LENGTH_BYTES..).unwrap_or_default());
        self.buffer.clear();
        self.long = Some(LongFrame { len, bytes });
        self.next_of_long()
    }

    fn next_of_long(&mut self) -> Next {
        let Some(long) = &mut self.long else { return Next::Bytes };
        if long.bytes.len() == long.len {
            let bytes = Bytes::from(std::mem::take(&mut long.bytes));
            self.long = None;
            return Next::Frame(bytes, self.take_grant());
        }
        if long.bytes.len() == long.bytes.capacity() {
            let wanted = long.len.min(long.bytes.capacity().saturating_mul(GROWTH_FACTOR));
            if !self.grant.try_cover(wanted) {
                return Next::Memory(wanted);
            }
            long.bytes.reserve_exact(wanted - long.bytes.len());
        }
        Next::Bytes
    }

    /// Gives away the share of the frame in progress.
    pub(crate) fn take_grant(&mut self) -> Grant {
        std::mem::replace(&mut self.grant, self.budget.nothing())
    }

    pub(crate) fn put_grant(&mut self, grant: Grant) {
        self.grant = grant;
    }

    /// Reads what has arrived, 0 bytes at the end of the stream.
    pub(crate) fn fill(&mut self, stream: &TcpStream) -> io::Result<usize> {
        if let Some(long) = &mut self.long {
            let free = long.bytes.capacity().min(long.len) - long.bytes.len();
            return stream.try_read_buf(&mut (&mut long.bytes).limit(free));
        }
        let free = self.make_room();
        let read = stream.try_read_buf(&mut (&mut self.buffer).limit(free))?;
        if read == free {
            self.room = (self.room * 2).min(SMALL_FRAME_BYTES_MAX);
        }
        Ok(read)
    }

    /// Lets the buffer have room for the rest of the frame that it begins with, or for more.
    fn make_room(&mut self) -> usize {
        let missing = match self.buffer.first_chunk::<LENGTH_BYTES>() {
            Some(length) => {
                let len = frame::decode_length(*length, SMALL_FRAME_BYTES_MAX - LENGTH_BYTES);
                len.map_or(1, |len| (LENGTH_BYTES + len).saturating_sub(self.buffer.len()))
            }
            None => LENGTH_BYTES - self.buffer.len(),
        };
        let free = self.buffer.capacity() - self.buffer.len();
        if free < missing.max(self.room / 4) {
            let room = self.room.max(self.buffer.len() + missing);
            self.buffer.reserve(room.min(SMALL_FRAME_BYTES_MAX) - self.buffer.len());
        }
        (self.buffer.capacity().min(SMALL_FRAME_BYTES_MAX)) - self.buffer.len()
    }

    /// A frame has begun.
    pub(crate) fn is_amid_frame(&self) -> bool {
        self.long.is_some() || !self.buffer.is_empty()
    }

    /// The buffer holds memory that [`Inbound::release`] would give back.
    pub(crate) fn holds_memory(&self) -> bool {
        self.buffer.capacity() > 0
    }

    /// Gives the buffer back if nothing is in it.
    pub(crate) fn release(&mut self) {
        if !self.is_amid_frame() {
            self.buffer = BytesMut::new();
            self.room = READ_BUFFER_BYTES_MIN;
        }
    }
}
