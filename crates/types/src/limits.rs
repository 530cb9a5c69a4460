//! Limits that more than one crate must agree on. Each crate keeps its own `limits` for the rest.

/// Longest topic name, in bytes (Kafka: 249, so that `name-partition.hash-delete` fits a file
/// name).
pub const TOPIC_NAME_BYTES_MAX: usize = 249;

/// Sequence numbers of idempotent producers wrap after `i32::MAX`.
pub const SEQUENCE_MAX: i32 = i32::MAX;
