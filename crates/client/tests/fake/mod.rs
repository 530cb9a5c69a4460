//! A broker in this process whose answers a test decides.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use highwater_net::{Connection, NetConfig, Reply, Server, Service, Stage, bind};
use highwater_wire::header::{RequestHeader, decode_request_header, encode_response_header};
use highwater_wire::messages::api_versions_response::ApiVersion;
use highwater_wire::messages::{ApiVersionsRequest, ApiVersionsResponse};
use highwater_wire::{ApiKey, ErrorCode, Message, Reader, Writer};

type Handler = Box<dyn Fn(RequestHeader, Reader) -> Stage + Send + Sync>;

struct Fake {
    handler: Handler,
}

impl Service for Fake {
    fn on_request(&self, _: &Arc<Connection>, frame: Bytes) -> Stage {
        let mut reader = Reader::new(frame);
        match decode_request_header(&mut reader) {
            Ok(header) => (self.handler)(header, reader),
            Err(_) => Stage::Close("unreadable header"),
        }
    }
}

pub struct FakeBroker {
    server: Server,
    pub address: SocketAddr,
}

impl FakeBroker {
    pub fn start(
        handler: impl Fn(RequestHeader, Reader) -> Stage + Send + Sync + 'static,
    ) -> FakeBroker {
        let listener = bind("127.0.0.1:0", 100).unwrap();
        let address = listener.local_addr().unwrap();
        let service = Arc::new(Fake { handler: Box::new(handler) });
        let listeners = vec![("TEST".into(), listener)];
        FakeBroker { server: Server::start(listeners, service, NetConfig::default()), address }
    }

    pub fn address(&self) -> String {
        self.address.to_string()
    }

    pub fn connections(&self) -> usize {
        self.server.connections()
    }
}

/// The answer to a request.
pub fn reply<M: Message>(header: &RequestHeader, message: &M) -> Reply {
    reply_in(header, header.api_version, message)
}

/// The answer in a version that is not the request's.
pub fn reply_in<M: Message>(header: &RequestHeader, version: i16, message: &M) -> Reply {
    let mut w = Writer::new();
    encode_response_header(&mut w, header.api_key, version, header.correlation_id).unwrap();
    message.encode(&mut w, version).unwrap();
    Reply::Frame(w.finish())
}

pub fn ready<M: Message>(header: &RequestHeader, message: &M) -> Stage {
    Stage::Ready(reply(header, message))
}

/// Answers ApiVersions as a broker with these APIs does.
pub fn versions(header: &RequestHeader, apis: &[(ApiKey, i16, i16)]) -> Stage {
    let own = apis.iter().find(|(key, ..)| *key == ApiKey::API_VERSIONS);
    let max = own.map_or(*ApiVersionsRequest::VALID.end(), |(_, _, max)| *max);
    let api = |&(key, min, max): &(ApiKey, i16, i16)| ApiVersion {
        api_key: key.0,
        min_version: min,
        max_version: max,
        ..ApiVersion::default()
    };
    let mut answer =
        ApiVersionsResponse { api_keys: apis.iter().map(api).collect(), ..Default::default() };
    if header.api_version > max {
        answer.error_code = ErrorCode::UNSUPPORTED_VERSION.0;
        return Stage::Ready(reply_in(header, 0, &answer));
    }
    ready(header, &answer)
}
