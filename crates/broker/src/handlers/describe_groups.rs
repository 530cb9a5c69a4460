//! DescribeGroups: members, states and assignments of several groups.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_group::{Reply, Request};
use highwater_wire::messages::{DescribeGroupsRequest, DescribeGroupsResponse};

use super::{Answer, Api, Call, group_call};
use crate::{Broker, authorized};

pub struct DescribeGroups;

impl Api for DescribeGroups {
    type Request = DescribeGroupsRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=6;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: DescribeGroupsRequest,
    ) -> Answer<DescribeGroupsResponse> {
        let with_operations = request.include_authorized_operations;
        let asked: Vec<_> = request
            .groups
            .iter()
            .map(|group| {
                let one = DescribeGroupsRequest { groups: vec![group.clone()], ..request.clone() };
                group_call::ask(broker, group, Request::DescribeGroups(group_call::of(&call, one)))
            })
            .collect();
        Answer::later(async move {
            let mut all = DescribeGroupsResponse::default();
            for answer in asked {
                match answer.await {
                    Reply::DescribeGroups(part) => all.groups.extend(part.groups),
                    other => return group_call::mismatched(&other),
                }
            }
            for group in &mut all.groups {
                group.authorized_operations =
                    if with_operations { authorized::GROUP } else { authorized::NOT_ASKED };
            }
            all
        })
    }
}
