//! OffsetCommit: a group's positions; answered when they are committed themselves.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_group::{Reply, Request};
use highwater_wire::messages::{OffsetCommitRequest, OffsetCommitResponse};

use super::{Answer, Api, Call, group_call};
use crate::Broker;

pub struct OffsetCommit;

impl Api for OffsetCommit {
    type Request = OffsetCommitRequest;
    const VERSIONS: RangeInclusive<i16> = 2..=10;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: OffsetCommitRequest,
    ) -> Answer<OffsetCommitResponse> {
        let group = request.group_id.clone();
        let asked =
            group_call::ask(broker, &group, Request::OffsetCommit(group_call::of(&call, request)));
        Answer::later(async move {
            match asked.await {
                Reply::OffsetCommit(response) => response,
                other => group_call::mismatched(&other),
            }
        })
    }
}
