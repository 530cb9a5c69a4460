//! Kafka's record batch, version 2, on bytes.
//!
//! Owns the format: the borrowed view ([`BatchView`], [`batches`]), the check of what clients
//! produce ([`validate_produced`]), building ([`BatchBuilder`]), recompression ([`recompress`]),
//! changing stored batches in place ([`patch`]), control records ([`control`]) and the codecs.
//! Knows nothing of files, partitions, sockets or clocks; decides no error codes. The log, the
//! broker's produce path, the coordinators, the client and the tools call it.
//!
//! Duties of the caller:
//! 1. What a client sends goes through [`accept_produced`], a replica's or a file's batch through
//!    [`BatchView::verify_crc`], before anything in it is believed.
//! 2. One [`Scratch`] for each reader, kept from batch to batch.
//! 3. An accepted batch still has the client's offsets and times: set them with [`patch`] and
//!    [`BatchSummary::patch_times`], or in a header of your own with
//!    [`BatchHeader::with_crc_over`], if the bytes are shared.

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
    Accepted, BatchSummary, Rewrite, Storing, ValidateOptions, accept_produced, validate_produced,
};
pub use view::{BatchView, Records, Scratch};
