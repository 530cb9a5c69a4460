//! The committed offsets of a group, whatever version of OffsetFetch and OffsetCommit there is.

use std::collections::BTreeMap;

use highwater_client::{ClientError, Connection};
use highwater_types::Uuid;
use highwater_wire::messages::offset_commit_request::{
    OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use highwater_wire::messages::offset_fetch_request::OffsetFetchRequestGroup;
use highwater_wire::messages::{OffsetCommitRequest, OffsetFetchRequest, OffsetFetchResponse};

use crate::failure::{Failure, Outcome};
use crate::session::{Place, Session, TopicInfo, refused};

/// The first version of OffsetFetch that asks for several groups.
const SEVERAL_FROM: i16 = 8;
/// Of somebody who is no member.
const NO_GENERATION: i32 = -1;

/// Every offset the group has committed, by topic and partition.
pub async fn committed(
    session: &Session,
    coordinator: &Connection,
    group: &str,
) -> Outcome<BTreeMap<Place, i64>> {
    let names: BTreeMap<Uuid, String> =
        session.all_topics().await?.into_values().map(|topic| (topic.id, topic.name)).collect();
    let request = fetch_request(coordinator, group)?;
    session.patiently(|| async { offsets_of(coordinator.call(&request).await?, &names) }).await
}

fn fetch_request(coordinator: &Connection, group: &str) -> Result<OffsetFetchRequest, ClientError> {
    let mut request = OffsetFetchRequest::default();
    match coordinator.version_of::<OffsetFetchRequest>()? >= SEVERAL_FROM {
        true => {
            request.groups = vec![OffsetFetchRequestGroup {
                group_id: group.into(),
                topics: None,
                ..OffsetFetchRequestGroup::default()
            }];
        }
        false => {
            request.group_id = group.into();
            request.topics = None;
        }
    }
    Ok(request)
}

fn offsets_of(
    answer: OffsetFetchResponse,
    names: &BTreeMap<Uuid, String>,
) -> Result<BTreeMap<Place, i64>, ClientError> {
    const WHAT: &str = "reading the group's offsets";
    ClientError::check(WHAT, answer.error_code, None)?;
    let mut found = BTreeMap::new();
    for topic in &answer.topics {
        for partition in &topic.partitions {
            ClientError::check(WHAT, partition.error_code, None)?;
            let place = (topic.name.to_string(), partition.partition_index);
            found.insert(place, partition.committed_offset);
        }
    }
    for group in &answer.groups {
        ClientError::check(WHAT, group.error_code, None)?;
        for topic in &group.topics {
            // The newest version knows topics by id alone.
            let name = match topic.name.is_empty() {
                true => names.get(&topic.topic_id).cloned().unwrap_or(topic.topic_id.to_string()),
                false => topic.name.to_string(),
            };
            for partition in &topic.partitions {
                ClientError::check(WHAT, partition.error_code, None)?;
                found.insert((name.clone(), partition.partition_index), partition.committed_offset);
            }
        }
    }
    found.retain(|_, offset| *offset >= 0);
    Ok(found)
}

/// Commits as an administrator: possible while the group has no members.
pub async fn commit(
    coordinator: &Connection,
    group: &str,
    topics: &BTreeMap<String, TopicInfo>,
    offsets: &BTreeMap<Place, i64>,
) -> Outcome {
    let mut by_topic: BTreeMap<&str, OffsetCommitRequestTopic> = BTreeMap::new();
    for ((name, index), offset) in offsets {
        let topic = by_topic.entry(name).or_insert_with(|| OffsetCommitRequestTopic {
            name: name.into(),
            topic_id: topics.get(name).map(|topic| topic.id).unwrap_or_default(),
            ..OffsetCommitRequestTopic::default()
        });
        topic.partitions.push(OffsetCommitRequestPartition {
            partition_index: *index,
            committed_offset: *offset,
            committed_metadata: Some("".into()),
            ..OffsetCommitRequestPartition::default()
        });
    }
    let request = OffsetCommitRequest {
        group_id: group.into(),
        generation_id_or_member_epoch: NO_GENERATION,
        topics: by_topic.into_values().collect(),
        ..OffsetCommitRequest::default()
    };
    let answer = coordinator.call(&request).await?;
    let codes = answer.topics.iter().flat_map(|topic| &topic.partitions);
    for partition in codes {
        let what = format!("moving group {group}");
        refused(what, partition.error_code, None)?;
    }
    match answer.topics.is_empty() && !offsets.is_empty() {
        true => Err(Failure::new(format!("moving group {group}: the broker answered nothing"))),
        false => Ok(()),
    }
}
