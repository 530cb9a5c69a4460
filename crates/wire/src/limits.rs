//! The crate's limits.

/// Strings, nullable or not, are at most this long: Kafka's rule, also where a varint could say
/// more.
pub const STRING_BYTES_MAX: usize = i16::MAX as usize;

/// Every frame may unpack to this much memory, however small it is ...
pub const UNPACKED_BYTES_MIN: usize = 64 << 10;

/// ... and to so many times its length. The densest honest request (Metadata v0 for topics with
/// one-letter names) takes 19; what a frame can be made to claim is several times more.
pub const UNPACKED_PER_BYTE_MAX: usize = 24;

/// Records in memory shorter than this are copied into the reply: another segment would cost
/// more.
pub const RECORDS_COPIED_BELOW_BYTES: usize = 1024;

/// Kafka's `socket.request.max.bytes` as it comes.
pub const REQUEST_BYTES_MAX: usize = 100 << 20;
