//! Cluster metadata as a state machine over Kafka's metadata records.
//!
//! Owns the [`Image`] that every handler reads, and the decisions that change it: each request is
//! *decided* into records (`decide/`), and records are *replayed* into the image (`image/`).
//! [`Controller`] puts both behind [`highwater_shard::Shard`]. Reading answers that need the image
//! alone are in [`describe`].
//!
//! What it does not know: consensus, files, sockets, clocks; which replica of a partition is
//! local; what a setting does. Nothing here assumes that the broker beside it is the only one.
//!
//! The caller's duties, beyond those of `highwater_shard`:
//! 1. encode each record with the version that [`record_version`] names;
//! 2. give [`Controller::image`] to handlers only once its records are committed
//!    ([`Unpublished`]), and use [`ImageDelta`] to see what changed;
//! 3. authorize before asking: a decision refuses what is wrong, not what is forbidden.

mod bootstrap;
mod controller;
mod decide;
mod delta;
pub mod describe;
mod draft;
mod error;
pub mod features;
pub mod image;
pub mod limits;
mod partition_change;
mod placement;
mod publish;
mod request;
mod sessions;
pub mod settings;
pub mod topic_name;
mod version;
mod view;

pub use bootstrap::bootstrap_records;
pub use controller::{Controller, ControllerSoft, ControllerTimer};
pub use delta::ImageDelta;
pub use error::{ApiError, Outcome};
pub use image::{BrokerImage, Image, PartitionImage, ResourceKind, TopicImage};
pub use placement::{UsableBroker, place};
pub use publish::Unpublished;
pub use request::{ControllerReply, ControllerRequest};
pub use version::record_version;
pub use view::ControllerView;
