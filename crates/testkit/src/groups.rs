//! Classic consumer groups.

use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use highwater_wire::messages::describe_groups_response::DescribedGroup;
use highwater_wire::messages::join_group_request::JoinGroupRequestProtocol;
use highwater_wire::messages::leave_group_request::MemberIdentity;
use highwater_wire::messages::offset_commit_request::{
    OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use highwater_wire::messages::offset_fetch_request::{
    OffsetFetchRequestGroup, OffsetFetchRequestTopics,
};
use highwater_wire::messages::sync_group_request::SyncGroupRequestAssignment;
use highwater_wire::messages::{
    DescribeGroupsRequest, FindCoordinatorRequest, HeartbeatRequest, JoinGroupRequest,
    JoinGroupResponse, LeaveGroupRequest, OffsetCommitRequest, OffsetFetchRequest,
    SyncGroupRequest, SyncGroupResponse,
};
use highwater_wire::{ErrorCode, Str, Writer};

use crate::Wire;
use crate::topics::Topic;

/// Kafka loads, or first creates, its internal topic.
const COORDINATED_WITHIN: Duration = Duration::from_secs(30);

/// A member of a group after it joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub group: Str,
    pub id: Str,
    pub instance: Option<Str>,
    pub generation: i32,
}

/// What a consumer tells the group's leader: that it wants these topics.
pub fn subscription(topics: &[&str]) -> Bytes {
    let mut w = Writer::new();
    w.i16(1);
    w.i32(topics.len() as i32);
    for topic in topics {
        w.string(false, topic).expect("a short name");
    }
    w.i32(-1);
    w.i32(0);
    w.into_bytes().expect("bytes only")
}

/// A request to join as a consumer; version 4 and above get a member id first.
pub fn join(group: &str, member: &str, instance: Option<&str>) -> JoinGroupRequest {
    let range = JoinGroupRequestProtocol {
        name: "range".into(),
        metadata: subscription(&["t"]),
        ..Default::default()
    };
    JoinGroupRequest {
        group_id: group.into(),
        session_timeout_ms: 10_000,
        rebalance_timeout_ms: 10_000,
        member_id: member.into(),
        group_instance_id: instance.map(Str::from),
        protocol_type: "consumer".into(),
        protocols: vec![range],
        ..Default::default()
    }
}

