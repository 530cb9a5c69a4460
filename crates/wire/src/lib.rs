//! Kafka's wire format: every message and record as a Rust type with its codec, the table of API
//! keys, the error codes, headers and frames.
//!
//! The messages are data (`schema/`, one file per API); the build script turns them into
//! [`messages`]. Decoding is zero-copy from [`bytes::Bytes`], never allocates more than a small
//! multiple of the frame, and never recurses. Encoding yields [`Segment`]s, so that records that
//! lie in a file go out without being read.
//!
//! Knows nothing of sockets, of reading files, of what a message means.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::indexing_slicing))]

pub mod api;
#[cfg(feature = "test-support")]
pub mod arbitrary;
mod error;
mod error_code;
pub mod frame;
mod generated;
pub mod header;
pub mod limits;
mod message;
pub mod messages;
pub mod metadata_frame;
mod reader;
mod records;
mod str;
mod tags;
pub mod versioned;
mod writer;

pub use api::ApiKey;
pub use error::{DecodeError, EncodeError, Problem};
pub use error_code::ErrorCode;
pub use message::{CoordinatorKey, Message, Metadata, Request};
pub use reader::Reader;
pub use records::{FileRange, Records, Segment};
pub use str::Str;
pub use tags::{UnknownTag, UnknownTags};
pub use writer::Writer;
