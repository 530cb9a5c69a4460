//! DeleteGroups: removes groups without members, with their offsets.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_group::{Reply, Request};
use highwater_wire::messages::{DeleteGroupsRequest, DeleteGroupsResponse};

use super::{Answer, Api, Call, group_call};
use crate::Broker;

pub struct DeleteGroups;

impl Api for DeleteGroups {
    type Request = DeleteGroupsRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=3;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: DeleteGroupsRequest,
    ) -> Answer<DeleteGroupsResponse> {
        let asked: Vec<_> = request
            .groups_names
            .iter()
            .map(|group| {
                let one =
                    DeleteGroupsRequest { groups_names: vec![group.clone()], ..request.clone() };
                group_call::ask(broker, group, Request::DeleteGroups(group_call::of(&call, one)))
            })
            .collect();
        Answer::later(async move {
            let mut all = DeleteGroupsResponse::default();
            for answer in asked {
                match answer.await {
                    Reply::DeleteGroups(part) => all.results.extend(part.results),
                    other => return group_call::mismatched(&other),
                }
            }
            all
        })
    }
}
