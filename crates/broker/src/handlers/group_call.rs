//! What the handlers of group APIs share: finding the coordinator, asking it, and answering in
//! its stead when it cannot be asked.

use std::sync::Arc;

use highwater_group::{Call as GroupCall, MemberOrigin, Reply, Request, refuse};
use highwater_wire::Str;

use super::Call;
use crate::Broker;

/// Wraps a request's body for the coordinator.
pub fn of<R>(call: &Call, body: R) -> GroupCall<R> {
    GroupCall {
        version: call.version,
        origin: MemberOrigin {
            client_id: call.client_id.clone().unwrap_or_default(),
            client_host: Str::from(format!("/{}", call.connection.peer().ip())),
        },
        body,
    }
}

/// Asks the coordinator of `group`. The request is in its mailbox when this returns, so requests
/// of one connection are decided in their order.
pub fn ask(
    broker: &Arc<Broker>,
    group: &str,
    request: Request,
) -> impl Future<Output = Reply> + Send + use<> {
    let copy = request.clone();
    let asked = broker.groups.of_group(broker, group).map(|(_, handle)| handle.request(request));
    async move {
        match asked {
            Ok(answer) => match answer.await {
                Reply::Refused(code) => refuse(&copy, code),
                reply => reply,
            },
            Err(code) => refuse(&copy, code),
        }
    }
}

/// A coordinator answers with the variant of the request; anything else is a bug of ours.
pub fn mismatched<T: Default>(reply: &Reply) -> T {
    tracing::error!(?reply, "a group coordinator answered another request");
    T::default()
}
