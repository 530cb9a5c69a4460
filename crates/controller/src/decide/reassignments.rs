//! AlterPartitionReassignments (45): moves replicas, or calls the move off.

use highwater_types::{BrokerId, PartitionIndex};
use highwater_wire::ErrorCode;
use highwater_wire::messages::alter_partition_reassignments_request::{
    AlterPartitionReassignmentsRequest, ReassignablePartition,
};
use highwater_wire::messages::alter_partition_reassignments_response::{
    AlterPartitionReassignmentsResponse, ReassignablePartitionResponse, ReassignableTopicResponse,
};
use highwater_wire::metadata_frame::MetadataRecord;

use super::manual_assignment::check_replicas;
use super::{ControllerCx, Decided, change_partition};
use crate::draft::Draft;
use crate::error::{ApiError, Outcome, parts};
use crate::image::Image;
use crate::image::{PartitionImage, brokers};
use crate::partition_change::{Election, PartitionChange};
use crate::settings;

pub fn decide_alter_partition_reassignments(
    image: &Image,
    request: &AlterPartitionReassignmentsRequest,
    cx: &ControllerCx<'_>,
) -> Decided<AlterPartitionReassignmentsResponse> {
    let mut draft = Draft::new(image);
    let mut responses = Vec::new();
    let may_resize = request.allow_replication_factor_change;
    for topic in &request.topics {
        let mut partitions = Vec::new();
        for partition in &topic.partitions {
            let record = reassign(&draft.image, &topic.name, partition, may_resize, cx);
            let outcome = record.map(|record| draft.extend(record));
            let (error_code, error_message) = parts(&outcome);
            partitions.push(ReassignablePartitionResponse {
                partition_index: partition.partition_index,
                error_code,
                error_message,
                ..ReassignablePartitionResponse::default()
            });
        }
        responses.push(ReassignableTopicResponse {
            name: topic.name.clone(),
            partitions,
            ..ReassignableTopicResponse::default()
        });
    }
    Decided {
        records: draft.records,
        reply: AlterPartitionReassignmentsResponse {
            allow_replication_factor_change: may_resize,
            error_message: None,
            responses,
            ..AlterPartitionReassignmentsResponse::default()
        },
    }
}

fn reassign(
    image: &Image,
    name: &str,
    wanted: &ReassignablePartition,
    may_resize: bool,
    cx: &ControllerCx<'_>,
) -> Outcome<Option<MetadataRecord>> {
    let unknown = |what: String| Err(ApiError::new(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION, what));
    let index = PartitionIndex(wanted.partition_index);
    let Some(topic) = image.topic(name) else {
        return unknown(format!("There is no topic {name}."));
    };
    let Some(partition) = topic.partition(index) else {
        return unknown(format!("There is no partition {name}-{index}."));
    };
    let unclean = settings::unclean_election(cx.view, image, name);
    let target = match &wanted.replicas {
        None => Target::cancel(partition, unclean)?,
        Some(replicas) => Target::of(partition, &brokers(replicas), may_resize, image)?,
    };
    let alive = |id: BrokerId| image.brokers.is_active(id);
    let election = if target.cancels && unclean { Election::Unclean } else { Election::Online };
    Ok(change_partition(image, cx.view, topic, index, &alive, |change| {
        target.apply(change).election(election)
    }))
}

/// What a partition's assignment is to become.
struct Target {
    replicas: Vec<BrokerId>,
    adding: Vec<BrokerId>,
    removing: Vec<BrokerId>,
    isr: Vec<BrokerId>,
    cancels: bool,
}

impl Target {
    /// While replicas are added, the leaving ones stay: both are in the list until the end.
    fn of(
        partition: &PartitionImage,
        wanted: &[BrokerId],
        may_resize: bool,
        image: &Image,
    ) -> Outcome<Target> {
        check_replicas(wanted, None, image)?;
        let before = settled_replicas(partition);
        if !may_resize && wanted.len() != before.len() {
            let why = format!(
                "The partition has {} replica(s), the assignment gives it {}.",
                before.len(),
                wanted.len()
            );
            return Err(ApiError::new(ErrorCode::INVALID_REPLICATION_FACTOR, why));
        }
        let without = |ids: &[BrokerId], those: &[BrokerId]| {
            let mut left: Vec<_> = ids.iter().filter(|id| !those.contains(id)).copied().collect();
            left.sort_unstable();
            left
        };
        let removing = without(&partition.replicas, wanted);
        let adding = without(wanted, &partition.replicas);
        Ok(Target {
            replicas: [wanted, &removing].concat(),
            adding,
            removing,
            isr: partition.isr.clone(),
            cancels: false,
        })
    }

    fn cancel(partition: &PartitionImage, unclean: bool) -> Outcome<Target> {
        if !partition.is_reassigning() {
            return Err(ApiError::bare(ErrorCode::NO_REASSIGNMENT_IN_PROGRESS));
        }
        let stays = |id: &&BrokerId| !partition.adding.contains(id);
        let replicas = settled_replicas(partition);
        let mut isr: Vec<BrokerId> = partition.isr.iter().filter(stays).copied().collect();
        if isr.is_empty() {
            if !unclean {
                let why = "Calling the reassignment off would need an unclean election: only \
                           replicas that it added are in sync.";
                return Err(ApiError::new(ErrorCode::INVALID_REPLICA_ASSIGNMENT, why));
            }
            isr.extend(replicas.first());
        }
        let (adding, removing) = (Vec::new(), Vec::new());
        Ok(Target { replicas, adding, removing, isr, cancels: true })
    }

    fn apply<'a>(&self, change: PartitionChange<'a>) -> PartitionChange<'a> {
        let (replicas, adding) = (self.replicas.clone(), self.adding.clone());
        change.assignment(replicas, adding, self.removing.clone()).isr(self.isr.clone())
    }
}

/// The replicas apart from those that a running reassignment adds.
fn settled_replicas(partition: &PartitionImage) -> Vec<BrokerId> {
    partition.replicas.iter().filter(|id| !partition.adding.contains(id)).copied().collect()
}
