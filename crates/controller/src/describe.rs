//! Answers that the image alone gives. Called by the broker's handlers; decide nothing.

mod client_quotas;
mod config_resources;
mod quorum;
mod reassignments;
mod scram;
mod topic_configs;

pub use client_quotas::describe_client_quotas;
pub use config_resources::list_config_resources;
pub use quorum::{Quorum, QuorumReplica, describe_quorum};
pub use reassignments::list_partition_reassignments;
pub use scram::describe_user_scram_credentials;
pub(crate) use topic_configs::topic_configs;
