//! CreatePartitions (37).

use std::collections::BTreeSet;

use highwater_types::PartitionIndex;
use highwater_wire::ErrorCode;
use highwater_wire::messages::create_partitions_request::{
    CreatePartitionsRequest, CreatePartitionsTopic,
};
use highwater_wire::messages::create_partitions_response::{
    CreatePartitionsResponse, CreatePartitionsTopicResult,
};
use highwater_wire::metadata_frame::MetadataRecord;

use super::manual_assignment::check_replicas;
use super::{ControllerCx, Decided, new_partition, usable_brokers};
use crate::error::{ApiError, Outcome, parts};
use crate::image::{Image, PartitionImage, TopicImage, brokers};
use crate::limits::PARTITIONS_PER_REQUEST_MAX;
use crate::placement::place;

pub fn decide_create_partitions(
    image: &Image,
    request: &CreatePartitionsRequest,
    cx: &mut ControllerCx<'_>,
) -> Decided<CreatePartitionsResponse> {
    let mut once = BTreeSet::new();
    let again = request.topics.iter().filter(|topic| !once.insert(&topic.name));
    let twice: BTreeSet<_> = again.map(|topic| topic.name.clone()).collect();
    let too_many = check_total(image, request).err();

    let mut records = Vec::new();
    let mut results = Vec::new();
    let mut answered = BTreeSet::new();
    for topic in request.topics.iter().filter(|topic| answered.insert(&topic.name)) {
        let outcome = if twice.contains(&topic.name) {
            let why = "The topic is named more than once in this request.";
            Err(ApiError::new(ErrorCode::INVALID_REQUEST, why))
        } else if let Some(error) = &too_many {
            Err(error.clone())
        } else {
            add(image, topic, cx)
        };
        let (error_code, error_message) = parts(&outcome);
        records.extend(outcome.into_iter().flatten());
        results.push(CreatePartitionsTopicResult {
            name: topic.name.clone(),
            error_code,
            error_message,
            ..CreatePartitionsTopicResult::default()
        });
    }
    if request.validate_only {
        records.clear();
    }
    let reply = CreatePartitionsResponse { results, ..CreatePartitionsResponse::default() };
    Decided { records, reply }
}

fn check_total(image: &Image, request: &CreatePartitionsRequest) -> Outcome {
    let added = request.topics.iter().filter_map(|topic| {
        let now = image.topic(&topic.name)?.partitions.len() as i64;
        Some((i64::from(topic.count) - now).max(0))
    });
    let total: i64 = added.sum();
    if total > PARTITIONS_PER_REQUEST_MAX {
        let why = format!(
            "{total} more partitions are too many for one request; \
             at most {PARTITIONS_PER_REQUEST_MAX} can be added at a time."
        );
        return Err(ApiError::new(ErrorCode::POLICY_VIOLATION, why));
    }
    Ok(())
}

fn add(
    image: &Image,
    request: &CreatePartitionsTopic,
    cx: &mut ControllerCx<'_>,
) -> Outcome<Vec<MetadataRecord>> {
    let Some(topic) = image.topic(&request.name) else {
        return Err(ApiError::bare(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION));
    };
    let now = topic.partitions.len() as i32;
    check_count(topic, now, request.count)?;
    let additional = (request.count - now) as usize;
    let partitions = match &request.assignments {
        None => placed(image, topic, additional, cx)?,
        Some(assignments) if assignments.len() != additional => {
            let why = format!(
                "{additional} partition(s) are to be added, but {} assignment(s) are given.",
                assignments.len()
            );
            return Err(ApiError::new(ErrorCode::INVALID_REPLICA_ASSIGNMENT, why));
        }
        Some(assignments) => {
            let assignments = assignments.iter().map(|assignment| brokers(&assignment.broker_ids));
            let factor = Some(topic.replication_factor());
            let assigned = (now..).zip(assignments).map(|(index, replicas)| {
                check_replicas(&replicas, factor, image)?;
                new_partition(image, &replicas).ok_or_else(|| {
                    let why = format!(
                        "All brokers assigned to partition {index} are fenced or shutting down."
                    );
                    ApiError::new(ErrorCode::INVALID_REPLICA_ASSIGNMENT, why)
                })
            });
            assigned.collect::<Outcome<Vec<_>>>()?
        }
    };
    let records = (now..).zip(&partitions).map(|(index, partition)| {
        MetadataRecord::Partition(partition.to_record(topic.id, PartitionIndex(index)))
    });
    Ok(records.collect())
}

fn check_count(topic: &TopicImage, now: i32, wanted: i32) -> Outcome {
    let why = match wanted.cmp(&now) {
        std::cmp::Ordering::Greater => return Ok(()),
        std::cmp::Ordering::Equal => {
            format!("Topic '{}' has {now} partition(s) already.", topic.name)
        }
        std::cmp::Ordering::Less => format!(
            "Topic '{}' has {now} partition(s); {wanted} would be fewer, and partitions cannot be \
             taken away.",
            topic.name
        ),
    };
    Err(ApiError::new(ErrorCode::INVALID_PARTITIONS, why))
}

fn placed(
    image: &Image,
    topic: &TopicImage,
    additional: usize,
    cx: &mut ControllerCx<'_>,
) -> Outcome<Vec<PartitionImage>> {
    let factor = topic.replication_factor();
    let placements = place(additional, factor, &usable_brokers(image), cx.entropy)?;
    let partitions = placements.iter().map(|replicas| new_partition(image, replicas));
    partitions.collect::<Option<Vec<_>>>().ok_or_else(|| {
        let why = "All brokers are fenced or shutting down.";
        ApiError::new(ErrorCode::INVALID_REPLICATION_FACTOR, why)
    })
}
