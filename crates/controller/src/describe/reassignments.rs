//! ListPartitionReassignments (46).

use highwater_types::PartitionIndex;
use highwater_wire::messages::list_partition_reassignments_request::ListPartitionReassignmentsRequest;
use highwater_wire::messages::list_partition_reassignments_response::{
    ListPartitionReassignmentsResponse, OngoingPartitionReassignment, OngoingTopicReassignment,
};

use crate::image::{Image, TopicImage, numbers};

/// Reassignments that run, of all topics or of those named. Unknown topics are passed over.
pub fn list_partition_reassignments(
    image: &Image,
    request: &ListPartitionReassignmentsRequest,
) -> ListPartitionReassignmentsResponse {
    let topics: Vec<OngoingTopicReassignment> = match &request.topics {
        None => {
            let all = image.topics.by_name();
            all.map(|topic| ongoing(topic, topic.partitions.keys().copied())).collect()
        }
        Some(named) => {
            let known = named.iter().filter_map(|named| Some((image.topic(&named.name)?, named)));
            let indexes = known.map(|(topic, named)| {
                ongoing(topic, named.partition_indexes.iter().copied().map(PartitionIndex))
            });
            indexes.collect()
        }
    };
    ListPartitionReassignmentsResponse {
        error_message: None,
        topics: topics.into_iter().filter(|topic| !topic.partitions.is_empty()).collect(),
        ..ListPartitionReassignmentsResponse::default()
    }
}

fn ongoing(
    topic: &TopicImage,
    indexes: impl Iterator<Item = PartitionIndex>,
) -> OngoingTopicReassignment {
    let partitions = indexes.filter_map(|index| {
        let partition = topic.partition(index).filter(|partition| partition.is_reassigning())?;
        Some(OngoingPartitionReassignment {
            partition_index: index.get(),
            replicas: numbers(&partition.replicas),
            adding_replicas: numbers(&partition.adding),
            removing_replicas: numbers(&partition.removing),
            ..OngoingPartitionReassignment::default()
        })
    });
    OngoingTopicReassignment {
        name: topic.name.clone(),
        partitions: partitions.collect(),
        ..OngoingTopicReassignment::default()
    }
}
