//! The `records` type of the schema: runs of bytes in memory or in files.
//!
//! Nothing here opens or reads a file; a [`FileRange`] is carried from the log to the socket.

use std::fs::File;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};

/// Bytes of an open file.
#[derive(Debug, Clone)]
pub struct FileRange {
    pub file: Arc<File>,
    pub position: u64,
    pub len: usize,
}

/// Ranges are equal if they are the same bytes of the same open file.
impl PartialEq for FileRange {
    fn eq(&self, other: &FileRange) -> bool {
        Arc::ptr_eq(&self.file, &other.file)
            && self.position == other.position
            && self.len == other.len
    }
}

/// A run of bytes to be sent.
#[derive(Debug, Clone, PartialEq)]
pub enum Segment {
    Bytes(Bytes),
    File(FileRange),
}

impl Segment {
    pub fn len(&self) -> usize {
        match self {
            Segment::Bytes(bytes) => bytes.len(),
            Segment::File(range) => range.len,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Record batches, as the records field of Produce and Fetch carries them. Decoding gives one
/// segment of bytes; a fetch is answered with ranges of segment files.
#[derive(Debug, Clone, Default)]
pub struct Records {
    pub segments: Vec<Segment>,
}

impl Records {
    pub fn len(&self) -> usize {
        self.segments.iter().map(Segment::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes, if they lie in memory in one piece.
    pub fn as_bytes(&self) -> Option<&Bytes> {
        match self.segments.as_slice() {
            [Segment::Bytes(bytes)] => Some(bytes),
            _ => None,
        }
    }

    /// The bytes in one piece, copied only if they lie in several; `None` if some are in a file.
    pub fn to_bytes(&self) -> Option<Bytes> {
        if let Some(bytes) = self.as_bytes() {
            return Some(bytes.clone());
        }
        let mut whole = BytesMut::with_capacity(self.len());
        for segment in &self.segments {
            match segment {
                Segment::Bytes(bytes) => whole.extend_from_slice(bytes),
                Segment::File(_) => return None,
            }
        }
        Some(whole.freeze())
    }
}

/// Compares content where it is in memory, else the segments.
impl PartialEq for Records {
    fn eq(&self, other: &Records) -> bool {
        match (self.to_bytes(), other.to_bytes()) {
            (Some(a), Some(b)) => a == b,
            _ => self.segments == other.segments,
        }
    }
}

impl From<Bytes> for Records {
    fn from(bytes: Bytes) -> Self {
        Records { segments: vec![Segment::Bytes(bytes)] }
    }
}

impl From<Vec<FileRange>> for Records {
    fn from(ranges: Vec<FileRange>) -> Self {
        Records { segments: ranges.into_iter().map(Segment::File).collect() }
    }
}
