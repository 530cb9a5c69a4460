//! [`Outbound`]: sends answers, from memory and from files, on one connection.
//!
//! ```text
//! pieces:  length | bytes | bytes | file ........ | bytes | length | bytes | ...
//!                    ^ sent so far: `done` bytes of the first piece
//! ```
//! Pieces in memory go out many at a time; long parts of files by `sendfile`, without coming
//! into this process. The connection's task calls it.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use highwater_wire::{FileRange, Segment, frame};
use rustix::net::{SendAncillaryBuffer, SendFlags, sendmsg};
use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use crate::cold::{self, ColdReaders, Read};
use crate::limits::{
    COPIED_FILE_BYTES_MAX, PIECES_PER_WRITE_MAX, SENDFILE_BYTES_MAX, WARMED_BYTES_MAX,
};
use crate::queue::memory_bytes;

#[derive(Default)]
pub(crate) struct Outbound {
    pieces: VecDeque<Piece>,
    /// Bytes of the first piece that are sent. Invariant: fewer than it has.
    done: usize,
    /// Bytes in memory over all pieces.
    memory_bytes: usize,
    /// A reader thread is at work for the first piece.
    warming: Option<oneshot::Receiver<()>>,
    /// The first piece has been warmed up to this position of its file.
    warmed_to: u64,
}

enum Piece {
    Length([u8; frame::LENGTH_BYTES]),
    Bytes(Bytes),
    File(FileRange),
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Piece::Length(bytes) => bytes.len(),
            Piece::Bytes(bytes) => bytes.len(),
            Piece::File(range) => range.len,
        }
    }

    fn memory(&self) -> Option<&[u8]> {
        match self {
            Piece::Length(bytes) => Some(bytes),
            Piece::Bytes(bytes) => Some(bytes),
            Piece::File(_) => None,
        }
    }
}

/// What one step of sending came to.
enum Sent {
    Bytes(usize),
    /// The first piece must be read from the disk first.
    Cold,
}

impl Outbound {
    /// Appends an answer; `false` if it is longer than a frame can be.
    pub(crate) fn push(&mut self, segments: Vec<Segment>) -> bool {
        let Some(length) = frame::encode_length(&segments) else { return false };
        self.memory_bytes += memory_bytes(&segments);
        self.pieces.push_back(Piece::Length(length));
        self.pieces.extend(segments.into_iter().filter(|s| !s.is_empty()).map(|s| match s {
            Segment::Bytes(bytes) => Piece::Bytes(bytes),
            Segment::File(range) => Piece::File(range),
        }));
        true
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// Gives back what an empty queue holds.
    pub(crate) fn release(&mut self) {
        if self.pieces.is_empty() {
            self.pieces = VecDeque::new();
        }
    }

    /// Sends what the socket takes. Ready when all is sent; `sent` grows by what was.
    pub(crate) fn poll_send(
        &mut self,
        stream: &TcpStream,
        readers: &ColdReaders,
        cx: &mut Context<'_>,
        sent: &mut usize,
    ) -> Poll<io::Result<()>> {
        let mut turn = 0;
        while !self.pieces.is_empty() {
            if let Some(warming) = &mut self.warming {
                // An error says that there is no reader thread: then we read ourselves.
                let _ = ready!(std::pin::Pin::new(warming).poll(cx));
                self.warming = None;
            }
            if turn >= SENDFILE_BYTES_MAX {
                // Others have their turn.
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            ready!(stream.poll_write_ready(cx))?;
            match stream.try_io(Interest::WRITABLE, || self.send(stream)) {
                Ok(Sent::Bytes(bytes)) => {
                    turn += bytes;
                    *sent += bytes;
                    self.advance(bytes);
                }
                Ok(Sent::Cold) => self.warm(readers),
                Err(error) if is_passing(error.kind()) => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        Poll::Ready(Ok(()))
    }

    fn send(&mut self, stream: &TcpStream) -> io::Result<Sent> {
        self.copy_short_ranges()?;
        match self.pieces.front() {
            Some(Piece::File(range)) => self.send_file(stream, range),
            Some(_) => self.send_memory(stream),
            None => Ok(Sent::Bytes(0)),
        }
    }

    /// Turns short parts of files among the next pieces into memory, as far as they are warm.
    fn copy_short_ranges(&mut self) -> io::Result<()> {
        for (index, piece) in self.pieces.iter_mut().take(PIECES_PER_WRITE_MAX).enumerate() {
            let Piece::File(range) = piece else { continue };
            let is_begun = index == 0 && self.done > 0;
            if range.len > COPIED_FILE_BYTES_MAX || is_begun {
                return Ok(());
            }
            match cold::read_if_warm(&range.file, range.position, range.len)? {
                Read::Warm(bytes) => {
                    self.memory_bytes += bytes.len();
                    *piece = Piece::Bytes(bytes);
                }
                Read::Cold => return Ok(()),
            }
        }
        Ok(())
    }

    fn send_memory(&self, stream: &TcpStream) -> io::Result<Sent> {
        let mut slices = [IoSlice::new(&[]); PIECES_PER_WRITE_MAX];
        let mut count = 0;
        let mut skip = self.done;
        for bytes in self.pieces.iter().map_while(Piece::memory).take(slices.len()) {
            slices[count] = IoSlice::new(&bytes[skip..]);
            skip = 0;
            count += 1;
        }
        let mut flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        if count < self.pieces.len() {
            // No packet of its own for what comes before a file.
            flags |= SendFlags::MORE;
        }
        let mut no_control = SendAncillaryBuffer::default();
        let sent = sendmsg(stream, &slices[..count], &mut no_control, flags)?;
        Ok(Sent::Bytes(sent))
    }

    fn send_file(&self, stream: &TcpStream, range: &FileRange) -> io::Result<Sent> {
        let mut position = range.position + self.done as u64;
        let len = (range.len - self.done).min(SENDFILE_BYTES_MAX);
        let end = position + len as u64;
        if self.warmed_to < end && !cold::is_warm(&range.file, position, len) {
            return Ok(Sent::Cold);
        }
        match rustix::fs::sendfile(stream, &*range.file, Some(&mut position), len)? {
            // The file was cut after the answer was decided. Its length is sent already, so
            // nothing but the end of the connection can tell the peer.
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            sent => Ok(Sent::Bytes(sent)),
        }
    }

    fn warm(&mut self, readers: &ColdReaders) {
        if let Some(Piece::File(range)) = self.pieces.front() {
            let position = range.position + self.done as u64;
            let len = (range.len - self.done).min(WARMED_BYTES_MAX);
            self.warming = Some(readers.warm(&range.file, position, len));
            self.warmed_to = position + len as u64;
        }
    }

    fn advance(&mut self, mut sent: usize) {
        while let Some(first) = self.pieces.front() {
            let left = first.len() - self.done;
            if sent < left {
                self.done += sent;
                return;
            }
            sent -= left;
            if let Piece::Bytes(bytes) = first {
                self.memory_bytes -= bytes.len();
            }
            self.pieces.pop_front();
            self.done = 0;
            self.warmed_to = 0;
        }
    }
}

fn is_passing(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
