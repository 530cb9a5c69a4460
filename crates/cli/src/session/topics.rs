//! What topics there are, as metadata tells it.

use std::collections::BTreeMap;

use highwater_client::ClientError;
use highwater_types::Uuid;
use highwater_wire::messages::metadata_response::{
    MetadataResponsePartition, MetadataResponseTopic,
};
use highwater_wire::{ErrorCode, Str};

use super::{Place, Session};
use crate::failure::{Failure, Outcome};

#[derive(Debug, Clone, PartialEq)]
pub struct TopicInfo {
    pub name: String,
    /// Zero from brokers that are too old to tell.
    pub id: Uuid,
    pub is_internal: bool,
    /// Rising by index.
    pub partitions: Vec<PartitionInfo>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionInfo {
    pub index: i32,
    /// -1 without a leader.
    pub leader: i32,
    pub leader_epoch: i32,
    pub replicas: Vec<i32>,
    pub isr: Vec<i32>,
}

impl TopicInfo {
    fn new(topic: &MetadataResponseTopic) -> TopicInfo {
        let mut partitions: Vec<_> = topic.partitions.iter().map(PartitionInfo::new).collect();
        partitions.sort_by_key(|partition| partition.index);
        TopicInfo {
            name: topic.name.as_deref().unwrap_or_default().to_owned(),
            id: topic.topic_id,
            is_internal: topic.is_internal,
            partitions,
        }
    }

    pub fn places(&self) -> impl Iterator<Item = Place> + '_ {
        self.partitions.iter().map(|partition| (self.name.clone(), partition.index))
    }

    /// Without the partitions that nobody leads now.
    #[must_use]
    pub fn led(mut self) -> TopicInfo {
        self.partitions.retain(|partition| partition.leader >= 0);
        self
    }
}

impl PartitionInfo {
    fn new(partition: &MetadataResponsePartition) -> PartitionInfo {
        PartitionInfo {
            index: partition.partition_index,
            leader: partition.leader_id,
            leader_epoch: partition.leader_epoch,
            replicas: partition.replica_nodes.clone(),
            isr: partition.isr_nodes.clone(),
        }
    }
}

impl Session {
    /// All topics, by name.
    pub async fn all_topics(&self) -> Outcome<BTreeMap<String, TopicInfo>> {
        Ok(by_name(&self.client.refresh(None).await?.topics))
    }

    /// Those topics that exist of the names.
    pub async fn known_topics(&self, names: &[&str]) -> Outcome<BTreeMap<String, TopicInfo>> {
        let names: Vec<Str> = names.iter().map(|name| Str::from(*name)).collect();
        Ok(by_name(&self.client.refresh(Some(&names)).await?.topics))
    }

    /// One topic that must exist; its partitions may lack leaders.
    pub async fn topic(&self, name: &str) -> Outcome<TopicInfo> {
        let found = self
            .patiently(|| async move {
                let answer = self.client.refresh(Some(&[name.into()])).await?;
                let topic = answer.topics.into_iter().next().unwrap_or_default();
                let code = ErrorCode(topic.error_code);
                if code == ErrorCode::UNKNOWN_TOPIC_OR_PARTITION {
                    return Ok(None);
                }
                ClientError::check(format!("topic {name}"), code.0, None)?;
                Ok(Some(TopicInfo::new(&topic)))
            })
            .await?;
        match found {
            Some(topic) => Ok(topic),
            None => Err(self.unknown_topic(name).await),
        }
    }

    /// With the name that was probably meant.
    async fn unknown_topic(&self, name: &str) -> Failure {
        let topics = self.all_topics().await.unwrap_or_default();
        let alike = topics.keys().find(|other| other.eq_ignore_ascii_case(name));
        let advice = match alike {
            Some(other) => format!("did you mean {other}?"),
            None => format!("`highwater topic create {name}` makes it"),
        };
        Failure::new(format!("there is no topic {name}; {advice}"))
    }
}

fn by_name(topics: &[MetadataResponseTopic]) -> BTreeMap<String, TopicInfo> {
    let exists = |topic: &&MetadataResponseTopic| {
        let code = ErrorCode(topic.error_code);
        code != ErrorCode::UNKNOWN_TOPIC_OR_PARTITION && code != ErrorCode::INVALID_TOPIC_EXCEPTION
    };
    let topics = topics.iter().filter(exists).map(TopicInfo::new);
    topics.map(|topic| (topic.name.clone(), topic)).collect()
}
