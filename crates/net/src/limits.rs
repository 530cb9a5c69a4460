//! Limits of this crate that no setting changes. Each has a test that reaches it.

use std::time::Duration;

/// Requests of one connection that wait for an answer or for their turn to be answered; then the
/// connection is not read from. Kafka takes one at a time.
pub const PIPELINED_REQUESTS_MAX: usize = 100;

/// Bytes in memory of answers that a connection's peer has not taken yet; beyond it no more
/// requests are taken from it. One answer may be larger.
pub const UNSENT_BYTES_MAX: usize = 1 << 20;

/// Frames up to this length are read through the connection's shared buffer, which is never
/// larger; longer ones get a buffer of their own.
pub(crate) const SMALL_FRAME_BYTES_MAX: usize = 64 << 10;

/// First size of a connection's read buffer. It doubles while reads fill it.
pub(crate) const READ_BUFFER_BYTES_MIN: usize = 4 << 10;

/// A long frame's buffer begins with this much and grows by [`GROWTH_FACTOR`] when it is full, so
/// that who only claims a length costs little.
pub(crate) const LONG_FRAME_BYTES_FIRST: usize = 256 << 10;

pub(crate) const GROWTH_FACTOR: usize = 4;

/// One of so many parts of the budget for requests is kept for short frames.
pub(crate) const BUDGET_PARTS: usize = 8;

/// Frames taken from a connection before its answers so far are written.
pub(crate) const REQUESTS_PER_TURN_MAX: usize = 32;

/// Pieces of memory in one write.
pub(crate) const PIECES_PER_WRITE_MAX: usize = 64;

/// Bytes of one `sendfile`; then other connections have their turn.
pub(crate) const SENDFILE_BYTES_MAX: usize = 256 << 10;

/// Parts of files up to this length are read and sent together with what is around them, which
/// is cheaper than a `sendfile` of their own.
pub(crate) const COPIED_FILE_BYTES_MAX: usize = 16 << 10;

/// What a reader thread brings into the page cache at once.
pub(crate) const WARMED_BYTES_MAX: usize = 4 << 20;

/// Threads that read cold files.
pub(crate) const READER_THREADS: usize = 4;

/// A connection that was silent for so long gives back its buffers.
pub(crate) const BUFFERS_KEPT_FOR: Duration = Duration::from_secs(1);

/// See [`NetConfig::stalled_frame_timeout`](crate::NetConfig::stalled_frame_timeout).
pub(crate) const STALLED_FRAME_TIMEOUT: Duration = Duration::from_secs(30);

/// How long requests that were taken before the peer closed its side may still be answered.
pub(crate) const ANSWERED_AFTER_EOF: Duration = Duration::from_secs(1);

/// First and longest pause after the operating system refused to accept a connection.
pub(crate) const ACCEPT_PAUSE_MIN: Duration = Duration::from_millis(10);
pub(crate) const ACCEPT_PAUSE_MAX: Duration = Duration::from_secs(1);
