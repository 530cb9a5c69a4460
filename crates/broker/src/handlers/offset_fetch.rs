//! OffsetFetch: the committed positions of one group, or from version 8 on of several.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_group::{Reply, Request};
use highwater_wire::messages::{OffsetFetchRequest, OffsetFetchResponse};

use super::{Answer, Api, Call, group_call};
use crate::Broker;

pub struct OffsetFetch;

/// Version from which a request names several groups.
const GROUPS_FROM: i16 = 8;

impl Api for OffsetFetch {
    type Request = OffsetFetchRequest;
    const VERSIONS: RangeInclusive<i16> = 1..=10;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: OffsetFetchRequest,
    ) -> Answer<OffsetFetchResponse> {
        let parts: Vec<_> = if call.version < GROUPS_FROM {
            vec![(request.group_id.clone(), request)]
        } else {
            request
                .groups
                .iter()
                .map(|group| {
                    let one = OffsetFetchRequest { groups: vec![group.clone()], ..request.clone() };
                    (group.group_id.clone(), one)
                })
                .collect()
        };
        let asked: Vec<_> = parts
            .into_iter()
            .map(|(group, one)| {
                group_call::ask(broker, &group, Request::OffsetFetch(group_call::of(&call, one)))
            })
            .collect();
        Answer::later(async move {
            let mut all = OffsetFetchResponse::default();
            for answer in asked {
                match answer.await {
                    Reply::OffsetFetch(part) if call.version < GROUPS_FROM => return part,
                    Reply::OffsetFetch(part) => all.groups.extend(part.groups),
                    other => return group_call::mismatched(&other),
                }
            }
            all
        })
    }
}
