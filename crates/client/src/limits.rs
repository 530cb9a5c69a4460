//! Limits of this crate.

/// Longest answer that is accepted, unless the options say otherwise.
pub const ANSWER_BYTES_MAX: usize = 256 << 20;

/// Room to read into at a time. A longer answer's buffer grows by doubling as its bytes come.
pub(crate) const READ_BYTES: usize = 16 << 10;

/// Pieces of memory in one write.
pub(crate) const PIECES_PER_WRITE_MAX: usize = 64;
