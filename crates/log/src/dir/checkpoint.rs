//! The checkpoint files of a log directory: an offset for each partition, as text.
//!
//! ```text
//! 0                     version
//! 2                     entries
//! topic partition offset
//! ```

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use highwater_types::{Offset, PartitionIndex, TopicPartition};

/// Which of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checkpoint {
    /// Up to where each log is on the disk for sure.
    RecoveryPoint,
    /// High watermarks.
    HighWatermark,
    /// Log starts that were moved past the first segment's base.
    LogStart,
    /// How far compaction has come.
    Cleaner,
}

impl Checkpoint {
    pub fn file_name(self) -> &'static str {
        match self {
            Checkpoint::RecoveryPoint => "recovery-point-offset-checkpoint",
            Checkpoint::HighWatermark => "replication-offset-checkpoint",
            Checkpoint::LogStart => "log-start-offset-checkpoint",
            Checkpoint::Cleaner => "cleaner-offset-checkpoint",
        }
    }
}

pub(super) fn to_text(offsets: &BTreeMap<TopicPartition, Offset>) -> String {
    let mut text = format!("0\n{}\n", offsets.len());
    for (TopicPartition { topic, partition }, offset) in offsets {
        let _ = writeln!(text, "{topic} {partition} {offset}");
    }
    text
}

/// None if the text is damaged in any way.
pub(super) fn parse(text: &str) -> Option<BTreeMap<TopicPartition, Offset>> {
    let mut lines = text.lines();
    if lines.next()? != "0" {
        return None;
    }
    let count: usize = lines.next()?.parse().ok()?;
    let mut offsets = BTreeMap::new();
    for line in lines {
        let mut words = line.split(' ');
        let topic = Arc::from(words.next()?);
        let partition = PartitionIndex(words.next()?.parse().ok()?);
        let offset = Offset(words.next()?.parse().ok()?);
        if words.next().is_some() {
            return None;
        }
        offsets.insert(TopicPartition { topic, partition }, offset);
    }
    (offsets.len() == count).then_some(offsets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form() {
        let text = "0\n2\nfx-del 0 4\nfx-plain 11 700\n";
        let offsets = parse(text).unwrap();
        assert_eq!(offsets.len(), 2);
        assert_eq!(to_text(&offsets), text);
        for bad in ["", "0", "0\n1\n", "0\n0\na 0 1\n", "1\n0\n", "0\n1\na 0\n", "0\n1\na 0 1 2\n"]
        {
            assert_eq!(parse(bad), None, "{bad:?}");
        }
    }
}
