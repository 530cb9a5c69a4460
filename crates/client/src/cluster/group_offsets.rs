//! Offsets that groups have committed.

use std::collections::BTreeMap;

use highwater_types::{LeaderEpoch, Offset, TopicPartition};
use highwater_wire::messages::offset_commit_request::{
    OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use highwater_wire::messages::offset_fetch_request::{
    OffsetFetchRequestGroup, OffsetFetchRequestTopic, OffsetFetchRequestTopics,
};
use highwater_wire::messages::{OffsetCommitRequest, OffsetFetchRequest, OffsetFetchResponse};
use highwater_wire::{ErrorCode, Str};

use super::coordinators::is_elsewhere;
use super::offsets::partition_at;
use super::{Client, CoordinatorKind};
use crate::{ClientError, Connection};

/// First version of OffsetFetch that asks for several groups.
const SEVERAL_GROUPS_FROM: i16 = 8;
/// First version of OffsetFetch that can insist on what no transaction may change.
const STABLE_FROM: i16 = 7;
/// The last versions that name topics.
const FETCH_BY_NAME_UNTIL: i16 = 9;
const COMMIT_BY_NAME_UNTIL: i16 = 9;

/// What a group has committed of a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// Of the next record to be read.
    pub offset: Offset,
    pub leader_epoch: LeaderEpoch,
    pub metadata: String,
}

impl Committed {
    pub fn at(offset: Offset) -> Self {
        Committed { offset, leader_epoch: LeaderEpoch::NONE, metadata: String::new() }
    }
}

/// In whose name offsets are committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committer {
    pub member_id: Str,
    /// -1 if the group has no members.
    pub generation: i32,
    pub group_instance_id: Option<Str>,
}

impl Committer {
    /// From outside of the group, which must have no members.
    pub fn outside() -> Self {
        Committer { member_id: Str::default(), generation: -1, group_instance_id: None }
    }
}

impl Client {
    /// What a group has committed, of some partitions or of all (`None`); those without a commit
    /// are left out. `is_stable` waits for transactions that may still change it.
    ///
    /// # Errors
    /// As [`Client::coordinator`]; `Broker`.
    pub async fn committed_offsets(
        &self,
        group: &str,
        partitions: Option<&[TopicPartition]>,
        is_stable: bool,
    ) -> Result<BTreeMap<TopicPartition, Committed>, ClientError> {
        let mut retry = self.retry(format!("offsets of group {group}"));
        loop {
            let answer = match self.coordinator(CoordinatorKind::Group, group).await {
                Ok(connection) => ask(&connection, group, partitions, is_stable).await,
                Err(error) => return Err(error),
            };
            let error = match answer.and_then(|answer| committed_of(group, &answer)) {
                Ok(committed) => return Ok(committed),
                Err(error) => error,
            };
            self.forget_coordinator(CoordinatorKind::Group, group);
            retry.again(error).await?;
        }
    }

    /// Commits offsets. What each partition answered is in the result.
    ///
    /// # Errors
    /// As [`Client::coordinator`]; of the partitions the first refusal.
    pub async fn commit_offsets(
        &self,
        group: &str,
        committer: &Committer,
        offsets: &BTreeMap<TopicPartition, Committed>,
    ) -> Result<(), ClientError> {
        let request = OffsetCommitRequest {
            group_id: group.into(),
            generation_id_or_member_epoch: committer.generation,
            member_id: committer.member_id.clone(),
            group_instance_id: committer.group_instance_id.clone(),
            topics: commit_topics(offsets),
            ..OffsetCommitRequest::default()
        };
        let mut retry = self.retry(format!("committing offsets of group {group}"));
        loop {
            let connection = self.coordinator(CoordinatorKind::Group, group).await?;
            let error = match commit(&connection, &request).await {
                Ok(()) => return Ok(()),
                // The member must join again first.
                Err(error) if error.code() == Some(ErrorCode::REBALANCE_IN_PROGRESS) => {
                    return Err(error);
                }
                Err(error) => error,
            };
            if error.code().is_none_or(is_elsewhere) {
                self.forget_coordinator(CoordinatorKind::Group, group);
            }
            retry.again(error).await?;
        }
    }
}

