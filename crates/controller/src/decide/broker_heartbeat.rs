//! BrokerHeartbeat (63): a broker is alive, and says whether it wants to serve or to stop.

use highwater_types::BrokerId;
use highwater_wire::messages::{BrokerHeartbeatRequest, BrokerHeartbeatResponse};

use super::broker_lifecycle::{
    begin_shutdown, check_epoch, directories_lost, fence, leads_any, push_change, unfence,
};
use super::{ControllerCx, Decided};
use crate::draft::Draft;
use crate::image::{BrokerImage, Image};

/// What a broker is, and is told to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Fenced,
    Active,
    InShutdown,
    /// Fenced, and free to end its process.
    StopNow,
}

/// `others_caught_up`: every other active broker has read the metadata in which this one began to
/// stop, so nobody looks for it as a leader any more.
pub fn decide_broker_heartbeat(
    image: &Image,
    request: &BrokerHeartbeatRequest,
    others_caught_up: bool,
    cx: &ControllerCx<'_>,
) -> Decided<BrokerHeartbeatResponse> {
    let id = BrokerId(request.broker_id);
    let refused = |code: highwater_wire::ErrorCode| {
        Decided::nothing(BrokerHeartbeatResponse {
            error_code: code.0,
            ..BrokerHeartbeatResponse::default()
        })
    };
    if let Err(error) = check_epoch(image, id, request.broker_epoch) {
        return refused(error.code);
    }
    let Some(broker) = image.broker(id) else {
        return refused(highwater_wire::ErrorCode::STALE_BROKER_EPOCH);
    };
    let is_caught_up = request.current_metadata_offset >= broker.epoch;
    let current = state(broker);
    let next = next_state(image, request, current, is_caught_up, others_caught_up);
    let mut draft = Draft::new(image);
    if next != current {
        match next {
            State::Fenced | State::StopNow if !broker.fenced => fence(&mut draft, cx.view, id),
            State::Active => unfence(&mut draft, cx.view, id),
            State::InShutdown => begin_shutdown(&mut draft, cx.view, id),
            State::Fenced | State::StopNow => {}
        }
    }
    change_directories(&mut draft, request, cx);
    Decided {
        records: draft.records,
        reply: BrokerHeartbeatResponse {
            is_caught_up,
            is_fenced: matches!(next, State::Fenced | State::StopNow),
            should_shut_down: next == State::StopNow,
            ..BrokerHeartbeatResponse::default()
        },
    }
}

fn state(broker: &BrokerImage) -> State {
    match (broker.fenced, broker.in_controlled_shutdown) {
        (true, _) => State::Fenced,
        (false, true) => State::InShutdown,
        (false, false) => State::Active,
    }
}

fn next_state(
    image: &Image,
    request: &BrokerHeartbeatRequest,
    current: State,
    is_caught_up: bool,
    others_caught_up: bool,
) -> State {
    let leads = || leads_any(image, BrokerId(request.broker_id));
    match current {
        State::Fenced if request.want_shut_down => State::StopNow,
        State::Fenced if !request.want_fence && is_caught_up => State::Active,
        State::Fenced => State::Fenced,
        State::Active if request.want_fence && request.want_shut_down => State::StopNow,
        State::Active if request.want_fence => State::Fenced,
        State::Active if request.want_shut_down && leads() => State::InShutdown,
        State::Active if request.want_shut_down => State::StopNow,
        State::Active => State::Active,
        State::InShutdown if !leads() && others_caught_up => State::StopNow,
        State::InShutdown => State::InShutdown,
        State::StopNow => State::StopNow,
    }
}

/// Directories that have failed since, and those that take no new partitions.
fn change_directories(draft: &mut Draft, request: &BrokerHeartbeatRequest, cx: &ControllerCx<'_>) {
    let id = BrokerId(request.broker_id);
    let Some(broker) = draft.image.broker(id) else { return };
    let (online, cordoned) = (broker.log_dirs.clone(), broker.cordoned_log_dirs.clone());
    let (lost, left): (Vec<_>, Vec<_>) =
        online.into_iter().partition(|dir| request.offline_log_dirs.contains(dir));
    if !lost.is_empty() {
        directories_lost(draft, cx.view, id, &lost);
        push_change(draft, id, |change| change.log_dirs = left);
    }
    if let Some(told) = &request.cordoned_log_dirs
        && cordoned.as_ref() != Some(told)
    {
        push_change(draft, id, |change| change.cordoned_log_dirs = Some(told.clone()));
    }
}
