//! What the handlers that ask the controller share.

use highwater_controller::ControllerReply;

/// The controller answers with the variant of the request; anything else is a bug of ours.
pub fn mismatched<T: Default>(reply: &ControllerReply) -> T {
    tracing::error!(?reply, "the controller answered another request");
    T::default()
}
