//! ElectLeaders: moves leadership to the preferred, or to any, replica.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::{ControllerReply, ControllerRequest};
use highwater_wire::messages::{ElectLeadersRequest, ElectLeadersResponse};

use super::{Answer, Api, Call, controller_call};
use crate::Broker;

pub struct ElectLeaders;

impl Api for ElectLeaders {
    type Request = ElectLeadersRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=2;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: ElectLeadersRequest,
    ) -> Answer<ElectLeadersResponse> {
        let asked = broker.controller.request(ControllerRequest::ElectLeaders(request));
        Answer::later(async move {
            match asked.await {
                ControllerReply::ElectLeaders(response) => response,
                // Version 0 has no place for a code of the whole request; its clients ask again.
                ControllerReply::Refused(..) if call.version == 0 => {
                    ElectLeadersResponse::default()
                }
                ControllerReply::Refused(code, _) => {
                    ElectLeadersResponse { error_code: code.0, ..ElectLeadersResponse::default() }
                }
                other => controller_call::mismatched(&other),
            }
        })
    }
}
