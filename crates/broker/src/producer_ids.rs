//! Hands out producer ids from a block that the controller gave this broker. A block is in the
//! metadata log before its first id goes out, so no restart gives an id twice.

use std::ops::Range;
use std::sync::Arc;

use highwater_controller::{ControllerReply, ControllerRequest};
use highwater_types::ProducerId;
use highwater_wire::ErrorCode;
use highwater_wire::messages::AllocateProducerIdsRequest;
use tokio::sync::Mutex;

use crate::Broker;

/// Ids that are left of the current block.
#[derive(Default)]
pub struct ProducerIdBlock {
    left: Mutex<Range<i64>>,
}

/// A new id, never given before in this cluster.
///
/// # Errors
/// COORDINATOR_LOAD_IN_PROGRESS while the controller cannot give a block: come again.
pub async fn next(broker: &Arc<Broker>) -> Result<ProducerId, ErrorCode> {
    let mut left = broker.producer_ids.left.lock().await;
    if let Some(id) = left.next() {
        return Ok(ProducerId(id));
    }
    let epoch = broker.image.load().broker(broker.node.id).map_or(-1, |known| known.epoch);
    let request = AllocateProducerIdsRequest {
        broker_id: broker.node.id.get(),
        broker_epoch: epoch,
        ..AllocateProducerIdsRequest::default()
    };
    match broker.controller.request(ControllerRequest::AllocateProducerIds(request)).await {
        ControllerReply::AllocateProducerIds(block) if block.error_code == 0 => {
            let start = block.producer_id_start;
            *left = start..start + i64::from(block.producer_id_len);
            left.next().map(ProducerId).ok_or(ErrorCode::COORDINATOR_LOAD_IN_PROGRESS)
        }
        _ => Err(ErrorCode::COORDINATOR_LOAD_IN_PROGRESS),
    }
}
