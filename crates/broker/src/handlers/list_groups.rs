//! ListGroups: the groups that this broker coordinates, by state and type.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_group::{Reply, Request};
use highwater_wire::messages::{ListGroupsRequest, ListGroupsResponse};

use super::{Answer, Api, Call, group_call};
use crate::Broker;

pub struct ListGroups;

impl Api for ListGroups {
    type Request = ListGroupsRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=5;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: ListGroupsRequest,
    ) -> Answer<ListGroupsResponse> {
        let asked: Vec<_> = broker
            .groups
            .all()
            .into_iter()
            .map(|handle| {
                handle.request(Request::ListGroups(group_call::of(&call, request.clone())))
            })
            .collect();
        Answer::later(async move {
            let mut all = ListGroupsResponse::default();
            for answer in asked {
                match answer.await {
                    Reply::ListGroups(part) if part.error_code == 0 => {
                        all.groups.extend(part.groups)
                    }
                    // One that is still loading makes the list incomplete: the client must know.
                    Reply::ListGroups(part) => all.error_code = part.error_code,
                    Reply::Refused(code) => all.error_code = code.0,
                    other => return group_call::mismatched(&other),
                }
            }
            all
        })
    }
}
