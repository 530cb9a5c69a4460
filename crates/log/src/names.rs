//! Names of the files in a partition folder, as Kafka spells them.

use highwater_types::Offset;

pub(crate) const LOG: &str = "log";
pub(crate) const OFFSET_INDEX: &str = "index";
pub(crate) const TIME_INDEX: &str = "timeindex";
pub(crate) const TXN_INDEX: &str = "txnindex";
pub(crate) const SNAPSHOT: &str = "snapshot";
/// The files of a segment. The `.log` comes first: renaming and removing go by this order.
pub(crate) const SEGMENT_FILES: [&str; 4] = [LOG, OFFSET_INDEX, TIME_INDEX, TXN_INDEX];
/// Appended to the name of a file that compaction is writing.
pub(crate) const CLEANED: &str = ".cleaned";
/// Appended to the name of a file that compaction has written, until it has its place.
pub(crate) const SWAP: &str = ".swap";
/// Appended to the name of a file that waits for its deletion.
pub(crate) const DELETED: &str = ".deleted";
pub(crate) const EPOCHS: &str = "leader-epoch-checkpoint";
pub(crate) const PARTITION_METADATA: &str = "partition.metadata";

/// Digits of the offset in a file name.
const DIGITS: usize = 20;

/// No log comes this far; a name beyond is none of ours, and offsets may be added to without care.
const OFFSET_MAX: i64 = i64::MAX - (1 << 40);

pub(crate) fn file(base: Offset, suffix: &str) -> String {
    format!("{:0DIGITS$}.{suffix}", base.get())
}

/// The offset and the suffix (what follows the dot) of a file name, if it has that form.
pub(crate) fn parse(name: &str) -> Option<(Offset, &str)> {
    let (digits, suffix) = name.split_once('.')?;
    if digits.len() != DIGITS || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let offset = digits.parse().ok().filter(|offset| *offset <= OFFSET_MAX)?;
    Some((Offset(offset), suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_back() {
        assert_eq!(file(Offset(42), LOG), "00000000000000000042.log");
        assert_eq!(parse("00000000000000000042.log"), Some((Offset(42), "log")));
        assert_eq!(parse("00000000000000000042.log.deleted"), Some((Offset(42), "log.deleted")));
        for none in [
            "09223372036854775807.log",
            "42.log",
            "partition.metadata",
            "0000000000000000004x.log",
            "log",
        ] {
            assert_eq!(parse(none), None, "{none}");
        }
    }
}
