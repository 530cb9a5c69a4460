//! Faults that users of brokers reported, and the right behaviour. Each was measured on Kafka
//! 4.4.0; where we do better on purpose, the test says so.

mod admin;
mod connection;
mod fetch;
mod groups;
mod offsets;
mod producers;
mod records;
mod retention;
mod static_members;
mod times;
