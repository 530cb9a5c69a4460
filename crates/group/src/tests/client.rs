//! Requests as tests write them, and what they read from the answers.

use bytes::Bytes;
use highwater_shard::Token;
use highwater_wire::Str;
use highwater_wire::messages::join_group_request::JoinGroupRequestProtocol;
use highwater_wire::messages::leave_group_request::MemberIdentity;
use highwater_wire::messages::offset_commit_request::{
    OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use highwater_wire::messages::offset_delete_request::{
    OffsetDeleteRequestPartition, OffsetDeleteRequestTopic,
};
use highwater_wire::messages::offset_fetch_request::{
    OffsetFetchRequestGroup, OffsetFetchRequestTopic, OffsetFetchRequestTopics,
};
use highwater_wire::messages::sync_group_request::SyncGroupRequestAssignment;
use highwater_wire::messages::{
    DeleteGroupsRequest, DescribeGroupsRequest, HeartbeatRequest, JoinGroupRequest,
    JoinGroupResponse, LeaveGroupRequest, ListGroupsRequest, OffsetCommitRequest,
    OffsetDeleteRequest, OffsetFetchRequest, SyncGroupRequest, SyncGroupResponse,
};

use super::harness::{Harness, origin};
use crate::{Call, Reply, Request};

pub(super) fn call<R>(version: i16, body: R) -> Call<R> {
    Call { version, origin: origin("cl"), body }
}

/// A version 0 consumer subscription.
pub(super) fn subscription(topics: &[&str]) -> Bytes {
    let mut bytes = vec![0, 0];
    bytes.extend((topics.len() as i32).to_be_bytes());
    for topic in topics {
        bytes.extend((topic.len() as i16).to_be_bytes());
        bytes.extend(topic.as_bytes());
    }
    bytes.extend((-1i32).to_be_bytes());
    Bytes::from(bytes)
}

pub(super) fn protocols(names: &[&str]) -> Vec<JoinGroupRequestProtocol> {
    let protocols = names.iter().map(|name| JoinGroupRequestProtocol {
        name: Str::from(*name),
        metadata: subscription(&["t"]),
        ..Default::default()
    });
    protocols.collect()
}

/// A JoinGroup of a consumer of `t`, with timeouts of 10 s.
pub(super) fn join_body(group: &str, member: &str) -> JoinGroupRequest {
    JoinGroupRequest {
        group_id: group.into(),
        session_timeout_ms: 10_000,
        rebalance_timeout_ms: 10_000,
        member_id: member.into(),
        group_instance_id: None,
        protocol_type: "consumer".into(),
        protocols: protocols(&["range"]),
        ..Default::default()
    }
}

pub(super) fn join(group: &str, member: &str) -> Request {
    Request::JoinGroup(call(9, join_body(group, member)))
}

pub(super) fn join_as(group: &str, member: &str, instance: &str) -> Request {
    let mut body = join_body(group, member);
    body.group_instance_id = Some(instance.into());
    Request::JoinGroup(call(9, body))
}

pub(super) fn sync_body(
    group: &str,
    generation: i32,
    member: &str,
    assigned: &[(&str, &str)],
) -> SyncGroupRequest {
    let assignments = assigned.iter().map(|(member, assignment)| SyncGroupRequestAssignment {
        member_id: Str::from(*member),
        assignment: Bytes::copy_from_slice(assignment.as_bytes()),
        ..Default::default()
    });
    SyncGroupRequest {
        group_id: group.into(),
        generation_id: generation,
        member_id: member.into(),
        group_instance_id: None,
        protocol_type: Some("consumer".into()),
        protocol_name: Some("range".into()),
        assignments: assignments.collect(),
        ..Default::default()
    }
}

pub(super) fn sync(
    group: &str,
    generation: i32,
    member: &str,
    assigned: &[(&str, &str)],
) -> Request {
    Request::SyncGroup(call(5, sync_body(group, generation, member, assigned)))
}

pub(super) fn heartbeat(group: &str, generation: i32, member: &str) -> Request {
    heartbeat_as(group, generation, member, None)
}

pub(super) fn heartbeat_as(
    group: &str,
    generation: i32,
    member: &str,
    instance: Option<&str>,
) -> Request {
    Request::Heartbeat(call(
        4,
        HeartbeatRequest {
            group_id: group.into(),
            generation_id: generation,
            member_id: member.into(),
            group_instance_id: instance.map(Str::from),
            ..Default::default()
        },
    ))
}

pub(super) fn leave(group: &str, members: &[(&str, Option<&str>)]) -> Request {
    let members = members.iter().map(|(member, instance)| MemberIdentity {
        member_id: Str::from(*member),
        group_instance_id: instance.map(Str::from),
        ..Default::default()
    });
    Request::LeaveGroup(call(
        5,
        LeaveGroupRequest {
            group_id: group.into(),
            members: members.collect(),
            ..Default::default()
        },
    ))
}

pub(super) fn commit_body(
    group: &str,
    generation: i32,
    member: &str,
    topic: &str,
    partition: i32,
    offset: i64,
) -> OffsetCommitRequest {
    OffsetCommitRequest {
        group_id: group.into(),
        generation_id_or_member_epoch: generation,
        member_id: member.into(),
        group_instance_id: None,
        topics: vec![OffsetCommitRequestTopic {
            name: topic.into(),
            partitions: vec![OffsetCommitRequestPartition {
                partition_index: partition,
                committed_offset: offset,
                committed_metadata: Some(Str::default()),
                ..Default::default()
            }],
            ..Default::default()
        }],
        ..Default::default()
    }
}

pub(super) fn commit(
    group: &str,
    generation: i32,
    member: &str,
    topic: &str,
    partition: i32,
    offset: i64,
) -> Request {
    let body = commit_body(group, generation, member, topic, partition, offset);
    Request::OffsetCommit(call(9, body))
}

/// OffsetFetch v9 of some partitions of one topic; of everything without a topic.
pub(super) fn fetch(group: &str, asked: Option<(&str, &[i32])>) -> Request {
    let topics = asked.map(|(topic, partitions)| {
        vec![OffsetFetchRequestTopics {
            name: topic.into(),
            partition_indexes: partitions.to_vec(),
            ..Default::default()
        }]
    });
    Request::OffsetFetch(call(
        9,
        OffsetFetchRequest {
            groups: vec![OffsetFetchRequestGroup {
                group_id: group.into(),
                topics,
                ..Default::default()
            }],
            ..Default::default()
        },
    ))
}

/// The same in the layout before v8.
pub(super) fn fetch_old(version: i16, group: &str, asked: Option<(&str, &[i32])>) -> Request {
    let topics = asked.map(|(topic, partitions)| {
        vec![OffsetFetchRequestTopic {
            name: topic.into(),
            partition_indexes: partitions.to_vec(),
            ..Default::default()
        }]
    });
    let body = OffsetFetchRequest { group_id: group.into(), topics, ..Default::default() };
    Request::OffsetFetch(call(version, body))
}

pub(super) fn delete_offset(group: &str, topic: &str, partition: i32) -> Request {
    Request::OffsetDelete(call(
        0,
        OffsetDeleteRequest {
            group_id: group.into(),
            topics: vec![OffsetDeleteRequestTopic {
                name: topic.into(),
                partitions: vec![OffsetDeleteRequestPartition {
                    partition_index: partition,
                    ..Default::default()
                }],
                ..Default::default()
            }],
            ..Default::default()
        },
    ))
}

pub(super) fn describe(version: i16, group: &str) -> Request {
    let groups = vec![group.into()];
    Request::DescribeGroups(call(version, DescribeGroupsRequest { groups, ..Default::default() }))
}

pub(super) fn list(states: &[&str], types: &[&str]) -> Request {
    Request::ListGroups(call(
        5,
        ListGroupsRequest {
            states_filter: states.iter().map(|state| Str::from(*state)).collect(),
            types_filter: types.iter().map(|kind| Str::from(*kind)).collect(),
            ..Default::default()
        },
    ))
}

pub(super) fn delete_group(group: &str) -> Request {
    let groups_names = vec![group.into()];
    Request::DeleteGroups(call(2, DeleteGroupsRequest { groups_names, ..Default::default() }))
}

/// The first error code of an answer, wherever it stands; the outermost one wins.
pub(super) fn code_of(reply: &Reply) -> i16 {
    let codes: Vec<i16> = match reply {
        Reply::JoinGroup(response) => vec![response.error_code],
        Reply::SyncGroup(response) => vec![response.error_code],
        Reply::Heartbeat(response) => vec![response.error_code],
        Reply::LeaveGroup(response) => {
            let members = response.members.iter().map(|member| member.error_code);
            [response.error_code].into_iter().chain(members).collect()
        }
        Reply::OffsetCommit(response) => {
            let topics = response.topics.iter();
            let partitions = topics.flat_map(|topic| &topic.partitions);
            partitions.map(|partition| partition.error_code).collect()
        }
        Reply::OffsetFetch(response) => {
            let groups = response.groups.iter().flat_map(|group| {
                let topics = group.topics.iter();
                let partitions = topics.flat_map(|topic| &topic.partitions);
                let partitions = partitions.map(|partition| partition.error_code);
                [group.error_code].into_iter().chain(partitions)
            });
            let old = response.topics.iter().flat_map(|topic| &topic.partitions);
            let old = old.map(|partition| partition.error_code);
            [response.error_code].into_iter().chain(old).chain(groups).collect()
        }
        Reply::OffsetDelete(response) => {
            let topics = response.topics.iter();
            let partitions = topics.flat_map(|topic| &topic.partitions);
            let partitions = partitions.map(|partition| partition.error_code);
            [response.error_code].into_iter().chain(partitions).collect()
        }
        Reply::DescribeGroups(response) => {
            response.groups.iter().map(|group| group.error_code).collect()
        }
        Reply::ListGroups(response) => vec![response.error_code],
        Reply::DeleteGroups(response) => {
            response.results.iter().map(|result| result.error_code).collect()
        }
        Reply::TopicDeleted => vec![0],
        Reply::Refused(code) => vec![code.0],
    };
    codes.into_iter().find(|code| *code != 0).unwrap_or(0)
}

impl Harness {
    pub(super) fn code(&mut self, request: Request) -> i16 {
        code_of(&self.ask(request))
    }

    pub(super) fn join_reply(&mut self, token: Token) -> JoinGroupResponse {
        match self.take(token) {
            Some(Reply::JoinGroup(response)) => response,
            other => panic!("no answer to a join but {other:?}"),
        }
    }

    pub(super) fn sync_reply(&mut self, token: Token) -> SyncGroupResponse {
        match self.take(token) {
            Some(Reply::SyncGroup(response)) => response,
            other => panic!("no answer to a sync but {other:?}"),
        }
    }

    /// Asks for a member id (79).
    pub(super) fn new_member_id(&mut self, group: &str) -> String {
        let token = self.send(join(group, ""));
        let response = self.join_reply(token);
        assert_eq!(response.error_code, 79);
        response.member_id.to_string()
    }

    /// A group with one member, stable, in its first generation.
    pub(super) fn group_of_one(&mut self, group: &str) -> String {
        let member = self.new_member_id(group);
        let token = self.send(join(group, &member));
        self.pass_ms(3_000);
        assert_eq!(self.join_reply(token).generation_id, 1);
        assert_eq!(self.code(sync(group, 1, &member, &[(&member, "all")])), 0);
        member
    }

    /// A stable group of static members, one for each instance id; the first leads. Answers
    /// their member ids.
    pub(super) fn group_of_static(&mut self, group: &str, instances: &[&str]) -> Vec<String> {
        let send = |instance: &&str| join_as(group, "", instance);
        let tokens: Vec<Token> = instances.iter().map(send).map(|join| self.send(join)).collect();
        self.pass_ms(10_000);
        let answers = tokens.into_iter().map(|token| self.join_reply(token));
        let answers: Vec<JoinGroupResponse> = answers.collect();
        let ids: Vec<String> = answers.iter().map(|answer| answer.member_id.to_string()).collect();
        let leader = answers[0].leader.to_string();
        let assigned: Vec<(&str, &str)> =
            ids.iter().map(String::as_str).zip(instances.iter().copied()).collect();
        assert_eq!(self.code(sync(group, 1, &leader, &assigned)), 0);
        for id in &ids {
            assert_eq!(self.code(sync(group, 1, id, &[])), 0);
        }
        ids
    }

    pub(super) fn state_of(&mut self, group: &str) -> String {
        match self.ask(describe(6, group)) {
            Reply::DescribeGroups(response) => response.groups[0].group_state.to_string(),
            other => panic!("{other:?}"),
        }
    }

    /// The committed offset as a member would read it.
    pub(super) fn committed(&mut self, group: &str, topic: &str, partition: i32) -> i64 {
        match self.ask(fetch(group, Some((topic, &[partition])))) {
            Reply::OffsetFetch(response) => {
                response.groups[0].topics[0].partitions[0].committed_offset
            }
            other => panic!("{other:?}"),
        }
    }
}
