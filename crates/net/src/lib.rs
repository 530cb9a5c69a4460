//! Listeners and connections: frames come in, answers go out in the order of their requests,
//! and what the peers can make this process hold in memory is bounded.
//!
//! Owns sockets and nothing else: what a frame means is the [`Service`]'s business. The broker
//! starts a [`Server`] over the listeners it [`bind`]s.
//!
//! Duties of the service:
//! 1. [`Service::on_request`] runs on a network worker, in the order the requests came. It never
//!    blocks.
//! 2. A [`Stage::Pending`] future may be dropped at any point: the peer can go away.
//! 3. State that outlives a request keeps no slice of its frame.
//!
//! Guarantees to the service:
//! 1. Each request of a connection gets at most one answer, and answers leave in order.
//! 2. All futures of a connection make progress, also those behind one that waits.
//! 3. [`Service::on_close`] is called once for every connection, after its futures are gone.

mod accept;
mod admission;
mod budget;
mod cold;
mod config;
mod connection;
mod inbound;
pub mod limits;
mod outbound;
mod queue;
mod server;
mod service;
mod task;

pub use admission::{Admission, ConnectionLimits};
pub use config::NetConfig;
pub use connection::{Connection, Principal, Software};
pub use server::{Server, bind};
pub use service::{CloseReason, Reply, Service, Stage};
