//! AlterClientQuotas: stores quotas. They are described back, but not enforced yet.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::{ControllerReply, ControllerRequest};
use highwater_wire::messages::alter_client_quotas_response::{EntityData, EntryData};
use highwater_wire::messages::{AlterClientQuotasRequest, AlterClientQuotasResponse};
use highwater_wire::{ErrorCode, Str};

use super::{Answer, Api, Call, controller_call};
use crate::Broker;

pub struct AlterClientQuotas;

impl Api for AlterClientQuotas {
    type Request = AlterClientQuotasRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=1;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: AlterClientQuotasRequest,
    ) -> Answer<AlterClientQuotasResponse> {
        let copy = request.clone();
        let asked = broker.controller.request(ControllerRequest::AlterClientQuotas(request));
        Answer::later(async move {
            match asked.await {
                ControllerReply::AlterClientQuotas(response) => response,
                ControllerReply::Refused(code, message) => refuse(&copy, code, message),
                other => controller_call::mismatched(&other),
            }
        })
    }
}

/// Nothing was done: every item says why.
fn refuse(
    request: &AlterClientQuotasRequest,
    code: ErrorCode,
    message: Option<Str>,
) -> AlterClientQuotasResponse {
    let entries = request.entries.iter().map(|entry| EntryData {
        error_code: code.0,
        error_message: message.clone(),
        entity: entry
            .entity
            .iter()
            .map(|part| EntityData {
                entity_type: part.entity_type.clone(),
                entity_name: part.entity_name.clone(),
                ..EntityData::default()
            })
            .collect(),
        ..EntryData::default()
    });
    AlterClientQuotasResponse { entries: entries.collect(), ..AlterClientQuotasResponse::default() }
}
