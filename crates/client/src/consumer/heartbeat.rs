//! Staying in a group: heartbeats, and what they bring.

use std::sync::Arc;

use highwater_wire::messages::leave_group_request::MemberIdentity;
use highwater_wire::messages::{HeartbeatRequest, LeaveGroupRequest};
use highwater_wire::{ErrorCode, Str};
use tokio::time::Instant;

use super::Shared;
use super::join::{Joined, count_partitions};
use crate::{Client, ClientError, Committer, CoordinatorKind};

/// What must happen to the membership at the next poll.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Interruption {
    /// Somebody joins or leaves, or partitions have changed: join again, as the same member.
    Rebalance,
    /// The coordinator does not know the member any more: what it held belongs to others now.
    Lost,
    /// There is nothing to be done about it.
    Fatal(ClientError),
}

/// First version of LeaveGroup that takes several members.
const SEVERAL_MEMBERS_FROM: i16 = 3;

/// Sends heartbeats until there is an interruption, and leaves it for the next poll.
pub(super) async fn run(shared: Arc<Shared>, group: Arc<str>, joined: Joined) {
    let interruption = beat(&shared, &group, &joined).await;
    let stays = interruption == Interruption::Rebalance;
    shared.state.lock().interruption.get_or_insert(interruption);
    shared.news.notify_one();
    // While others wait for this member to join again, it must stay alive; the task is ended then.
    if !stays {
        return;
    }
    loop {
        tokio::time::sleep(shared.options.heartbeat_interval).await;
        if is_overdue(&shared) {
            let _ = leave(&shared.client, &group, &joined.committer).await;
            return;
        }
        let _ = once(&shared, &group, &joined.committer).await;
    }
}

fn is_overdue(shared: &Shared) -> bool {
    let last_poll = shared.state.lock().last_poll;
    last_poll.is_some_and(|at| at.elapsed() > shared.options.poll_interval_max)
}

async fn beat(shared: &Shared, group: &str, joined: &Joined) -> Interruption {
    let mut heard = Instant::now();
    let mut counted = Instant::now();
    loop {
        tokio::time::sleep(shared.options.heartbeat_interval).await;
        if is_overdue(shared) {
            tracing::warn!(group, "leaving the group: nobody has polled for too long");
            let _ = leave(&shared.client, group, &joined.committer).await;
            return Interruption::Lost;
        }
        match once(shared, group, &joined.committer).await {
            Ok(code) => {
                heard = Instant::now();
                if let Some(interruption) = interruption_of(group, code) {
                    return interruption;
                }
            }
            Err(error) if heard.elapsed() > shared.options.session_timeout => {
                tracing::warn!(group, %error, "the coordinator was silent for too long");
                return Interruption::Lost;
            }
            Err(error) => tracing::debug!(group, %error, "a heartbeat failed"),
        }
        if counted.elapsed() > shared.client.options().metadata_age_max {
            counted = Instant::now();
            if has_other_partitions(shared, joined).await {
                return Interruption::Rebalance;
            }
        }
    }
}

async fn once(
    shared: &Shared,
    group: &str,
    committer: &Committer,
) -> Result<ErrorCode, ClientError> {
    let request = HeartbeatRequest {
        group_id: group.into(),
        generation_id: committer.generation,
        member_id: committer.member_id.clone(),
        group_instance_id: committer.group_instance_id.clone(),
        ..HeartbeatRequest::default()
    };
    let kind = CoordinatorKind::Group;
    let wait = shared.options.session_timeout;
    let answer =
        shared.client.call_coordinator_within(kind, group, &request, wait, |a| a.error_code);
    answer.await.map(|answer| ErrorCode(answer.error_code))
}

fn interruption_of(group: &str, code: ErrorCode) -> Option<Interruption> {
    match code {
        ErrorCode::NONE => None,
        ErrorCode::REBALANCE_IN_PROGRESS => Some(Interruption::Rebalance),
        ErrorCode::UNKNOWN_MEMBER_ID | ErrorCode::ILLEGAL_GENERATION => Some(Interruption::Lost),
        code => {
            let error = ClientError::check(format!("heartbeat in group {group}"), code.0, None);
            error.err().map(Interruption::Fatal)
        }
    }
}

/// The leader watches for partitions that nobody has been given.
async fn has_other_partitions(shared: &Shared, joined: &Joined) -> bool {
    let Some(counts) = &joined.counts else { return false };
    let topics = shared.state.lock().topics.iter().chain(counts.keys()).cloned().collect();
    match count_partitions(&shared.client, topics).await {
        Ok(now) => now != *counts,
        Err(_) => false,
    }
}

/// Leaves the group, so that others need not wait for the session to end. A member with an instance
/// id stays: it is expected back.
pub(super) async fn leave(
    client: &Client,
    group: &str,
    committer: &Committer,
) -> Result<(), ClientError> {
    if committer.group_instance_id.is_some() {
        return Ok(());
    }
    let connection = client.coordinator(CoordinatorKind::Group, group).await?;
    let mut request =
        LeaveGroupRequest { group_id: Str::from(group), ..LeaveGroupRequest::default() };
    let member_id = committer.member_id.clone();
    if connection.version_of::<LeaveGroupRequest>()? >= SEVERAL_MEMBERS_FROM {
        request.members = vec![MemberIdentity { member_id, ..MemberIdentity::default() }];
    } else {
        request.member_id = member_id;
    }
    let answer = connection.call(&request).await?;
    ClientError::check(format!("leaving group {group}"), answer.error_code, None)
}
