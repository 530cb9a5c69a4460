//! The partition of a group, against what Kafka 4.4.0 chose among 50.

use crate::partition_of;

#[rustfmt::skip]
const CHOSEN: &[(&str, i32)] = &[
    ("", 0),
    ("g", 3),
    ("points", 27),
    ("sg3", 9),
    ("my-group", 12),
    ("txn-1", 10),
    ("group with blanks", 6),
    ("扣款", 1),
    ("console-consumer-12345", 6),
    ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 6),
    ("polygenelubricants", 0),
    ("tx-1", 20),
];

#[test]
fn kafka_chooses_the_same() {
    for (group, partition) in CHOSEN {
        assert_eq!(partition_of(group, 50), *partition, "{group}");
    }
}

#[test]
fn the_hash_without_an_absolute_value_is_0() {
    // A string whose Java hash is -2147483648.
    assert_eq!(partition_of("polygenelubricants", 50), 0);
}
