//! Kafka's record batch, version 2, on bytes.
//!
//! Owns the format: the borrowed view ([`BatchView`], [`batches`]), the check of what clients
//! produce ([`validate_produced`]), building ([`BatchBuilder`]), recompression ([`recompress`]),
//! changing stored batches in place ([`patch`]), control records ([`control`]) and the codecs.
//! Knows nothing of files, partitions, sockets or clocks; decides no error codes. The log, the
//! broker's produce path, the coordinators, the client and the tools call it.
//!
//! Duties of the caller:
//! 1. A batch from outside goes through [`validate_produced`] (a client's) or
//!    [`BatchView::verify_crc`] (a replica's, a file's) before anything in it is believed.
//! 2. One [`Scratch`] for each reader, kept from batch to batch.
//! 3. After [`validate_produced`]: recompress if the summary or the topic demands it, then
//!    [`patch::assign`] the offsets and set the times by [`BatchSummary::patch_times`].

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing))]

mod attributes;
mod builder;
mod codec;
pub mod control;
mod crc;
mod error;
mod header;
pub mod limits;
mod lookup;
pub mod patch;
mod recompress;
mod record;
mod run;
mod validate;
mod varint;
mod view;
mod walk;

pub use attributes::{Attributes, TimestampType};
pub use builder::{BatchBuilder, BatchOptions, NewRecord, emptied};
pub use codec::{Compression, compress, decompress};
pub use error::{BatchError, CodecFault, RecordError, RecordFault, Refusal, RefusedRecords};
pub use header::{BatchHeader, HEADER_BYTES, LOG_OVERHEAD, MAGIC};
pub use lookup::{TimedOffset, first_at_or_after, first_of_max_timestamp};
pub use recompress::recompress;
pub use record::{Header, Headers, RecordView};
pub use run::{Batches, Tail, batches};
pub use validate::{
    Accepted, BatchSummary, Storing, ValidateOptions, accept_produced, validate_produced,
};
pub use view::{BatchView, Records, Scratch};
