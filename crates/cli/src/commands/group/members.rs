//! A group's state and members, of the classic protocol or of the consumer protocol.

use highwater_client::{ClientError, Connection};
use highwater_wire::messages::consumer_group_describe_response as modern;
use highwater_wire::messages::describe_groups_response as classic;
use highwater_wire::messages::{
    ConsumerGroupDescribeRequest, ConsumerProtocolAssignment, DescribeGroupsRequest,
};
use highwater_wire::{ErrorCode, versioned};

use crate::failure::Outcome;
use crate::session::{Place, Session};

#[derive(Debug, Clone, PartialEq)]
pub struct GroupInfo {
    pub kind: &'static str,
    pub state: String,
    /// How partitions are shared out.
    pub assignor: String,
    pub members: Vec<MemberInfo>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct MemberInfo {
    pub id: String,
    /// Of a static member.
    pub instance: Option<String>,
    pub client: String,
    pub host: String,
    pub places: Vec<Place>,
}

/// Asks as the consumer protocol first: a broker answers for its kind only.
pub async fn group_info(
    session: &Session,
    coordinator: &Connection,
    group: &str,
) -> Outcome<GroupInfo> {
    let asked = session.patiently(|| ask_modern(coordinator, group)).await?;
    match asked {
        Some(info) => Ok(info),
        None => session.patiently(|| ask_classic(coordinator, group)).await,
    }
}

async fn ask_modern(
    coordinator: &Connection,
    group: &str,
) -> Result<Option<GroupInfo>, ClientError> {
    let request = ConsumerGroupDescribeRequest {
        group_ids: vec![group.into()],
        ..ConsumerGroupDescribeRequest::default()
    };
    let answer = match coordinator.call(&request).await {
        Err(ClientError::Unsupported { .. }) => return Ok(None),
        answer => answer?,
    };
    let Some(found) = answer.groups.first() else { return Ok(None) };
    match ErrorCode(found.error_code) {
        ErrorCode::GROUP_ID_NOT_FOUND | ErrorCode::UNSUPPORTED_VERSION => Ok(None),
        _ => {
            let what = format!("describing group {group}");
            ClientError::check(what, found.error_code, found.error_message.as_deref())?;
            Ok(Some(from_modern(found)))
        }
    }
}

fn from_modern(group: &modern::DescribedGroup) -> GroupInfo {
    let member = |member: &modern::Member| MemberInfo {
        id: member.member_id.to_string(),
        instance: member.instance_id.as_ref().map(ToString::to_string),
        client: member.client_id.to_string(),
        host: member.client_host.to_string(),
        places: member
            .assignment
            .topic_partitions
            .iter()
            .flat_map(|t| t.partitions.iter().map(|index| (t.topic_name.to_string(), *index)))
            .collect(),
    };
    GroupInfo {
        kind: "consumer",
        state: group.group_state.to_string(),
        assignor: group.assignor_name.to_string(),
        members: group.members.iter().map(member).collect(),
    }
}

async fn ask_classic(coordinator: &Connection, group: &str) -> Result<GroupInfo, ClientError> {
    let request =
        DescribeGroupsRequest { groups: vec![group.into()], ..DescribeGroupsRequest::default() };
    let answer = coordinator.call(&request).await?;
    let what = format!("describing group {group}");
    let Some(found) = answer.groups.first() else {
        return Err(ClientError::Invalid(format!("{what}: the broker answered nothing").into()));
    };
    ClientError::check(what, found.error_code, found.error_message.as_deref())?;
    if found.group_state == "Dead" {
        // Before version 6 that is how a broker says that there is none.
        let code = ErrorCode::GROUP_ID_NOT_FOUND;
        ClientError::check(format!("describing group {group}"), code.0, None)?;
    }
    Ok(from_classic(found))
}

fn from_classic(group: &classic::DescribedGroup) -> GroupInfo {
    let member = |member: &classic::DescribedGroupMember| MemberInfo {
        id: member.member_id.to_string(),
        instance: member.group_instance_id.as_ref().map(ToString::to_string),
        client: member.client_id.to_string(),
        host: member.client_host.to_string(),
        places: assigned(&member.member_assignment),
    };
    GroupInfo {
        kind: "classic",
        state: group.group_state.to_string(),
        assignor: group.protocol_data.to_string(),
        members: group.members.iter().map(member).collect(),
    }
}

/// Of a group that is not of consumers the bytes mean something else: nothing is shown then.
fn assigned(bytes: &bytes::Bytes) -> Vec<Place> {
    let decoded: Result<ConsumerProtocolAssignment, _> = versioned::decode(bytes.clone());
    let topics = decoded.map(|assignment| assignment.assigned_partitions).unwrap_or_default();
    let places =
        topics.iter().flat_map(|t| t.partitions.iter().map(|index| (t.topic.to_string(), *index)));
    places.collect()
}
