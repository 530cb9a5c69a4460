//! Answers as short lines, for tests that follow a whole exchange.

use bytes::Bytes;
use highwater_wire::messages::{DescribeGroupsResponse, JoinGroupResponse, SyncGroupResponse};

use crate::Reply;

/// Member ids are shown by the client id they begin with.
fn short(member_id: &str) -> &str {
    // A UUID has 36 characters, and a dash goes before it.
    member_id.len().checked_sub(37).map_or(member_id, |len| &member_id[..len])
}

fn text(bytes: &Bytes) -> String {
    bytes.iter().map(|byte| char::from(*byte)).filter(char::is_ascii_graphic).collect()
}

pub(super) fn show(reply: &Reply) -> String {
    match reply {
        Reply::JoinGroup(response) => show_join(response),
        Reply::SyncGroup(response) => show_sync(response),
        Reply::Heartbeat(response) => format!("heartbeat {}", response.error_code),
        Reply::LeaveGroup(response) => {
            let members = response.members.iter();
            let members = members.map(|m| format!("{}={}", short(&m.member_id), m.error_code));
            format!("leave {} [{}]", response.error_code, members.collect::<Vec<_>>().join(" "))
        }
        Reply::OffsetCommit(response) => {
            let topics = response.topics.iter();
            let partitions = topics.flat_map(|topic| {
                let partitions = topic.partitions.iter();
                partitions.map(|p| format!("{}-{}={}", topic.name, p.partition_index, p.error_code))
            });
            format!("commit [{}]", partitions.collect::<Vec<_>>().join(" "))
        }
        Reply::DescribeGroups(response) => show_described(response),
        other => format!("{other:?}"),
    }
}

fn show_join(response: &JoinGroupResponse) -> String {
    let members = response.members.iter().map(|member| short(&member.member_id));
    format!(
        "join {} generation {} {}/{} leader {:?} member {:?} members [{}]{}",
        response.error_code,
        response.generation_id,
        response.protocol_type.as_deref().unwrap_or("null"),
        response.protocol_name.as_deref().unwrap_or("null"),
        short(&response.leader),
        short(&response.member_id),
        members.collect::<Vec<_>>().join(" "),
        if response.skip_assignment { " skip" } else { "" },
    )
}

fn show_sync(response: &SyncGroupResponse) -> String {
    format!(
        "sync {} {}/{} {:?}",
        response.error_code,
        response.protocol_type.as_deref().unwrap_or("null"),
        response.protocol_name.as_deref().unwrap_or("null"),
        text(&response.assignment),
    )
}

fn show_described(response: &DescribeGroupsResponse) -> String {
    let groups = response.groups.iter().map(|group| {
        let members = group.members.iter().map(|member| {
            let metadata = if member.member_metadata.is_empty() { "-" } else { "subscribed" };
            let assignment = text(&member.member_assignment);
            let (id, host) = (short(&member.member_id), &member.client_host);
            format!("{id}@{host} {metadata} {assignment:?}")
        });
        format!(
            "described {} {} {:?} {:?} [{}]",
            group.error_code,
            group.group_state,
            &*group.protocol_type,
            &*group.protocol_data,
            members.collect::<Vec<_>>().join("; "),
        )
    });
    groups.collect::<Vec<_>>().join("\n")
}
