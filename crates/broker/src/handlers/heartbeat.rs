//! Heartbeat: a member is alive.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_group::{Reply, Request};
use highwater_wire::messages::{HeartbeatRequest, HeartbeatResponse};

use super::{Answer, Api, Call, group_call};
use crate::Broker;

pub struct Heartbeat;

impl Api for Heartbeat {
    type Request = HeartbeatRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=4;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: HeartbeatRequest,
    ) -> Answer<HeartbeatResponse> {
        let group = request.group_id.clone();
        let asked =
            group_call::ask(broker, &group, Request::Heartbeat(group_call::of(&call, request)));
        Answer::later(async move {
            match asked.await {
                Reply::Heartbeat(response) => response,
                other => group_call::mismatched(&other),
            }
        })
    }
}
