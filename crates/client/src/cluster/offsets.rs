//! Looking up offsets by time, at whoever leads each partition.

use std::collections::BTreeMap;

use highwater_types::{BrokerId, LeaderEpoch, Offset, PartitionIndex, Timestamp, TopicPartition};
use highwater_wire::messages::ListOffsetsRequest;
use highwater_wire::messages::list_offsets_request::{ListOffsetsPartition, ListOffsetsTopic};
use highwater_wire::messages::list_offsets_response::ListOffsetsPartitionResponse;
use highwater_wire::{ErrorCode, Str};

use super::Client;
use crate::ClientError;

/// Which offset is wanted. The numbers are Kafka's special timestamps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OffsetQuery {
    Earliest,
    /// One past the last record that can be read.
    Latest,
    /// Of the record with the largest timestamp.
    MaxTimestamp,
    /// Of the first record at or after this time.
    Timestamp(Timestamp),
}

impl OffsetQuery {
    fn timestamp(self) -> i64 {
        match self {
            OffsetQuery::Latest => -1,
            OffsetQuery::Earliest => -2,
            OffsetQuery::MaxTimestamp => -3,
            OffsetQuery::Timestamp(at) => at.get(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedOffset {
    /// `None` if no record fits.
    pub offset: Option<Offset>,
    /// Of the record found; `None` if none was asked for by time.
    pub timestamp: Option<Timestamp>,
    pub leader_epoch: LeaderEpoch,
}

type Wanted = BTreeMap<TopicPartition, OffsetQuery>;
type Found = BTreeMap<TopicPartition, Result<ListedOffset, ClientError>>;

impl Client {
    /// Looks up one offset for each partition. Partitions fail one by one; what may pass is tried
    /// again.
    pub async fn list_offsets(&self, wanted: &Wanted, read_committed: bool) -> Found {
        let mut found = Found::new();
        let mut left = wanted.clone();
        let mut retry = self.retry("looking up offsets");
        loop {
            for (partition, result) in self.list_offsets_once(&left, read_committed).await {
                if matches!(&result, Err(error) if is_stale(error)) {
                    self.forget_topic(&partition.topic);
                }
                if !matches!(&result, Err(error) if error.is_retriable()) {
                    left.remove(&partition);
                }
                found.insert(partition, result);
            }
            let passing = left.keys().find_map(|partition| found.get(partition)?.as_ref().err());
            let Some(error) = passing.cloned() else { return found };
            if retry.again(error).await.is_err() {
                return found;
            }
        }
    }

    async fn list_offsets_once(&self, wanted: &Wanted, read_committed: bool) -> Found {
        let mut found = Found::new();
        let mut by_leader: BTreeMap<BrokerId, Wanted> = BTreeMap::new();
        for (partition, query) in wanted {
            match self.leader(&partition.topic, partition.partition).await {
                Ok(leader) => {
                    by_leader.entry(leader.id).or_default().insert(partition.clone(), *query);
                }
                Err(error) => {
                    found.insert(partition.clone(), Err(error));
                }
            }
        }
        for (leader, wanted) in by_leader {
            match self.ask_offsets(leader, &wanted, read_committed).await {
                Ok(answers) => found.extend(answers),
                Err(error) => {
                    found.extend(wanted.into_keys().map(|p| (p, Err(error.clone()))));
                }
            }
        }
        found
    }

    async fn ask_offsets(
        &self,
        leader: BrokerId,
        wanted: &Wanted,
        read_committed: bool,
    ) -> Result<Found, ClientError> {
        let request = ListOffsetsRequest {
            replica_id: -1,
            isolation_level: read_committed.into(),
            topics: topics_of(wanted),
            ..ListOffsetsRequest::default()
        };
        let answer = self.broker(leader).await?.call(&request).await?;
        let mut found = Found::new();
        for topic in &answer.topics {
            for partition in &topic.partitions {
                let at = partition_at(&topic.name, partition.partition_index);
                let result = listed(&at, partition);
                found.insert(at, result);
            }
        }
        for at in wanted.keys().filter(|at| !found.contains_key(at)).cloned().collect::<Vec<_>>() {
            let error = ClientError::invalid(format!("the answer does not mention {at}"));
            found.insert(at, Err(error));
        }
        Ok(found)
    }
}

fn topics_of(wanted: &Wanted) -> Vec<ListOffsetsTopic> {
    let mut topics: BTreeMap<Str, Vec<ListOffsetsPartition>> = BTreeMap::new();
    for (at, query) in wanted {
        topics.entry(Str::from(&*at.topic)).or_default().push(ListOffsetsPartition {
            partition_index: at.partition.get(),
            current_leader_epoch: -1,
            timestamp: query.timestamp(),
            ..ListOffsetsPartition::default()
        });
    }
    let topic = |(name, partitions)| ListOffsetsTopic { name, partitions, ..Default::default() };
    topics.into_iter().map(topic).collect()
}

fn listed(
    at: &TopicPartition,
    partition: &ListOffsetsPartitionResponse,
) -> Result<ListedOffset, ClientError> {
    ClientError::check(format!("offset of {at}"), partition.error_code, None)?;
    Ok(ListedOffset {
        offset: (partition.offset >= 0).then_some(Offset(partition.offset)),
        timestamp: (partition.timestamp >= 0).then_some(Timestamp(partition.timestamp)),
        leader_epoch: LeaderEpoch(partition.leader_epoch),
    })
}

/// A partition that an answer names.
pub(crate) fn partition_at(topic: &str, partition: i32) -> TopicPartition {
    TopicPartition { topic: topic.into(), partition: PartitionIndex(partition) }
}

/// What is known of the leader is wrong.
pub(crate) fn is_stale(error: &ClientError) -> bool {
    match error {
        ClientError::Connect { .. } | ClientError::Closed { .. } | ClientError::TimedOut { .. } => {
            true
        }
        ClientError::Broker { code, .. } => is_stale_code(*code),
        _ => false,
    }
}

pub(crate) fn is_stale_code(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::NOT_LEADER_OR_FOLLOWER
            | ErrorCode::LEADER_NOT_AVAILABLE
            | ErrorCode::UNKNOWN_TOPIC_OR_PARTITION
            | ErrorCode::UNKNOWN_TOPIC_ID
            | ErrorCode::INCONSISTENT_TOPIC_ID
            | ErrorCode::FENCED_LEADER_EPOCH
            | ErrorCode::UNKNOWN_LEADER_EPOCH
            | ErrorCode::REPLICA_NOT_AVAILABLE
            | ErrorCode::KAFKA_STORAGE_ERROR
            | ErrorCode::BROKER_NOT_AVAILABLE
    )
}
