//! The broker's named limits. Each has a test that reaches it, or names the one that does.

/// Requests waiting before one coordinator; one more is told that the coordinator is loading.
pub const MAILBOX_REQUESTS_MAX: usize = 100_000;

/// Storage threads of one data directory.
pub const STORAGE_THREADS_MAX: usize = 4;

/// Logs that one thread opens alone; for more, up to `num.recovery.threads.per.data.dir` share them.
pub const OPENED_ALONE_MAX: usize = 16;

/// Between lines about work that takes long.
pub const PROGRESS_INTERVAL: std::time::Duration = std::time::Duration::from_secs(1);

/// Files up to which a flush is an `fdatasync` each; for more one `syncfs` is cheaper.
pub const FDATASYNC_FILES_MAX: usize = 2;

/// Bytes of batches that a network thread gathers before it hands them to the storage threads,
/// and one batch. Few enough that these begin while more is read.
pub const HANDOVER_BYTES_MAX: usize = 1 << 20;

/// Bytes of a coordinator's log read at a time while loading.
pub const LOAD_CHUNK_BYTES: usize = 1 << 20;

/// Bytes of new metadata records after which a snapshot is written
/// (Kafka: `metadata.log.max.record.bytes.between.snapshots`).
pub const METADATA_BYTES_BETWEEN_SNAPSHOTS: u64 = 20 << 20;

/// Between looks at the size of the metadata log.
pub const SNAPSHOT_CHECK_INTERVAL: std::time::Duration = std::time::Duration::from_secs(5);

/// Files that all logs together keep open (`FdCache`).
pub const OPEN_FILES_MAX: usize = 1_024;

/// A fetch session unused for so long gives way to a new one, when all slots are taken.
pub const SESSION_EVICTABLE_AFTER_MS: u64 = 120_000;

/// Bytes of requests in flight when `queued.max.request.bytes` says nothing.
pub const REQUESTS_IN_FLIGHT_BYTES_MAX: usize = 512 << 20;

/// Between looks for folders of deleted partitions whose delay is over.
pub const DOOMED_SWEEP_INTERVAL: std::time::Duration = std::time::Duration::from_secs(10);

/// Longest wait of a fetch, whatever the client asks: five minutes.
pub const FETCH_WAIT_MS_MAX: u64 = 300_000;
