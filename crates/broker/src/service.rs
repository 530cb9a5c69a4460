//! The broker as the network sees it: a frame in, an answer to write out.

use std::sync::Arc;

use bytes::Bytes;
use highwater_net::{Connection, Service, Stage};
use highwater_wire::header::decode_request_header;
use highwater_wire::{ApiKey, Reader};

use crate::Broker;
use crate::handlers::{self, Call, api_versions};
use crate::storage::handover;

/// Dispatches requests to the handlers' table.
pub struct KafkaService {
    broker: Arc<Broker>,
}

impl KafkaService {
    pub fn new(broker: Arc<Broker>) -> Self {
        KafkaService { broker }
    }
}

impl Service for KafkaService {
    fn on_request(&self, connection: &Arc<Connection>, frame: Bytes) -> Stage {
        let mut reader = Reader::new(frame);
        let header = match decode_request_header(&mut reader) {
            Ok(header) => header,
            Err(error) => {
                tracing::debug!(peer = %connection.peer(), %error, "unreadable request header");
                return Stage::Close("the request header cannot be decoded");
            }
        };
        if header.api_key != ApiKey::PRODUCE {
            // What it asks for comes after what was produced before it.
            handover::send();
        }
        let call = Call {
            connection: connection.clone(),
            key: header.api_key,
            version: header.api_version,
            correlation_id: header.correlation_id,
            client_id: header.client_id,
        };
        let Some(handler) = handlers::find(call.key) else {
            return Stage::Close("the request names an API that is not served");
        };
        if handler.versions.contains(&call.version) {
            return (handler.run)(&self.broker, call, reader);
        }
        if call.key == ApiKey::API_VERSIONS {
            return Stage::Ready(api_versions::unsupported_version(call.correlation_id));
        }
        Stage::Close("the request has a version that is not served")
    }

    fn on_turn_end(&self) {
        handover::send();
    }
}
