//! Requests and replies: wire messages, with what the wire message itself does not say.

use highwater_types::TopicId;
use highwater_wire::messages::{
    DeleteGroupsRequest, DeleteGroupsResponse, DescribeGroupsRequest, DescribeGroupsResponse,
    HeartbeatRequest, HeartbeatResponse, JoinGroupRequest, JoinGroupResponse, LeaveGroupRequest,
    LeaveGroupResponse, ListGroupsRequest, ListGroupsResponse, OffsetCommitRequest,
    OffsetCommitResponse, OffsetDeleteRequest, OffsetDeleteResponse, OffsetFetchRequest,
    OffsetFetchResponse, SyncGroupRequest, SyncGroupResponse,
};
use highwater_wire::{ErrorCode, Str};

/// Who sent a request, as `DescribeGroups` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct MemberOrigin {
    /// From the request header; empty if it had none.
    pub client_id: Str,
    /// The peer's address as Kafka shows it: a slash and the numbers, `/127.0.0.1`.
    pub client_host: Str,
}

/// A request of one API version from one client.
#[derive(Clone, Debug, PartialEq)]
pub struct Call<R> {
    pub version: i16,
    pub origin: MemberOrigin,
    pub body: R,
}

/// What the coordinator of one offsets partition is asked. Group ids in a request must all belong
/// to that partition; `ListGroups` goes to every partition.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    JoinGroup(Call<JoinGroupRequest>),
    SyncGroup(Call<SyncGroupRequest>),
    Heartbeat(Call<HeartbeatRequest>),
    LeaveGroup(Call<LeaveGroupRequest>),
    OffsetCommit(Call<OffsetCommitRequest>),
    OffsetFetch(Call<OffsetFetchRequest>),
    OffsetDelete(Call<OffsetDeleteRequest>),
    DescribeGroups(Call<DescribeGroupsRequest>),
    ListGroups(Call<ListGroupsRequest>),
    DeleteGroups(Call<DeleteGroupsRequest>),
    /// A topic is gone: its offsets go before the deletion is answered. Goes to every partition.
    TopicDeleted {
        id: TopicId,
        name: Str,
    },
}

/// The answer, in the layout of the request's version.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    JoinGroup(JoinGroupResponse),
    SyncGroup(SyncGroupResponse),
    Heartbeat(HeartbeatResponse),
    LeaveGroup(LeaveGroupResponse),
    OffsetCommit(OffsetCommitResponse),
    OffsetFetch(OffsetFetchResponse),
    OffsetDelete(OffsetDeleteResponse),
    DescribeGroups(DescribeGroupsResponse),
    ListGroups(ListGroupsResponse),
    DeleteGroups(DeleteGroupsResponse),
    TopicDeleted,
    /// The request was taken in, but this node can no longer answer it. The host builds the
    /// response with [`crate::refuse`] from a copy of the request.
    Refused(ErrorCode),
}
