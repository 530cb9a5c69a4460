//! SyncGroup: a member fetches its assignment, the leader brings all of them.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_group::{Reply, Request};
use highwater_wire::messages::{SyncGroupRequest, SyncGroupResponse};

use super::{Answer, Api, Call, group_call};
use crate::Broker;

pub struct SyncGroup;

impl Api for SyncGroup {
    type Request = SyncGroupRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=5;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: SyncGroupRequest,
    ) -> Answer<SyncGroupResponse> {
        let group = request.group_id.clone();
        let asked =
            group_call::ask(broker, &group, Request::SyncGroup(group_call::of(&call, request)));
        Answer::later(async move {
            match asked.await {
                Reply::SyncGroup(response) => response,
                other => group_call::mismatched(&other),
            }
        })
    }
}
