//! Partition logs on disk, in Kafka's format.
//!
//! Owns segments, indexes, recovery, retention, flushing, producer state, leader epochs, and the
//! files of a log directory. All file access goes through one [`Disk`]. Synchronous: calls block,
//! so a storage thread makes them. Knows nothing of tokio, sockets, or who leads a partition.
//! The broker's partitions call it, and the metadata log.
//!
//! [`Log`] is the single writer of a partition, [`LogReader`] any number of readers that never
//! wait for it, [`LogDir`] what lies beside the partitions.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]

mod append;
mod close;
mod compact;
mod config;
mod deletion;
mod dir;
mod disk;
mod epochs;
mod error;
mod fd_cache;
mod flush;
mod indexer;
mod indexes;
pub mod limits;
mod log;
mod lookup;
mod names;
mod offset_index;
mod open;
mod place;
mod producers;
mod read;
mod recovery;
mod replay;
mod retention;
mod roll;
mod segment;
mod snapshots;
mod time_index;
mod time_lookup;
mod truncate;
mod txn_index;
mod view;
mod walk;

pub use append::{BatchOutcome, PendingBatch};
pub use close::Closed;
pub use compact::{Cleanable, Compacted, CompactionError, CompactionJob, Effort};
pub use config::LogConfig;
pub use dir::{Checkpoint, CreatedFolder, LogDir, MetaProperties, PartitionFolder};
pub use disk::{Disk, Listed, OpenMode, OsDisk};
pub use epochs::{EpochEnd, EpochEntry};
pub use error::{LogError, LogStartError, ReadError};
pub use fd_cache::FdCache;
pub use flush::FlushJob;
pub use log::Log;
pub use open::OpenOptions;
pub use producers::{
    AppendOrigin, CompletedTransaction, ProducerEntry, ProducerRefusal, Window, WindowBatch,
};
pub use read::{LogReader, Slice};
pub use retention::Swept;
pub use time_lookup::TimedRecord;
pub use txn_index::AbortedTransaction;
