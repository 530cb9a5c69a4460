//! The answer to a request that was not decided at all: every place that has a code gets it.

use highwater_shard::Unavailable;
use highwater_wire::messages::delete_groups_response::DeletableGroupResult;
use highwater_wire::messages::describe_groups_response::DescribedGroup;
use highwater_wire::messages::offset_commit_response::{
    OffsetCommitResponsePartition, OffsetCommitResponseTopic,
};
use highwater_wire::messages::offset_fetch_response::{
    OffsetFetchResponseGroup, OffsetFetchResponsePartition, OffsetFetchResponseTopic,
};
use highwater_wire::messages::{
    DeleteGroupsRequest, DeleteGroupsResponse, DescribeGroupsRequest, DescribeGroupsResponse,
    HeartbeatResponse, ListGroupsResponse, OffsetCommitRequest, OffsetCommitResponse,
    OffsetDeleteResponse, OffsetFetchRequest, OffsetFetchResponse, SyncGroupResponse,
};
use highwater_wire::{ErrorCode, Str};

use crate::classic::{join_error, leave_response};
use crate::offsets::GROUPS_FROM;
use crate::{Call, Reply, Request};

/// From this version on OffsetFetch has one code for the whole group.
const FETCH_CODE_FROM: i16 = 2;

/// Kafka's code for each reason.
pub fn unavailable_code(why: Unavailable) -> ErrorCode {
    match why {
        Unavailable::Loading => ErrorCode::COORDINATOR_LOAD_IN_PROGRESS,
        Unavailable::NotLeader => ErrorCode::NOT_COORDINATOR,
        Unavailable::AppendFailed => ErrorCode::COORDINATOR_NOT_AVAILABLE,
    }
}

/// The response to `request` that says `code` wherever it can say one.
pub fn refuse(request: &Request, code: ErrorCode) -> Reply {
    match request {
        Request::JoinGroup(call) => {
            Reply::JoinGroup(join_error(call.version, call.body.member_id.clone(), code))
        }
        Request::SyncGroup(_) => {
            Reply::SyncGroup(SyncGroupResponse { error_code: code.0, ..Default::default() })
        }
        Request::Heartbeat(_) => {
            // While the group is being read a member cannot be told anything useful: its session
            // begins anew when that is done, so it is left in peace.
            let code = if code == ErrorCode::COORDINATOR_LOAD_IN_PROGRESS {
                ErrorCode::NONE
            } else {
                code
            };
            Reply::Heartbeat(HeartbeatResponse { error_code: code.0, ..Default::default() })
        }
        Request::LeaveGroup(call) => Reply::LeaveGroup(leave_response(call.version, Err(code))),
        Request::OffsetCommit(call) => Reply::OffsetCommit(refuse_commit(&call.body, code)),
        Request::OffsetFetch(call) => Reply::OffsetFetch(refuse_fetch(call, code)),
        Request::OffsetDelete(_) => {
            Reply::OffsetDelete(OffsetDeleteResponse { error_code: code.0, ..Default::default() })
        }
        Request::DescribeGroups(call) => Reply::DescribeGroups(refuse_describe(&call.body, code)),
        Request::ListGroups(_) => {
            Reply::ListGroups(ListGroupsResponse { error_code: code.0, ..Default::default() })
        }
        Request::DeleteGroups(call) => Reply::DeleteGroups(refuse_delete(&call.body, code)),
        Request::TopicDeleted { .. } => Reply::Refused(code),
    }
}

fn refuse_commit(body: &OffsetCommitRequest, code: ErrorCode) -> OffsetCommitResponse {
    let topics = body.topics.iter().map(|topic| OffsetCommitResponseTopic {
        name: topic.name.clone(),
        topic_id: topic.topic_id,
        partitions: topic
            .partitions
            .iter()
            .map(|partition| OffsetCommitResponsePartition {
                partition_index: partition.partition_index,
                error_code: code.0,
                ..OffsetCommitResponsePartition::default()
            })
            .collect(),
        ..OffsetCommitResponseTopic::default()
    });
    OffsetCommitResponse { topics: topics.collect(), ..OffsetCommitResponse::default() }
}

/// v1 has no place for a code but the partitions; v2 to v7 one at the top; later ones one for
/// each group.
fn refuse_fetch(call: &Call<OffsetFetchRequest>, code: ErrorCode) -> OffsetFetchResponse {
    let body = &call.body;
    if call.version >= GROUPS_FROM {
        let groups = body.groups.iter().map(|group| OffsetFetchResponseGroup {
            group_id: group.group_id.clone(),
            error_code: code.0,
            ..OffsetFetchResponseGroup::default()
        });
        return OffsetFetchResponse { groups: groups.collect(), ..Default::default() };
    }
    if call.version >= FETCH_CODE_FROM {
        return OffsetFetchResponse { error_code: code.0, ..OffsetFetchResponse::default() };
    }
    let topics = body.topics.iter().flatten().map(|topic| OffsetFetchResponseTopic {
        name: topic.name.clone(),
        partitions: topic
            .partition_indexes
            .iter()
            .map(|index| OffsetFetchResponsePartition {
                partition_index: *index,
                committed_offset: -1,
                committed_leader_epoch: -1,
                metadata: Some(Str::default()),
                error_code: code.0,
                ..OffsetFetchResponsePartition::default()
            })
            .collect(),
        ..OffsetFetchResponseTopic::default()
    });
    OffsetFetchResponse { topics: topics.collect(), ..OffsetFetchResponse::default() }
}

fn refuse_describe(body: &DescribeGroupsRequest, code: ErrorCode) -> DescribeGroupsResponse {
    let groups = body.groups.iter().map(|id| DescribedGroup {
        error_code: code.0,
        group_id: id.clone(),
        ..DescribedGroup::default()
    });
    DescribeGroupsResponse { groups: groups.collect(), ..DescribeGroupsResponse::default() }
}

fn refuse_delete(body: &DeleteGroupsRequest, code: ErrorCode) -> DeleteGroupsResponse {
    let results = body.groups_names.iter().map(|id| DeletableGroupResult {
        group_id: id.clone(),
        error_code: code.0,
        ..DeletableGroupResult::default()
    });
    DeleteGroupsResponse { results: results.collect(), ..DeleteGroupsResponse::default() }
}
