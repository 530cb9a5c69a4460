//! Compaction: of all records with a key only the newest stays.
//!
//! ```text
//!  log start        clean up to            may be cleaned up to     active segment
//!     |── rewritten ────|──── read for their keys ────|··· left alone ···|
//! ```
//! Three steps, as with a flush: [`Log::begin_compaction`] says what could be done,
//! [`CompactionJob::run`] does it beside the writer, into files of its own, and
//! [`Log::finish_compaction`] puts those in the place of the old segments. Nothing is lost if any
//! step fails or the process ends: until the last step the old segments stand, and `swap.rs` can
//! finish that step at the next start.

mod job;
mod key_map;
mod output;
mod retain;
mod select;
pub(crate) mod swap;
mod transactions;

pub use job::{Compacted, CompactionError, CompactionJob, Effort};
pub use select::Cleanable;
