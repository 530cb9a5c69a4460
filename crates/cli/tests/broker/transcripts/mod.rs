//! Conversations with Kafka 4.4.0, held again: every field of the answers, but for ids and times.

mod classic_group;
mod fetch_session;
mod list_offsets;
mod metadata;
