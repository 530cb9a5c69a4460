//! What `decide` may see beside the image: who we are and what the configuration file says.

use std::sync::Arc;

use highwater_config::StaticConfig;
use highwater_types::BrokerId;

/// Fixed while the process runs.
#[derive(Clone, Debug)]
pub struct ControllerView {
    /// This node: the active controller and, in combined mode, a broker.
    pub node_id: BrokerId,
    /// 22 characters of base64.
    pub cluster_id: Arc<str>,
    /// Settings of the file, the environment and the command line.
    pub static_config: Arc<StaticConfig>,
}
