//! Joining a group: from "no member" to an assignment. Classic protocol, eager rebalancing.
//!
//! ```text
//! JoinGroup -> (the leader shares the partitions out) -> SyncGroup -> assignment
//!     ^ again with the id that was given, without one that was lost, or when interrupted
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use highwater_types::{PartitionIndex, TopicPartition};
use highwater_wire::messages::consumer_protocol_assignment;
use highwater_wire::messages::join_group_request::JoinGroupRequestProtocol;
use highwater_wire::messages::sync_group_request::SyncGroupRequestAssignment;
use highwater_wire::messages::{
    ConsumerProtocolAssignment, ConsumerProtocolSubscription, JoinGroupRequest, JoinGroupResponse,
    SyncGroupRequest,
};
use highwater_wire::{ErrorCode, Str, versioned};

use super::ConsumerOptions;
use super::assignor::{Member, assign_range};
use crate::{Client, ClientError, Committer, CoordinatorKind};

const PROTOCOL_TYPE: Str = Str::from_static("consumer");
const ASSIGNOR: Str = Str::from_static("range");
/// Understood by every client; later versions tell of what is owned, which `range` does not need.
const SUBSCRIPTION_VERSION: i16 = 0;
const ASSIGNMENT_VERSION: i16 = 0;

/// The coordinator answers a join when all members have come, or the time for it is over.
const ANSWER_GRACE: Duration = Duration::from_secs(10);

/// A member of a generation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Joined {
    pub(super) committer: Committer,
    pub(super) assignment: Vec<TopicPartition>,
    /// Of a leader: how many partitions each topic had when they were shared out.
    pub(super) counts: Option<BTreeMap<Arc<str>, usize>>,
}

pub(super) struct Joining {
    pub(super) client: Client,
    pub(super) options: Arc<ConsumerOptions>,
    pub(super) topics: Vec<Arc<str>>,
    pub(super) member_id: Str,
}

impl Joining {
    /// Joins, as often as it takes.
    ///
    /// # Errors
    /// `Broker` where it is hopeless (fenced, not authorized, protocols that do not fit), `GaveUp`.
    pub(super) async fn run(mut self) -> Result<Joined, ClientError> {
        let mut retry = self.client.retry("joining the group");
        loop {
            let error = match self.once().await {
                Ok(Some(joined)) => return Ok(joined),
                // Interrupted by others who join or leave: that is progress, not failure.
                Ok(None) => continue,
                Err(error) => error,
            };
            match error.code() {
                Some(ErrorCode::UNKNOWN_MEMBER_ID | ErrorCode::ILLEGAL_GENERATION) => {
                    self.member_id = Str::default();
                }
                _ => retry.again(error).await?,
            }
        }
    }

    async fn once(&mut self) -> Result<Option<Joined>, ClientError> {
        let group = self.options.group()?.clone();
        let answer = self.join(&group).await?;
        if ErrorCode(answer.error_code) == ErrorCode::MEMBER_ID_REQUIRED {
            self.member_id = answer.member_id.detached();
            return Ok(None);
        }
        if ErrorCode(answer.error_code) == ErrorCode::REBALANCE_IN_PROGRESS {
            return Ok(None);
        }
        ClientError::check(format!("joining group {group}"), answer.error_code, None)?;
        self.member_id = answer.member_id.detached();
        let is_leader = answer.leader == answer.member_id && !answer.skip_assignment;
        let (assignments, counts) = match is_leader {
            true => self.share_out(&answer).await?,
            false => (Vec::new(), None),
        };
        let committer = Committer {
            member_id: self.member_id.clone(),
            generation: answer.generation_id,
            group_instance_id: self.instance_id(),
        };
        let request = SyncGroupRequest {
            group_id: Str::from(&*group),
            generation_id: answer.generation_id,
            member_id: self.member_id.clone(),
            group_instance_id: self.instance_id(),
            protocol_type: Some(PROTOCOL_TYPE),
            protocol_name: Some(ASSIGNOR),
            assignments,
            ..SyncGroupRequest::default()
        };
        let kind = CoordinatorKind::Group;
        let wait = self.options.poll_interval_max + ANSWER_GRACE;
        let answer =
            self.client.call_coordinator_within(kind, &group, &request, wait, |a| a.error_code);
        let answer = answer.await?;
        if ErrorCode(answer.error_code) == ErrorCode::REBALANCE_IN_PROGRESS {
            return Ok(None);
        }
        ClientError::check(format!("syncing group {group}"), answer.error_code, None)?;
        let assignment = decode_assignment(answer.assignment)?;
        Ok(Some(Joined { committer, assignment, counts }))
    }

    fn instance_id(&self) -> Option<Str> {
        self.options.group_instance_id.as_deref().map(Str::from)
    }

