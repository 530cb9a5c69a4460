//! UnregisterBroker (64): a broker that will not come back is forgotten.

use highwater_types::BrokerId;
use highwater_wire::ErrorCode;
use highwater_wire::messages::{
    UnregisterBrokerRecord, UnregisterBrokerRequest, UnregisterBrokerResponse,
};
use highwater_wire::metadata_frame::MetadataRecord;

use super::broker_lifecycle::forget;
use super::{ControllerCx, Decided};
use crate::draft::Draft;
use crate::error::{ApiError, Outcome, parts};
use crate::image::Image;

pub fn decide_unregister_broker(
    image: &Image,
    request: &UnregisterBrokerRequest,
    cx: &ControllerCx<'_>,
) -> Decided<UnregisterBrokerResponse> {
    let id = BrokerId(request.broker_id);
    let outcome: Outcome<Vec<MetadataRecord>> = match image.broker(id) {
        None => {
            let why = format!("No broker {id} is registered.");
            Err(ApiError::new(ErrorCode::BROKER_ID_NOT_REGISTERED, why))
        }
        Some(broker) => {
            let mut draft = Draft::new(image);
            forget(&mut draft, cx.view, id);
            draft.push(MetadataRecord::UnregisterBroker(UnregisterBrokerRecord {
                broker_id: id.get(),
                broker_epoch: broker.epoch,
                ..UnregisterBrokerRecord::default()
            }));
            Ok(draft.records)
        }
    };
    let (error_code, error_message) = parts(&outcome);
    Decided {
        records: outcome.unwrap_or_default(),
        reply: UnregisterBrokerResponse {
            error_code,
            error_message,
            ..UnregisterBrokerResponse::default()
        },
    }
}
