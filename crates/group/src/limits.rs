//! Bounds on what requests may make the coordinator keep or write.

/// Longest string that a record or an answer can hold, in bytes. Text that was not UTF-8 may have
/// become longer than this on its way in.
pub(crate) const STRING_BYTES_MAX: usize = i16::MAX as usize;

/// Member ids handed out, and not used yet, in one group. Each is forgotten after its session
/// timeout.
pub(crate) const PENDING_JOINS_MAX: usize = 2_000;

/// How long a new member is kept while its join waits: it cannot heartbeat, and a client that
/// gave up is not noticed. If it is still there it will send its join again.
pub(crate) const NEW_MEMBER_TIMEOUT_MS: i64 = 5 * 60 * 1000;

/// Groups that one step of a sweep looks at, and tombstones that it writes, give or take those of
/// one group; the next step follows at once, after what else has come in.
pub(crate) const SWEEP_GROUPS_MAX: usize = 1_000;
pub(crate) const SWEEP_RECORDS_MAX: usize = 1_000;

/// Bytes of a record beside its strings and blobs: both frames, numbers, lengths.
pub(crate) const RECORD_OVERHEAD_BYTES: usize = 64;

pub(crate) fn fits(text: &str) -> bool {
    text.len() <= STRING_BYTES_MAX
}
