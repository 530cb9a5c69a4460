//! A small Kafka client for our own needs: the command line, tests, and brokers that fetch from
//! each other. It works against any Kafka from 2.0 on.
//!
//! [`Connection`] speaks with one broker and knows the protocol only; [`Client`] knows a
//! cluster's brokers, topics and coordinators and finds who must be asked. Whatever has no method
//! of its own is a request of `highwater_wire` given to `call`.
//!
//! Knows nothing of the broker's inside. Holds no thread: everything runs on the caller's tokio
//! runtime.

mod cluster;
mod connection;
mod consumer;
mod error;
pub mod limits;
mod link;
mod options;
mod producer;
mod retry;
mod versions;

pub use cluster::{
    Broker, Client, ClientOptions, Committed, Committer, CoordinatorKind, Leader, ListedOffset,
    OffsetQuery, Partition, Purpose, Topic,
};
pub use connection::{Begun, Connection};
pub use consumer::{Consumer, ConsumerOptions, ConsumerRecord, Reset, Start};
pub use error::ClientError;
pub use options::ConnectOptions;
pub use producer::{
    Acks, Delivered, Delivery, Producer, ProducerOptions, ProducerRecord, RecordHeader,
    partition_of_key,
};
pub use retry::Backoff;
pub use versions::Versions;