impl Member {
    pub fn sync(&self, assignments: &[(&str, &'static str)]) -> SyncGroupRequest {
        let assignment =
            |&(member, assignment): &(&str, &'static str)| SyncGroupRequestAssignment {
                member_id: member.into(),
                assignment: assignment.into(),
                ..Default::default()
            };
        SyncGroupRequest {
            group_id: self.group.clone(),
            generation_id: self.generation,
            member_id: self.id.clone(),
            group_instance_id: self.instance.clone(),
            protocol_type: Some("consumer".into()),
            protocol_name: Some("range".into()),
            assignments: assignments.iter().map(assignment).collect(),
            ..Default::default()
        }
    }

    pub fn heartbeat(&self) -> HeartbeatRequest {
        HeartbeatRequest {
            group_id: self.group.clone(),
            generation_id: self.generation,
            member_id: self.id.clone(),
            group_instance_id: self.instance.clone(),
            ..Default::default()
        }
    }

    pub fn leave(&self) -> LeaveGroupRequest {
        let identity = MemberIdentity {
            member_id: self.id.clone(),
            group_instance_id: self.instance.clone(),
            ..Default::default()
        };
        LeaveGroupRequest {
            group_id: self.group.clone(),
            members: vec![identity],
            ..Default::default()
        }
    }

    pub fn commit(&self, topic: &str, partition: i32, offset: i64) -> OffsetCommitRequest {
        OffsetCommitRequest {
            generation_id_or_member_epoch: self.generation,
            member_id: self.id.clone(),
            group_instance_id: self.instance.clone(),
            ..simple_commit(&self.group, topic, partition, offset)
        }
    }
}

/// A commit by somebody who manages no group.
pub fn simple_commit(group: &str, topic: &str, partition: i32, offset: i64) -> OffsetCommitRequest {
    let partition = OffsetCommitRequestPartition {
        partition_index: partition,
        committed_offset: offset,
        committed_metadata: Some(Str::default()),
        ..Default::default()
    };
    let topic = OffsetCommitRequestTopic {
        name: topic.into(),
        partitions: vec![partition],
        ..Default::default()
    };
    OffsetCommitRequest {
        group_id: group.into(),
        generation_id_or_member_epoch: -1,
        topics: vec![topic],
        ..Default::default()
    }
}

impl Wire {
    /// Returns when the group's coordinator answers.
    pub fn wait_for_coordinator(&mut self, group: &str) {
        let deadline = Instant::now() + COORDINATED_WITHIN;
        loop {
            let request = FindCoordinatorRequest {
                coordinator_keys: vec![group.into()],
                ..Default::default()
            };
            let found = self.call(4, &request).coordinators.remove(0).error_code;
            let answered = ErrorCode(self.describe_group(group).error_code);
            if found == 0 && !answered.is_retriable() {
                return;
            }
            assert!(Instant::now() < deadline, "{group}: {}", ErrorCode(found));
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Joins; where the group first hands out a member id, joins with it.
    pub fn join(&mut self, request: &JoinGroupRequest) -> JoinGroupResponse {
        let answer = self.call(9, request);
        if answer.error_code != ErrorCode::MEMBER_ID_REQUIRED.0 {
            return answer;
        }
        self.call(9, &JoinGroupRequest { member_id: answer.member_id, ..request.clone() })
    }

    /// Joins as a consumer, alone or as the last awaited one.
    pub fn join_as(&mut self, group: &str, instance: Option<&str>) -> Member {
        let answer = self.join(&join(group, "", instance));
        assert_eq!(answer.error_code, 0, "{}", ErrorCode(answer.error_code));
        member_of(group, instance, &answer)
    }

    /// Joins as the only member and gives itself everything.
    pub fn join_alone(&mut self, group: &str, instance: Option<&str>) -> Member {
        self.wait_for_coordinator(group);
        let member = self.join_as(group, instance);
        let answer = self.sync(&member, &[(&member.id, "all")]);
        assert_eq!(answer.error_code, 0, "{}", ErrorCode(answer.error_code));
        member
    }

    pub fn sync(&mut self, member: &Member, given: &[(&str, &'static str)]) -> SyncGroupResponse {
        self.call(5, &member.sync(given))
    }

    pub fn heartbeat(&mut self, member: &Member) -> ErrorCode {
        ErrorCode(self.call(4, &member.heartbeat()).error_code)
    }

    pub fn describe_group(&mut self, group: &str) -> DescribedGroup {
        let request = DescribeGroupsRequest { groups: vec![group.into()], ..Default::default() };
        self.call(6, &request).groups.remove(0)
    }

    /// Commits one offset.
    pub fn commit(&mut self, request: &OffsetCommitRequest) -> ErrorCode {
        ErrorCode(self.call(9, request).topics[0].partitions[0].error_code)
    }

    /// The committed offset; -1 if there is none.
    pub fn committed(&mut self, group: &str, topic: &Topic, partition: i32) -> i64 {
        let topic = OffsetFetchRequestTopics {
            name: topic.name.clone(),
            partition_indexes: vec![partition],
            ..Default::default()
        };
        let group = OffsetFetchRequestGroup {
            group_id: group.into(),
            topics: Some(vec![topic]),
            ..Default::default()
        };
        let request = OffsetFetchRequest { groups: vec![group], ..Default::default() };
        let group = self.call(9, &request).groups.remove(0);
        assert_eq!(group.error_code, 0, "{}", ErrorCode(group.error_code));
        group.topics[0].partitions[0].committed_offset
    }
}

/// The member that this answer is for.
pub fn member_of(group: &str, instance: Option<&str>, answer: &JoinGroupResponse) -> Member {
    Member {
        group: group.into(),
        id: answer.member_id.clone(),
        instance: instance.map(Str::from),
        generation: answer.generation_id,
    }
}
