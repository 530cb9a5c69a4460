//! AllocateProducerIds (67): hands a broker the next block.

use highwater_types::BrokerId;
use highwater_wire::ErrorCode;
use highwater_wire::messages::{
    AllocateProducerIdsRequest, AllocateProducerIdsResponse, ProducerIdsRecord,
};
use highwater_wire::metadata_frame::MetadataRecord;

use super::Decided;
use super::broker_lifecycle::check_epoch;
use crate::image::Image;
use crate::limits::PRODUCER_ID_BLOCK;

pub fn decide_allocate_producer_ids(
    image: &Image,
    request: &AllocateProducerIdsRequest,
) -> Decided<AllocateProducerIdsResponse> {
    let refused = |code: ErrorCode| {
        Decided::nothing(AllocateProducerIdsResponse {
            error_code: code.0,
            ..AllocateProducerIdsResponse::default()
        })
    };
    let broker = BrokerId(request.broker_id);
    if let Err(error) = check_epoch(image, broker, request.broker_epoch) {
        return refused(error.code);
    }
    let start = image.producer_ids.next.get();
    let Some(next) = start.checked_add(PRODUCER_ID_BLOCK) else {
        return refused(ErrorCode::UNKNOWN_SERVER_ERROR);
    };
    let record = ProducerIdsRecord {
        broker_id: request.broker_id,
        broker_epoch: request.broker_epoch,
        next_producer_id: next,
        ..ProducerIdsRecord::default()
    };
    Decided {
        records: vec![MetadataRecord::ProducerIds(record)],
        reply: AllocateProducerIdsResponse {
            producer_id_start: start,
            producer_id_len: PRODUCER_ID_BLOCK as i32,
            ..AllocateProducerIdsResponse::default()
        },
    }
}
