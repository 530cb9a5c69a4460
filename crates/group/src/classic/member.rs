//! One member of a classic group.

use bytes::Bytes;
use highwater_shard::Token;
use highwater_wire::Str;
use highwater_wire::messages::join_group_request::JoinGroupRequestProtocol;

/// A request that waits for the group, and the version its answer must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) token: Token,
    pub(crate) version: i16,
}

/// An assignment strategy the member supports, with its subscription in that strategy's terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Protocol {
    pub(crate) name: Str,
    pub(crate) metadata: Bytes,
}

impl Protocol {
    /// What outlives the request does not keep its frame.
    pub(crate) fn list(protocols: &[JoinGroupRequestProtocol]) -> Vec<Protocol> {
        let protocols = protocols.iter().map(|protocol| Protocol {
            name: protocol.name.detached(),
            metadata: Bytes::copy_from_slice(&protocol.metadata),
        });
        protocols.collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) id: Str,
    /// `group.instance.id` of a static member; unique in the group.
    pub(crate) instance_id: Option<Str>,
    pub(crate) client_id: Str,
    pub(crate) client_host: Str,
    pub(crate) rebalance_timeout_ms: i32,
    pub(crate) session_timeout_ms: i32,
    /// In the order of the member's preference. After a change of leader only the strategy in use
    /// is known.
    pub(crate) protocols: Vec<Protocol>,
    /// Of the current generation; empty until the leader has synced.
    pub(crate) assignment: Bytes,
    pub(crate) awaiting_join: Option<Waiting>,
    pub(crate) awaiting_sync: Option<Waiting>,
    /// Has not yet been told of a generation: it cannot heartbeat, so a waiting join does not
    /// keep it alive beyond the new-member timeout.
    pub(crate) is_new: bool,
}

impl Member {
    pub(crate) fn is_static(&self) -> bool {
        self.instance_id.is_some()
    }

    pub(crate) fn supports(&self, protocol: &str) -> bool {
        self.protocols.iter().any(|own| &*own.name == protocol)
    }

    /// The subscription for `protocol`; empty if the member does not know that protocol.
    pub(crate) fn metadata(&self, protocol: &str) -> Bytes {
        let known = self.protocols.iter().find(|own| &*own.name == protocol);
        known.map(|own| own.metadata.clone()).unwrap_or_default()
    }

    /// Whether a due session timer may be ignored: the member has a request waiting here, so it
    /// is the group that keeps it from sending heartbeats.
    pub(crate) fn is_excused(&self) -> bool {
        !self.is_new && (self.awaiting_join.is_some() || self.awaiting_sync.is_some())
    }
}
