//! Tests of the coordinator through its driver: requests in, answers and records out.

mod client;
mod fetching;
mod groups;
mod harness;
mod partition;
mod records;
mod refused;
mod replaced;
mod replay;
mod retention;
mod show;
mod size;
mod stuck;
mod two_members;
mod wrong_inputs;
