//! One Highwater node: its partitions, its coordinators, and the handlers of the Kafka protocol.
//!
//! Owns the wiring: who may call whom while the node runs. Knows nothing of HTTP, of the command
//! line, or of how a frame gets on and off a socket (`net`).

mod authorized;
mod auto_create;
mod background;
mod cleaner;
mod clock;
mod codes;
mod fetch;
mod handlers;
mod hosting;
pub mod limits;
mod log_levels;
mod lookup;
mod metadata_applier;
mod metadata_log;
mod network;
mod node;
mod opening;
mod partition;
mod produce;
mod producer_ids;
mod service;
mod startup;
mod storage;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use arc_swap::{ArcSwap, ArcSwapOption};
use highwater_config::{BrokerConfig, StaticConfig};
use highwater_controller::Image;
use highwater_net::Admission;

pub use log_levels::LogLevels;
pub use node::NodeIdentity;
pub use startup::{RunningBroker, StartError, StartOptions, start};

use crate::clock::Clock;
use crate::fetch::SessionCache;
use crate::hosting::{GroupHosts, MetadataHandle};
use crate::opening::Opening;
use crate::partition::{Partition, PartitionDirectory};
use crate::producer_ids::ProducerIdBlock;
use crate::storage::StorageQueue;

/// What every handler may reach.
pub struct Broker {
    pub(crate) node: NodeIdentity,
    pub(crate) clock: Clock,
    /// Settings of the file, the environment and the command line.
    pub(crate) settings: Arc<StaticConfig>,
    /// Settings of this broker as they are now: file, environment, command line, dynamic.
    pub(crate) config: ArcSwap<BrokerConfig>,
    /// Committed metadata. Nothing above the metadata log's high watermark shows here.
    pub(crate) image: ArcSwap<Image>,
    /// Offset of the last committed metadata record, -1 before the first.
    metadata_offset: AtomicI64,
    pub(crate) partitions: PartitionDirectory,
    pub(crate) controller: MetadataHandle,
    pub(crate) metadata_log: Arc<Partition>,
    pub(crate) groups: GroupHosts,
    pub(crate) sessions: SessionCache,
    pub(crate) producer_ids: ProducerIdBlock,
    pub(crate) opening: Opening,
    /// Set when a stop begins: long work ends early.
    pub(crate) is_stopping: AtomicBool,
    /// One for each storage thread.
    pub(crate) queues: Vec<Arc<StorageQueue>>,
    /// Who may connect; set when the listeners are served.
    pub(crate) admission: ArcSwapOption<Admission>,
    pub(crate) log_levels: LogLevels,
}

impl Broker {
    /// Offset of the last committed metadata record (ApiVersions: `finalized_features_epoch`).
    pub(crate) fn metadata_offset(&self) -> i64 {
        self.metadata_offset.load(Ordering::Acquire)
    }
}
