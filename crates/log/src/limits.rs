//! Named limits of the log. Nothing else in this crate holds a bound as a bare number.

/// Descriptors that all logs of a process keep open together, unless the caller says otherwise.
pub const OPEN_FILES_DEFAULT: usize = 1024;

/// Batches a producer may have in flight, and so the length of its duplicate window.
pub const PRODUCER_WINDOW_BATCHES: usize = 5;

/// Appended batches whose positions stay in memory, so that readers at the log end touch no file.
pub const TAIL_BATCHES_MAX: usize = 32;

/// Bytes read at a time while walking batch headers forwards from an index entry.
pub const WALK_CHUNK_BYTES: usize = 8 * 1024;

/// Bytes read at a time while a whole segment is scanned.
pub const SCAN_CHUNK_BYTES: usize = 256 * 1024;

/// Slices of one vectored write (`IOV_MAX` on Linux).
pub const WRITE_SLICES_MAX: usize = 1024;

/// Bytes of the log's tail read at open to rebuild the producers' duplicate windows.
pub const WINDOW_SCAN_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Index entries fetched with one read at the end of a binary search.
pub const INDEX_BLOCK_ENTRIES: u32 = 256;

/// Read positions remembered per log, one per sequential reader.
pub const READ_HINTS: usize = 4;

/// Segments one read may span.
pub const READ_RANGES_MAX: usize = 8;

/// Times a read starts over because the segment it wanted was deleted meanwhile.
pub const READ_RETRIES_MAX: usize = 8;

/// Longest line-based companion file (checkpoints, `meta.properties`) that is read.
pub const TEXT_FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Producers that a snapshot may hold; one that claims more is damaged.
pub const SNAPSHOT_PRODUCERS_MAX: usize = 10_000_000;

/// Bytes of the largest snapshot: its head, and 46 for each producer.
pub const SNAPSHOT_BYTES_MAX: u64 = 10 + 46 * SNAPSHOT_PRODUCERS_MAX as u64;
