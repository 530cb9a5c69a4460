//! InitProducerId, for idempotent producers. A transactional id needs the transaction coordinator,
//! which is not served yet.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_wire::ErrorCode;
use highwater_wire::messages::{InitProducerIdRequest, InitProducerIdResponse};

use super::{Answer, Api, Call};
use crate::{Broker, producer_ids};

pub struct InitProducerId;

impl Api for InitProducerId {
    type Request = InitProducerIdRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=5;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: InitProducerIdRequest,
    ) -> Answer<InitProducerIdResponse> {
        let timeout_ms_max = broker.config.load().producers.transaction_timeout_max_ms;
        if let Err(code) = check(&request, timeout_ms_max) {
            return Answer::Now(refused(code));
        }
        let broker = broker.clone();
        Answer::later(async move {
            match producer_ids::next(&broker).await {
                Ok(id) => InitProducerIdResponse {
                    producer_id: id.get(),
                    producer_epoch: 0,
                    ..InitProducerIdResponse::default()
                },
                Err(code) => refused(code),
            }
        })
    }
}

fn check(request: &InitProducerIdRequest, timeout_ms_max: i32) -> Result<(), ErrorCode> {
    let has_id = request.producer_id != -1;
    let has_epoch = request.producer_epoch != -1;
    if has_id != has_epoch {
        return Err(ErrorCode::INVALID_REQUEST);
    }
    match request.transactional_id.as_deref() {
        None => Ok(()),
        Some("") => Err(ErrorCode::INVALID_REQUEST),
        Some(_) if !(1..=timeout_ms_max).contains(&request.transaction_timeout_ms) => {
            Err(ErrorCode::INVALID_TRANSACTION_TIMEOUT)
        }
        // What Kafka says to a client that may not use transactions: not retried.
        Some(_) => Err(ErrorCode::TRANSACTIONAL_ID_AUTHORIZATION_FAILED),
    }
}

fn refused(code: ErrorCode) -> InitProducerIdResponse {
    InitProducerIdResponse {
        error_code: code.0,
        producer_id: -1,
        producer_epoch: -1,
        ..InitProducerIdResponse::default()
    }
}
