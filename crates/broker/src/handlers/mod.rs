//! One file per API: each declares its key and versions and answers its requests.
//!
//! A handler has two stages. `handle` runs inline on the connection's task, in the order the
//! requests came: it validates and enqueues. What it returns as [`Answer::Later`] is awaited while
//! later requests of the connection proceed.

mod alter_client_quotas;
mod alter_configs;
mod alter_partition_reassignments;
mod alter_replica_log_dirs;
mod alter_user_scram_credentials;
pub mod api_versions;
mod controller_call;
mod create_partitions;
mod create_topics;
mod delete_groups;
mod delete_records;
mod delete_topics;
mod describe_client_quotas;
mod describe_cluster;
mod describe_configs;
mod describe_groups;
mod describe_log_dirs;
mod describe_producers;
mod describe_quorum;
mod describe_topic_partitions;
mod describe_user_scram_credentials;
mod elect_leaders;
mod fetch;
mod find_coordinator;
mod group_call;
mod heartbeat;
mod incremental_alter_configs;
mod init_producer_id;
mod join_group;
mod leave_group;
mod list_config_resources;
mod list_groups;
mod list_offsets;
mod list_partition_reassignments;
mod metadata;
mod offset_commit;
mod offset_delete;
mod offset_fetch;
mod offset_for_leader_epoch;
pub mod produce;
mod security;
mod sync_group;
mod table;
mod unregister_broker;
mod update_features;

pub use table::{TABLE, find};

use std::future::Future;
use std::ops::RangeInclusive;
use std::pin::Pin;
use std::sync::Arc;

use highwater_net::{Connection, Reply, Stage};
use highwater_types::Uuid;
use highwater_wire::header::encode_response_header;
use highwater_wire::{ApiKey, ErrorCode, Message, Reader, Request, Str, Writer};

use crate::Broker;
use crate::partition::ReadRefusal;

/// Who asks, and how.
#[derive(Clone)]
pub struct Call {
    pub connection: Arc<Connection>,
    pub key: ApiKey,
    pub version: i16,
    pub correlation_id: i32,
    pub client_id: Option<Str>,
}

/// What a handler gives back.
pub enum Answer<T> {
    Now(T),
    Later(Pin<Box<dyn Future<Output = T> + Send>>),
    /// The client expects no reply (`acks=0`).
    Silent(Pin<Box<dyn Future<Output = Result<(), &'static str>> + Send>>),
}

impl<T> Answer<T> {
    pub fn later(answer: impl Future<Output = T> + Send + 'static) -> Self {
        Answer::Later(Box::pin(answer))
    }
}

/// One API that this broker serves.
pub trait Api {
    type Request: Request;
    /// The versions we advertise and take.
    const VERSIONS: RangeInclusive<i16>;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: Self::Request,
    ) -> Answer<<Self::Request as Request>::Response>;
}

/// An [`Api`] with its types taken away, for the table.
pub struct Handler {
    pub key: ApiKey,
    pub versions: RangeInclusive<i16>,
    pub run: fn(&Arc<Broker>, Call, Reader) -> Stage,
}

impl Handler {
    pub const fn of<A: Api>() -> Handler
    where
        <A::Request as Request>::Response: Send + 'static,
    {
        Handler { key: A::Request::KEY, versions: A::VERSIONS, run: run::<A> }
    }
}

fn run<A: Api>(broker: &Arc<Broker>, call: Call, mut body: Reader) -> Stage
where
    <A::Request as Request>::Response: Send + 'static,
{
    let request = match A::Request::decode(&mut body, call.version) {
        Ok(request) => request,
        Err(error) => {
            tracing::debug!(api = call.key.name(), version = call.version, %error, "unreadable request");
            return Stage::Close("the request cannot be decoded");
        }
    };
    // Stray bytes after a request are ignored, as Kafka does.
    drop(body);
    let Call { key, version, correlation_id, .. } = call;
    match A::handle(broker, call, request) {
        Answer::Now(response) => Stage::Ready(encode(key, version, correlation_id, &response)),
        Answer::Later(response) => Stage::Pending(Box::pin(async move {
            encode(key, version, correlation_id, &response.await)
        })),
        Answer::Silent(work) => Stage::Pending(Box::pin(async move {
            match work.await {
                Ok(()) => Reply::None,
                Err(reason) => Reply::Close(reason),
            }
        })),
    }
}

/// Encodes a response with its header.
pub fn encode<M: Message>(key: ApiKey, version: i16, correlation_id: i32, message: &M) -> Reply {
    let mut writer = Writer::new();
    let encoded = encode_response_header(&mut writer, key, version, correlation_id)
        .and_then(|()| message.encode(&mut writer, version));
    match encoded {
        Ok(()) => Reply::Frame(writer.finish()),
        Err(error) => {
            // A field that the version lacks: our bug, but one request's only.
            tracing::error!(api = key.name(), version, %error, "a response cannot be encoded");
            Reply::Close("the response cannot be encoded")
        }
    }
}

/// The topic a request names, by id where its version has ids and by name before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopicRef {
    Name(Str),
    Id(Uuid),
}

/// Why a client's leader epoch does not fit ours.
pub fn epoch_refusal(refusal: &ReadRefusal) -> ErrorCode {
    match refusal {
        ReadRefusal::FencedEpoch => ErrorCode::FENCED_LEADER_EPOCH,
        ReadRefusal::UnknownEpoch => ErrorCode::UNKNOWN_LEADER_EPOCH,
        _ => ErrorCode::NOT_LEADER_OR_FOLLOWER,
    }
}
