//! DescribeQuorum (55): who votes on the metadata log, and how far each has read it.

use highwater_types::{BrokerId, LeaderEpoch, Offset, Timestamp, Uuid};
use highwater_wire::messages::describe_quorum_request::DescribeQuorumRequest;
use highwater_wire::messages::describe_quorum_response::{
    DescribeQuorumResponse, Listener, Node, PartitionData, ReplicaState, TopicData,
};
use highwater_wire::{ErrorCode, Str};

use crate::error::{ApiError, parts};
use crate::image::Endpoint;
use crate::topic_name::CLUSTER_METADATA;

/// One member of the quorum, or a reader without a vote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QuorumReplica {
    pub id: BrokerId,
    pub directory: Uuid,
    pub log_end: Offset,
    /// [`Timestamp::NONE`] where it is not known; the leader gives the present.
    pub last_fetch: Timestamp,
    pub last_caught_up: Timestamp,
    /// Listeners for other controllers; empty for one without a vote.
    pub endpoints: Vec<Endpoint>,
}

/// The quorum as its leader sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quorum {
    pub leader: BrokerId,
    pub epoch: LeaderEpoch,
    pub high_watermark: Offset,
    pub voters: Vec<QuorumReplica>,
    pub observers: Vec<QuorumReplica>,
}

/// Only partition 0 of the metadata topic has a quorum.
pub fn describe_quorum(quorum: &Quorum, request: &DescribeQuorumRequest) -> DescribeQuorumResponse {
    let mut found = false;
    let topics = request.topics.iter().map(|topic| {
        let partitions = topic.partitions.iter().map(|partition| {
            let index = partition.partition_index;
            let is_metadata = &*topic.topic_name == CLUSTER_METADATA && index == 0;
            found |= is_metadata;
            if is_metadata { described(quorum) } else { unknown(index) }
        });
        let (topic_name, partitions) = (topic.topic_name.clone(), partitions.collect());
        TopicData { topic_name, partitions, ..TopicData::default() }
    });
    let topics = topics.collect();
    let nodes = if found { quorum.voters.iter().map(node).collect() } else { Vec::new() };
    DescribeQuorumResponse { topics, nodes, ..DescribeQuorumResponse::default() }
}

fn described(quorum: &Quorum) -> PartitionData {
    PartitionData {
        leader_id: quorum.leader.get(),
        leader_epoch: quorum.epoch.get(),
        high_watermark: quorum.high_watermark.get(),
        current_voters: quorum.voters.iter().map(replica).collect(),
        observers: quorum.observers.iter().map(replica).collect(),
        ..PartitionData::default()
    }
}

fn unknown(partition_index: i32) -> PartitionData {
    let refused = Err(ApiError::general(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION));
    let (error_code, error_message) = parts::<()>(&refused);
    PartitionData { partition_index, error_code, error_message, ..PartitionData::default() }
}

fn replica(of: &QuorumReplica) -> ReplicaState {
    ReplicaState {
        replica_id: of.id.get(),
        replica_directory_id: of.directory,
        log_end_offset: of.log_end.get(),
        last_fetch_timestamp: of.last_fetch.get(),
        last_caught_up_timestamp: of.last_caught_up.get(),
        ..ReplicaState::default()
    }
}

fn node(of: &QuorumReplica) -> Node {
    let listeners = of.endpoints.iter().map(|endpoint| Listener {
        name: Str::clone(&endpoint.name),
        host: Str::clone(&endpoint.host),
        port: endpoint.port,
        ..Listener::default()
    });
    Node { node_id: of.id.get(), listeners: listeners.collect(), ..Node::default() }
}
