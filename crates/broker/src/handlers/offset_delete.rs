//! OffsetDelete: forgets positions of topics that the group does not read.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_group::{Reply, Request};
use highwater_wire::messages::{OffsetDeleteRequest, OffsetDeleteResponse};

use super::{Answer, Api, Call, group_call};
use crate::Broker;

pub struct OffsetDelete;

impl Api for OffsetDelete {
    type Request = OffsetDeleteRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=0;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: OffsetDeleteRequest,
    ) -> Answer<OffsetDeleteResponse> {
        let group = request.group_id.clone();
        let asked =
            group_call::ask(broker, &group, Request::OffsetDelete(group_call::of(&call, request)));
        Answer::later(async move {
            match asked.await {
                Reply::OffsetDelete(response) => response,
                other => group_call::mismatched(&other),
            }
        })
    }
}
