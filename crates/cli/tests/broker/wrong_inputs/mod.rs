//! Requests that are wrong, or odd but right, and the code that answers each.
//!
//! The codes are Kafka 4.4.0's; where ours differs on purpose, the case says so and
//! `docs/differences.md` says why. Where Kafka explains itself in words, so must we, in our own.

mod case;

mod admin_groups;
mod configs;
mod fetch;
mod frames;
mod groups;
mod idempotence;
mod metadata;
mod not_yet;
mod offsets;
mod produce;
mod reassignment;
mod security;
mod static_members;
mod topic_settings;
mod topics;
