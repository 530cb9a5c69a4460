//! JoinGroup: a member joins; answered when the rebalance has gathered everyone.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_group::{Reply, Request};
use highwater_wire::messages::{JoinGroupRequest, JoinGroupResponse};

use super::{Answer, Api, Call, group_call};
use crate::Broker;

pub struct JoinGroup;

impl Api for JoinGroup {
    type Request = JoinGroupRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=9;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: JoinGroupRequest,
    ) -> Answer<JoinGroupResponse> {
        let group = request.group_id.clone();
        let asked =
            group_call::ask(broker, &group, Request::JoinGroup(group_call::of(&call, request)));
        Answer::later(async move {
            match asked.await {
                Reply::JoinGroup(response) => response,
                other => group_call::mismatched(&other),
            }
        })
    }
}
