//! Limits of this crate. Each has a test that reaches it.

/// Most bytes that the records of one batch may have once decompressed, unless the caller sets
/// another bound. A few kilobytes of zstd can claim gigabytes; a legitimate batch of ten
/// megabytes seldom unpacks to more than this.
pub const DECOMPRESSED_BYTES_MAX: usize = 256 << 20;

/// Most bytes that the records of a batch may have once decompressed if their offset deltas have
/// to be put right, which is the one case where a produced batch is held in full.
pub const RENUMBERED_BYTES_MAX: usize = 32 << 20;

/// Decompressed bytes held at once while records are walked without being kept.
pub(crate) const WINDOW_BYTES: usize = 64 << 10;

/// Refused records that an error lists one by one; the rest is only counted.
pub const RECORD_ERRORS_MAX: usize = 1000;

/// Buffers and codec contexts larger than this are given back after use rather than kept.
pub(crate) const KEEP_BYTES_MAX: usize = 8 << 20;

/// Most bytes by which a buffer for decompressed records grows at a time.
pub(crate) const GROWTH_BYTES_MAX: usize = 1 << 20;
