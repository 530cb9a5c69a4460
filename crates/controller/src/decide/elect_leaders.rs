//! ElectLeaders (43): moves leadership to the first replica, or to any that lives.

use highwater_types::{BrokerId, PartitionIndex};
use highwater_wire::messages::elect_leaders_request::ElectLeadersRequest;
use highwater_wire::messages::elect_leaders_response::{
    ElectLeadersResponse, PartitionResult, ReplicaElectionResult,
};
use highwater_wire::metadata_frame::MetadataRecord;
use highwater_wire::{ErrorCode, Str};

use super::{ControllerCx, Decided, change_partition};
use crate::draft::Draft;
use crate::error::{ApiError, Outcome, parts};
use crate::image::Image;
use crate::partition_change::Election;

pub fn decide_elect_leaders(
    image: &Image,
    request: &ElectLeadersRequest,
    cx: &ControllerCx<'_>,
) -> Decided<ElectLeadersResponse> {
    let election = match request.election_type {
        0 => Election::Preferred,
        1 => Election::Unclean,
        other => return Decided::nothing(unknown_election(request, other)),
    };
    let mut draft = Draft::new(image);
    let mut results = Vec::new();
    let all = request.topic_partitions.is_none();
    for (topic, partitions) in named(image, request) {
        let mut partition_result = Vec::new();
        for index in partitions {
            let elected = elect(&draft.image, &topic, PartitionIndex(index), election, cx);
            let outcome = elected.map(|record| draft.push(record));
            // Asked for all, only those are listed where there was something to do.
            let idle = |e: &ApiError| e.code == ErrorCode::ELECTION_NOT_NEEDED;
            if !(all && outcome.as_ref().is_err_and(idle)) {
                partition_result.push(result(index, &outcome));
            }
        }
        results.push(ReplicaElectionResult {
            topic,
            partition_result,
            ..ReplicaElectionResult::default()
        });
    }
    let replica_election_results = results;
    let reply =
        ElectLeadersResponse { replica_election_results, ..ElectLeadersResponse::default() };
    Decided { records: draft.records, reply }
}

fn named(image: &Image, request: &ElectLeadersRequest) -> Vec<(Str, Vec<i32>)> {
    match &request.topic_partitions {
        Some(topics) => topics.iter().map(|t| (t.topic.clone(), t.partitions.clone())).collect(),
        None => {
            let topics = image.topics.by_name();
            let indexes =
                |t: &crate::image::TopicImage| t.partitions.keys().map(|i| i.get()).collect();
            topics.map(|topic| (topic.name.clone(), indexes(topic))).collect()
        }
    }
}

fn result(partition_id: i32, outcome: &Outcome) -> PartitionResult {
    let (error_code, error_message) = parts(outcome);
    PartitionResult { partition_id, error_code, error_message, ..PartitionResult::default() }
}

fn unknown_election(request: &ElectLeadersRequest, given: i8) -> ElectLeadersResponse {
    let why = format!("There is no election type {given}; 0 is preferred, 1 is unclean.");
    let refused = Err(ApiError::new(ErrorCode::INVALID_REQUEST, why));
    let topics = request.topic_partitions.iter().flatten();
    let results = topics.map(|topic| ReplicaElectionResult {
        topic: topic.topic.clone(),
        partition_result: topic.partitions.iter().map(|index| result(*index, &refused)).collect(),
        ..ReplicaElectionResult::default()
    });
    ElectLeadersResponse {
        error_code: ErrorCode::INVALID_REQUEST.0,
        replica_election_results: results.collect(),
        ..ElectLeadersResponse::default()
    }
}

fn elect(
    image: &Image,
    name: &str,
    index: PartitionIndex,
    election: Election,
    cx: &ControllerCx<'_>,
) -> Outcome<MetadataRecord> {
    let unknown = |what: String| Err(ApiError::new(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION, what));
    let Some(topic) = image.topic(name) else {
        return unknown(format!("There is no topic {name}."));
    };
    let Some(partition) = topic.partition(index) else {
        return unknown(format!("There is no partition {name}-{index}."));
    };
    let needed = match election {
        Election::Preferred => partition.leader != partition.preferred_leader(),
        _ => !partition.has_leader(),
    };
    if !needed {
        return Err(ApiError::general(ErrorCode::ELECTION_NOT_NEEDED));
    }
    let alive = |id: BrokerId| image.brokers.is_active(id);
    let change =
        change_partition(image, cx.view, topic, index, &alive, |change| change.election(election));
    change.ok_or_else(|| {
        ApiError::general(match election {
            Election::Preferred => ErrorCode::PREFERRED_LEADER_NOT_AVAILABLE,
            _ => ErrorCode::ELIGIBLE_LEADERS_NOT_AVAILABLE,
        })
    })
}
