//! LeaveGroup: members leave, several at once from version 3 on.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_group::{Reply, Request};
use highwater_wire::messages::{LeaveGroupRequest, LeaveGroupResponse};

use super::{Answer, Api, Call, group_call};
use crate::Broker;

pub struct LeaveGroup;

impl Api for LeaveGroup {
    type Request = LeaveGroupRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=5;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: LeaveGroupRequest,
    ) -> Answer<LeaveGroupResponse> {
        let group = request.group_id.clone();
        let asked =
            group_call::ask(broker, &group, Request::LeaveGroup(group_call::of(&call, request)));
        Answer::later(async move {
            match asked.await {
                Reply::LeaveGroup(response) => response,
                other => group_call::mismatched(&other),
            }
        })
    }
}
