//! Names of the folders in a log directory: `topic-partition`, and
//! `topic-partition.uuid-delete` for one that waits for its deletion.

use highwater_types::{Entropy, PartitionIndex, TopicPartition, Uuid};

const DOOMED: &str = "-delete";
/// Longest file name of the usual file systems.
const NAME_BYTES_MAX: usize = 255;

/// The partition whose folder has this name, unless it is none.
pub(super) fn parse(name: &str) -> Option<TopicPartition> {
    if is_doomed(name) {
        return None;
    }
    let (topic, partition) = name.rsplit_once('-')?;
    let is_number = !partition.is_empty() && partition.bytes().all(|byte| byte.is_ascii_digit());
    if topic.is_empty() || !is_number {
        return None;
    }
    let partition = PartitionIndex(partition.parse().ok()?);
    let parsed = TopicPartition { topic: topic.into(), partition };
    (parsed.to_string() == name).then_some(parsed)
}

/// A topic name has letters, digits, `.`, `_` and `-` too, so the random part must have the form
/// of an id: 32 hexadecimal digits.
pub(super) fn is_doomed(name: &str) -> bool {
    name.strip_suffix(DOOMED)
        .and_then(|rest| rest.rsplit_once('.'))
        .is_some_and(|(_, id)| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// A name for a folder that waits for its deletion, new each time.
pub(super) fn doomed(partition: &TopicPartition, entropy: &mut dyn Entropy) -> String {
    let id = Uuid::random(entropy).to_hyphenated().replace('-', "");
    let room = NAME_BYTES_MAX - 1 - id.len() - DOOMED.len();
    let name: String = partition.to_string().chars().take(room).collect();
    format!("{name}.{id}{DOOMED}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use highwater_types::SplitMix;

    #[test]
    fn names() {
        for (name, topic, partition) in [("a-0", "a", 0), ("a-b-12", "a-b", 12), ("a--1", "a-", 1)]
        {
            let parsed = parse(name).unwrap();
            assert_eq!((&*parsed.topic, parsed.partition.get()), (topic, partition));
            let doomed = doomed(&parsed, &mut SplitMix::new(1));
            assert!(is_doomed(&doomed), "{doomed}");
            assert_eq!(parse(&doomed), None);
        }
        for none in ["a", "-0", "a-", "a-x", "a-+1", "a-01", "a-99999999999"] {
            assert_eq!(parse(none), None, "{none}");
        }
    }

    #[test]
    fn a_long_name_still_fits() {
        let partition =
            TopicPartition { topic: "t".repeat(249).into(), partition: PartitionIndex(9999) };
        assert_eq!(doomed(&partition, &mut SplitMix::new(1)).len(), 255);
    }
}
