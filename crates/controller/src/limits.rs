//! Limits of one request to the controller.

/// Partitions that one CreateTopics or CreatePartitions request may add.
pub const PARTITIONS_PER_REQUEST_MAX: i64 = 10_000;

/// Records that one request may write (Kafka: `MAX_RECORDS_PER_USER_OP`).
pub const RECORDS_PER_REQUEST_MAX: usize = 10_000;

/// Elections that one look at all partitions may bring about.
pub const ELECTIONS_PER_SWEEP_MAX: usize = 1_000;

/// Producer ids handed to a broker at a time.
pub const PRODUCER_ID_BLOCK: i64 = 1_000;

/// Iterations of a SCRAM credential.
pub const SCRAM_ITERATIONS_MIN: i32 = 4_096;
pub const SCRAM_ITERATIONS_MAX: i32 = 16_384;

/// Longest topic name shown in a refusal; the rest is cut.
pub const NAME_SHOWN_BYTES_MAX: usize = 300;
