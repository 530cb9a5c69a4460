//! Which partition of `__consumer_offsets` a group lives in.

/// The partition of `group_id`: Java's string hash (over UTF-16 units) modulo the partition
/// count, as every Kafka broker computes it. `partitions` is at least 1.
pub fn partition_of(group_id: &str, partitions: i32) -> i32 {
    let hash = group_id
        .encode_utf16()
        .fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)));
    // The most negative hash has no absolute value; Kafka takes 0 for it.
    hash.checked_abs().unwrap_or(0) % partitions.max(1)
}
