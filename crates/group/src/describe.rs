//! DescribeGroups, ListGroups and DeleteGroups: what administrators see, and remove.

use highwater_shard::Token;
use highwater_wire::messages::delete_groups_response::DeletableGroupResult;
use highwater_wire::messages::describe_groups_response::{DescribedGroup, DescribedGroupMember};
use highwater_wire::messages::list_groups_response::ListedGroup;
use highwater_wire::messages::{
    DeleteGroupsRequest, DeleteGroupsResponse, DescribeGroupsRequest, DescribeGroupsResponse,
    ListGroupsRequest, ListGroupsResponse,
};
use highwater_wire::{ErrorCode, Str};

use crate::classic::{ClassicGroup, GroupState, Member};
use crate::record::Record;
use crate::turn::Turn;
use crate::{Call, GroupCoordinator, Reply};

/// The state of a group that does not exist.
const DEAD: &str = "Dead";
const TYPE_CLASSIC: &str = "classic";
/// From this version on DescribeGroups says that a group does not exist.
const NOT_FOUND_FROM: i16 = 6;

impl GroupCoordinator {
    pub(crate) fn decide_describe(
        &self,
        token: Token,
        call: Call<DescribeGroupsRequest>,
        turn: &mut Turn<'_>,
    ) {
        let groups = call.body.groups.iter().map(|id| match self.group(id) {
            Some(group) => describe_group(&group),
            None => describe_missing(id, call.version),
        });
        let response = DescribeGroupsResponse { groups: groups.collect(), ..Default::default() };
        turn.reply(token, Reply::DescribeGroups(response));
    }

    /// Filters by state and by type know no case; a word that no group has matches none.
    pub(crate) fn decide_list(
        &self,
        token: Token,
        call: Call<ListGroupsRequest>,
        turn: &mut Turn<'_>,
    ) {
        let body = call.body;
        let groups = self.group_ids().into_iter().filter_map(|id| {
            let group = self.group(id)?;
            let is_asked = matches_filter(&body.states_filter, group.state.name())
                && matches_filter(&body.types_filter, TYPE_CLASSIC);
            is_asked.then(|| ListedGroup {
                group_id: id.clone(),
                protocol_type: group.protocol_type.clone().unwrap_or_default(),
                group_state: Str::from_static(group.state.name()),
                group_type: Str::from_static(TYPE_CLASSIC),
                ..ListedGroup::default()
            })
        });
        let response = ListGroupsResponse { groups: groups.collect(), ..Default::default() };
        turn.reply(token, Reply::ListGroups(response));
    }

    pub(crate) fn decide_delete_groups(
        &self,
        token: Token,
        call: Call<DeleteGroupsRequest>,
        turn: &mut Turn<'_>,
    ) {
        let mut results = Vec::with_capacity(call.body.groups_names.len());
        for group_id in call.body.groups_names {
            let code = match self.group(&group_id) {
                None => ErrorCode::GROUP_ID_NOT_FOUND,
                Some(group) if group.state != GroupState::Empty => ErrorCode::NON_EMPTY_GROUP,
                Some(_) => {
                    self.delete_group(&group_id, turn);
                    ErrorCode::NONE
                }
            };
            let error_code = code.0;
            results.push(DeletableGroupResult { group_id, error_code, ..Default::default() });
        }
        let response = DeleteGroupsResponse { results, ..DeleteGroupsResponse::default() };
        turn.reply(token, Reply::DeleteGroups(response));
    }

    fn delete_group(&self, group_id: &Str, turn: &mut Turn<'_>) {
        for tombstone in self.state().offset_tombstones(group_id) {
            turn.record(tombstone);
        }
        turn.record(Record::group_tombstone(group_id));
        turn.forget(group_id.clone());
    }
}

fn describe_group(group: &ClassicGroup) -> DescribedGroup {
    // Only a stable group has a strategy, and subscriptions in its terms.
    let protocol = group.protocol.as_ref().filter(|_| group.state == GroupState::Stable);
    DescribedGroup {
        group_id: group.id.clone(),
        group_state: Str::from_static(group.state.name()),
        protocol_type: group.protocol_type.clone().unwrap_or_default(),
        protocol_data: protocol.cloned().unwrap_or_default(),
        members: group.members().map(|member| describe_member(member, protocol)).collect(),
        ..DescribedGroup::default()
    }
}

fn describe_member(member: &Member, protocol: Option<&Str>) -> DescribedGroupMember {
    DescribedGroupMember {
        member_id: member.id.clone(),
        group_instance_id: member.instance_id.clone(),
        client_id: member.client_id.clone(),
        client_host: member.client_host.clone(),
        member_metadata: protocol.map(|name| member.metadata(name)).unwrap_or_default(),
        member_assignment: member.assignment.clone(),
        ..DescribedGroupMember::default()
    }
}

fn describe_missing(id: &Str, version: i16) -> DescribedGroup {
    let (code, message) = if version >= NOT_FOUND_FROM {
        (ErrorCode::GROUP_ID_NOT_FOUND, Some(Str::from(format!("Group {id} not found."))))
    } else {
        (ErrorCode::NONE, None)
    };
    DescribedGroup {
        error_code: code.0,
        error_message: message,
        group_id: id.clone(),
        group_state: Str::from_static(DEAD),
        ..DescribedGroup::default()
    }
}

fn matches_filter(filter: &[Str], word: &str) -> bool {
    filter.is_empty() || filter.iter().any(|asked| asked.trim().eq_ignore_ascii_case(word))
}
