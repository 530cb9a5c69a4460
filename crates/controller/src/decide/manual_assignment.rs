//! Whether replicas that a request names can hold a partition. Shared by CreateTopics,
//! CreatePartitions and AlterPartitionReassignments.

use highwater_types::BrokerId;
use highwater_wire::ErrorCode;

use crate::error::{ApiError, Outcome};
use crate::image::Image;

/// Not empty, all registered, none twice, as many as the partitions before.
pub fn check_replicas(replicas: &[BrokerId], factor: Option<usize>, image: &Image) -> Outcome {
    let refused = |why: String| Err(ApiError::new(ErrorCode::INVALID_REPLICA_ASSIGNMENT, why));
    if replicas.is_empty() {
        return refused("The assignment names no replica for a partition.".into());
    }
    let mut sorted = replicas.to_vec();
    sorted.sort_unstable();
    if let Some(unknown) = sorted.iter().find(|id| image.broker(**id).is_none()) {
        return refused(format!("The assignment names broker {unknown}, which is not registered."));
    }
    if let Some([twice, _]) = sorted.array_windows().find(|[a, b]| a == b) {
        return refused(format!("The assignment names broker {twice} more than once."));
    }
    match factor {
        Some(factor) if factor != replicas.len() => refused(format!(
            "The assignment gives a partition {} replica(s) where others have {factor}.",
            replicas.len()
        )),
        _ => Ok(()),
    }
}
