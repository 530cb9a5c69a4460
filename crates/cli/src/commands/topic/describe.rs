//! `topic describe`: partitions with their offsets, and the settings that are not defaults.

use std::collections::BTreeMap;

use crate::commands::config::{self, Resource};
use crate::failure::Outcome;
use crate::output::{Cell, Document, Output, Table, Tone};
use crate::session::{PartitionInfo, Place, Session, TopicInfo};

pub(super) async fn describe(session: &Session, output: Output, names: &[String]) -> Outcome {
    let mut documents = Vec::new();
    for name in names {
        let topic = session.topic(name).await?;
        documents.push(document(session, &topic).await?);
    }
    output.documents(&documents)
}

async fn document(session: &Session, topic: &TopicInfo) -> Outcome<Document> {
    // A topic is worth describing while a leader is missing, then without offsets.
    let led = topic.clone().led();
    let starts = session.starts(&[&led]).await?;
    let ends = session.ends(&[&led]).await?;
    let settings = config::describe(session, &[Resource::topic(&topic.name)], &[]).await?;
    let mut table = Table::new(&["setting", "value", "source"]);
    for entry in settings.iter().flat_map(|described| &described.entries) {
        if entry.source.is_override() {
            table.push([
                Cell::from(entry.name.as_str()),
                entry.value.clone().into(),
                entry.source.name().into(),
            ]);
        }
    }
    Ok(Document::default()
        .fact("topic", topic.name.as_str())
        .fact("id", topic.id.to_string())
        .fact("internal", topic.is_internal)
        .table("partitions", partitions(topic, &starts, &ends))
        .table("settings_of_its_own", table))
}

fn partitions(
    topic: &TopicInfo,
    starts: &BTreeMap<Place, i64>,
    ends: &BTreeMap<Place, i64>,
) -> Table {
    let mut table =
        Table::new(&["partition", "leader", "epoch", "replicas", "isr", "start", "end", "state"]);
    for partition in &topic.partitions {
        let place = (topic.name.clone(), partition.index);
        let offset = |of: &BTreeMap<Place, i64>| of.get(&place).copied().into();
        table.push([
            partition.index.into(),
            Some(partition.leader).filter(|id| *id >= 0).into(),
            partition.leader_epoch.into(),
            Cell::list(partition.replicas.iter().copied()),
            Cell::list(partition.isr.iter().copied()),
            offset(starts),
            offset(ends),
            state(partition),
        ]);
    }
    table
}

fn state(partition: &PartitionInfo) -> Cell {
    if partition.leader < 0 {
        Cell::from("offline").tone(Tone::Bad)
    } else if partition.isr.len() < partition.replicas.len() {
        Cell::from("under-replicated").tone(Tone::Bad)
    } else {
        Cell::from("ok").tone(Tone::Good)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_in_trouble_stand_out() {
        let partition = |leader, isr: &[i32]| PartitionInfo {
            index: 0,
            leader,
            leader_epoch: 3,
            replicas: vec![1, 2],
            isr: isr.to_vec(),
        };
        assert_eq!(state(&partition(1, &[1, 2])).text(), "ok");
        assert_eq!(state(&partition(1, &[1])).text(), "under-replicated");
        assert_eq!(state(&partition(-1, &[])).text(), "offline");
    }
}
