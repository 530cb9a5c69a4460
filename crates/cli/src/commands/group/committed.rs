//! The committed offsets of a group.

use std::collections::BTreeMap;

use highwater_client::{Committed, Committer};
use highwater_types::{Offset, PartitionIndex, TopicPartition};

use crate::failure::{Failure, Outcome};
use crate::session::{Place, Session};

/// Every offset the group has committed.
pub(super) async fn committed(session: &Session, group: &str) -> Outcome<BTreeMap<Place, i64>> {
    let committed = session.client().committed_offsets(group, None, false).await?;
    let offset = |(at, committed): (TopicPartition, Committed)| {
        ((at.topic.to_string(), at.partition.get()), committed.offset.get())
    };
    Ok(committed.into_iter().map(offset).collect())
}

/// Commits as an administrator: possible while the group has no members.
pub(super) async fn commit(
    session: &Session,
    group: &str,
    offsets: &BTreeMap<Place, i64>,
) -> Outcome {
    let committed = |((topic, index), offset): (&Place, &i64)| {
        let partition = PartitionIndex(*index);
        let at = TopicPartition { topic: topic.as_str().into(), partition };
        (at, Committed::at(Offset(*offset)))
    };
    let offsets = offsets.iter().map(committed).collect();
    let done = session.client().commit_offsets(group, &Committer::outside(), &offsets).await;
    done.map_err(|error| Failure::from(error).during(format!("moving group {group}")))
}