    async fn join(&self, group: &str) -> Result<JoinGroupResponse, ClientError> {
        let subscription = ConsumerProtocolSubscription {
            topics: self.topics.iter().map(|topic| Str::from(&**topic)).collect(),
            ..ConsumerProtocolSubscription::default()
        };
        let metadata = versioned::encode(SUBSCRIPTION_VERSION, &subscription)
            .map_err(|error| ClientError::invalid(error.to_string()))?;
        let ms = |time: Duration| i32::try_from(time.as_millis()).unwrap_or(i32::MAX);
        let protocol = JoinGroupRequestProtocol { name: ASSIGNOR, metadata, ..Default::default() };
        let request = JoinGroupRequest {
            group_id: group.into(),
            session_timeout_ms: ms(self.options.session_timeout),
            rebalance_timeout_ms: ms(self.options.poll_interval_max),
            member_id: self.member_id.clone(),
            group_instance_id: self.instance_id(),
            protocol_type: PROTOCOL_TYPE,
            protocols: vec![protocol],
            ..JoinGroupRequest::default()
        };
        let wait = self.options.poll_interval_max + ANSWER_GRACE;
        let kind = CoordinatorKind::Group;
        self.client.call_coordinator_within(kind, group, &request, wait, |a| a.error_code).await
    }

    /// The leader's part.
    async fn share_out(
        &self,
        answer: &JoinGroupResponse,
    ) -> Result<(Vec<SyncGroupRequestAssignment>, Option<BTreeMap<Arc<str>, usize>>), ClientError>
    {
        let mut members = Vec::new();
        for member in &answer.members {
            let subscription: ConsumerProtocolSubscription =
                versioned::decode(member.metadata.clone()).map_err(|error| {
                    let id = &member.member_id;
                    ClientError::invalid(format!("member {id} says what we cannot read: {error}"))
                })?;
            members.push(Member {
                instance_id: member.group_instance_id.as_deref().map(str::to_owned),
                id: member.member_id.as_str().to_owned(),
                topics: subscription.topics.iter().map(|topic| topic.as_str().into()).collect(),
            });
        }
        let topics = members.iter().flat_map(|member| member.topics.iter().cloned()).collect();
        let counts = count_partitions(&self.client, topics).await?;
        let mut assignments = Vec::new();
        for (member_id, partitions) in assign_range(&members, &counts) {
            let assignment = encode_assignment(&partitions)?;
            let member_id = member_id.into();
            assignments.push(SyncGroupRequestAssignment {
                member_id,
                assignment,
                ..Default::default()
            });
        }
        Ok((assignments, Some(counts)))
    }
}

/// How many partitions topics have; those that are not there are left out.
///
/// # Errors
/// As [`Client::refresh`].
pub(super) async fn count_partitions(
    client: &Client,
    mut topics: Vec<Arc<str>>,
) -> Result<BTreeMap<Arc<str>, usize>, ClientError> {
    topics.sort();
    topics.dedup();
    let names: Vec<Str> = topics.iter().map(|topic| Str::from(&**topic)).collect();
    let mut retry = client.retry("asking for the group's topics");
    let answer = loop {
        match client.refresh(Some(&names)).await {
            Ok(answer) => break answer,
            Err(error) => retry.again(error).await?,
        }
    };
    let count = |topic: &highwater_wire::messages::metadata_response::MetadataResponseTopic| {
        let name: Arc<str> = topic.name.as_deref()?.into();
        (topic.error_code == 0).then_some((name, topic.partitions.len()))
    };
    Ok(answer.topics.iter().filter_map(count).collect())
}

fn encode_assignment(partitions: &[TopicPartition]) -> Result<bytes::Bytes, ClientError> {
    let mut topics: BTreeMap<Str, Vec<i32>> = BTreeMap::new();
    for at in partitions {
        topics.entry(Str::from(&*at.topic)).or_default().push(at.partition.get());
    }
    let topic = |(topic, partitions)| consumer_protocol_assignment::TopicPartition {
        topic,
        partitions,
        ..Default::default()
    };
    let assignment = ConsumerProtocolAssignment {
        assigned_partitions: topics.into_iter().map(topic).collect(),
        ..ConsumerProtocolAssignment::default()
    };
    versioned::encode(ASSIGNMENT_VERSION, &assignment)
        .map_err(|error| ClientError::invalid(error.to_string()))
}

fn decode_assignment(bytes: bytes::Bytes) -> Result<Vec<TopicPartition>, ClientError> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    let assignment: ConsumerProtocolAssignment = versioned::decode(bytes)
        .map_err(|error| ClientError::invalid(format!("the assignment is unreadable: {error}")))?;
    let mut partitions = Vec::new();
    for topic in &assignment.assigned_partitions {
        let name: Arc<str> = topic.topic.as_str().into();
        partitions.extend(topic.partitions.iter().map(|partition| TopicPartition {
            topic: name.clone(),
            partition: PartitionIndex(*partition),
        }));
    }
    Ok(partitions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_survive_the_wire() {
        let at = |topic: &str, partition| TopicPartition {
            topic: topic.into(),
            partition: PartitionIndex(partition),
        };
        let partitions = vec![at("a", 0), at("a", 3), at("b", 1)];
        let bytes = encode_assignment(&partitions).unwrap();
        assert_eq!(decode_assignment(bytes).unwrap(), partitions);
        assert_eq!(decode_assignment(bytes::Bytes::new()).unwrap(), []);
    }
}
