//! Reads what Kafka's consumers say in their subscriptions, as far as the coordinator must know.

use bytes::Bytes;
use highwater_wire::messages::ConsumerProtocolSubscription;
use highwater_wire::{Message, Reader, Str};

/// The topics of a `consumer` subscription; `None` if it is not one. Every version begins with
/// the layout of version 0, so later ones are read as far as that goes.
pub(crate) fn subscribed_topics(subscription: &Bytes) -> Option<Vec<Str>> {
    let (version, body) = subscription.split_first_chunk::<2>()?;
    if i16::from_be_bytes(*version) < 0 {
        return None;
    }
    let mut reader = Reader::new(subscription.slice_ref(body));
    let decoded = ConsumerProtocolSubscription::decode(&mut reader, 0).ok()?;
    Some(decoded.topics)
}
