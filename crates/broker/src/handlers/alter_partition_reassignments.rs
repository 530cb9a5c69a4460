//! AlterPartitionReassignments: moves partitions between brokers.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::{ControllerReply, ControllerRequest};
use highwater_wire::messages::{
    AlterPartitionReassignmentsRequest, AlterPartitionReassignmentsResponse,
};
use highwater_wire::{ErrorCode, Str};

use super::{Answer, Api, Call, controller_call};
use crate::Broker;

pub struct AlterPartitionReassignments;

impl Api for AlterPartitionReassignments {
    type Request = AlterPartitionReassignmentsRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=1;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: AlterPartitionReassignmentsRequest,
    ) -> Answer<AlterPartitionReassignmentsResponse> {
        let copy = request.clone();
        let asked =
            broker.controller.request(ControllerRequest::AlterPartitionReassignments(request));
        Answer::later(async move {
            match asked.await {
                ControllerReply::AlterPartitionReassignments(response) => response,
                ControllerReply::Refused(code, message) => refuse(&copy, code, message),
                other => controller_call::mismatched(&other),
            }
        })
    }
}

/// Nothing was done: every item says why.
fn refuse(
    _: &AlterPartitionReassignmentsRequest,
    code: ErrorCode,
    message: Option<Str>,
) -> AlterPartitionReassignmentsResponse {
    AlterPartitionReassignmentsResponse {
        error_code: code.0,
        error_message: message,
        ..AlterPartitionReassignmentsResponse::default()
    }
}