async fn ask(
    connection: &Connection,
    group: &str,
    partitions: Option<&[TopicPartition]>,
    is_stable: bool,
) -> Result<OffsetFetchResponse, ClientError> {
    let version = connection.version_of::<OffsetFetchRequest>()?.min(FETCH_BY_NAME_UNTIL);
    let by_topic = partitions.map(by_topic);
    let require_stable = is_stable && version >= STABLE_FROM;
    let request = if version >= SEVERAL_GROUPS_FROM {
        let topic = |(name, partition_indexes)| OffsetFetchRequestTopics {
            name,
            partition_indexes,
            ..Default::default()
        };
        let topics = by_topic.map(|topics| topics.into_iter().map(topic).collect());
        let group =
            OffsetFetchRequestGroup { group_id: group.into(), topics, ..Default::default() };
        OffsetFetchRequest { groups: vec![group], require_stable, ..Default::default() }
    } else {
        let topic = |(name, partition_indexes)| OffsetFetchRequestTopic {
            name,
            partition_indexes,
            ..Default::default()
        };
        let topics = by_topic.map(|topics| topics.into_iter().map(topic).collect());
        OffsetFetchRequest { group_id: group.into(), topics, require_stable, ..Default::default() }
    };
    connection.call_version(&request, version).await
}

fn by_topic(partitions: &[TopicPartition]) -> BTreeMap<Str, Vec<i32>> {
    let mut topics: BTreeMap<Str, Vec<i32>> = BTreeMap::new();
    for at in partitions {
        topics.entry(Str::from(&*at.topic)).or_default().push(at.partition.get());
    }
    topics
}

type Found = BTreeMap<TopicPartition, Committed>;

fn committed_of(group: &str, answer: &OffsetFetchResponse) -> Result<Found, ClientError> {
    let mut found = Found::new();
    let code = answer.groups.first().map_or(answer.error_code, |group| group.error_code);
    ClientError::check(format!("offsets of group {group}"), code, None)?;
    let mut add = |topic: &Str, partition: i32, code, offset, epoch, metadata: &Option<Str>| {
        let at = partition_at(topic, partition);
        ClientError::check(format!("offset of group {group} in {at}"), code, None)?;
        if offset >= 0 {
            let metadata = metadata.as_deref().unwrap_or_default().to_owned();
            let leader_epoch = LeaderEpoch(epoch);
            found.insert(at, Committed { offset: Offset(offset), leader_epoch, metadata });
        }
        Ok::<(), ClientError>(())
    };
    for topic in &answer.topics {
        for p in &topic.partitions {
            let (code, epoch) = (p.error_code, p.committed_leader_epoch);
            add(&topic.name, p.partition_index, code, p.committed_offset, epoch, &p.metadata)?;
        }
    }
    for topic in answer.groups.iter().flat_map(|group| &group.topics) {
        for p in &topic.partitions {
            let (code, epoch) = (p.error_code, p.committed_leader_epoch);
            add(&topic.name, p.partition_index, code, p.committed_offset, epoch, &p.metadata)?;
        }
    }
    Ok(found)
}

async fn commit(connection: &Connection, request: &OffsetCommitRequest) -> Result<(), ClientError> {
    let version = connection.version_of::<OffsetCommitRequest>()?.min(COMMIT_BY_NAME_UNTIL);
    let answer = connection.call_version(request, version).await?;
    for topic in &answer.topics {
        for partition in &topic.partitions {
            let at = partition_at(&topic.name, partition.partition_index);
            ClientError::check(format!("committing {at}"), partition.error_code, None)?;
        }
    }
    Ok(())
}

fn commit_topics(offsets: &BTreeMap<TopicPartition, Committed>) -> Vec<OffsetCommitRequestTopic> {
    let mut topics: BTreeMap<Str, Vec<OffsetCommitRequestPartition>> = BTreeMap::new();
    for (at, committed) in offsets {
        topics.entry(Str::from(&*at.topic)).or_default().push(OffsetCommitRequestPartition {
            partition_index: at.partition.get(),
            committed_offset: committed.offset.get(),
            committed_leader_epoch: committed.leader_epoch.get(),
            committed_metadata: Some(committed.metadata.as_str().into()),
            ..OffsetCommitRequestPartition::default()
        });
    }
    let topic =
        |(name, partitions)| OffsetCommitRequestTopic { name, partitions, ..Default::default() };
    topics.into_iter().map(topic).collect()
}
