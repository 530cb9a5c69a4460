//! The `range` assignor: of each topic every member gets a run of partitions, those that come
//! first by one more where it does not divide evenly.

use std::collections::BTreeMap;
use std::sync::Arc;

use highwater_types::{PartitionIndex, TopicPartition};

/// A member as the leader sees it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    /// Members are ordered by instance id where they have one, else by id.
    pub(super) instance_id: Option<String>,
    pub(super) id: String,
    pub(super) topics: Vec<Arc<str>>,
}

/// Shares out the partitions of the topics that are there, by name and count.
pub(super) fn assign_range(
    members: &[Member],
    partition_counts: &BTreeMap<Arc<str>, usize>,
) -> BTreeMap<String, Vec<TopicPartition>> {
    let mut sorted: Vec<&Member> = members.iter().collect();
    // Members with an instance id come first, as Kafka has them.
    sorted.sort_by(|a, b| match (&a.instance_id, &b.instance_id) {
        (Some(a), Some(b)) => a.cmp(b),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => a.id.cmp(&b.id),
    });
    let mut assigned: BTreeMap<String, Vec<TopicPartition>> =
        members.iter().map(|member| (member.id.clone(), Vec::new())).collect();
    for (topic, count) in partition_counts {
        let subscribed: Vec<&&Member> =
            sorted.iter().filter(|member| member.topics.contains(topic)).collect();
        let mut next = 0;
        for (index, member) in subscribed.iter().enumerate() {
            let share = count / subscribed.len() + usize::from(index < count % subscribed.len());
            let run = (next..next + share).map(|partition| TopicPartition {
                topic: topic.clone(),
                partition: PartitionIndex(partition as i32),
            });
            assigned.entry(member.id.clone()).or_default().extend(run);
            next += share;
        }
    }
    assigned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(members: &[(&str, Option<&str>, &[&str])], topics: &[(&str, usize)], expected: &str) {
        let members: Vec<Member> = members
            .iter()
            .map(|(id, instance_id, topics)| Member {
                instance_id: instance_id.map(str::to_owned),
                id: (*id).to_owned(),
                topics: topics.iter().map(|topic| (*topic).into()).collect(),
            })
            .collect();
        let counts = topics.iter().map(|(topic, count)| ((*topic).into(), *count)).collect();
        let text = |(id, run): (String, Vec<TopicPartition>)| {
            let run: Vec<String> = run.iter().map(ToString::to_string).collect();
            format!("{id}:{}", run.join(","))
        };
        let assigned: Vec<String> = assign_range(&members, &counts).into_iter().map(text).collect();
        assert_eq!(assigned.join(" "), expected);
    }

    #[test]
    fn ranges() {
        check(&[("a", None, &["t"])], &[("t", 2)], "a:t-0,t-1");
        check(
            &[("b", None, &["t", "u"]), ("a", None, &["t", "u"])],
            &[("t", 3), ("u", 3)],
            "a:t-0,t-1,u-0,u-1 b:t-2,u-2",
        );
        check(&[("a", None, &["t"]), ("b", None, &["u"])], &[("t", 1), ("u", 1)], "a:t-0 b:u-0");
        check(&[("a", None, &["t"]), ("b", None, &["t"])], &[("t", 1)], "a:t-0 b:");
        check(&[("a", None, &["t"]), ("b", Some("x"), &["t"])], &[("t", 1)], "a: b:t-0");
        check(&[("a", None, &["gone"])], &[], "a:");
    }
}
