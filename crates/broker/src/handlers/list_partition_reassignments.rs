//! ListPartitionReassignments: moves of partitions that are under way.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::describe;
use highwater_wire::messages::{
    ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse,
};

use super::{Answer, Api, Call};
use crate::Broker;

pub struct ListPartitionReassignments;

impl Api for ListPartitionReassignments {
    type Request = ListPartitionReassignmentsRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=0;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: ListPartitionReassignmentsRequest,
    ) -> Answer<ListPartitionReassignmentsResponse> {
        let image = broker.image.load();
        Answer::Now(describe::list_partition_reassignments(&image, &request))
    }
}
