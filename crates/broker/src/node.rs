//! Who this node is.

use std::sync::Arc;

use highwater_types::{BrokerId, Uuid};

/// Fixed from start to stop.
#[derive(Debug, Clone)]
pub struct NodeIdentity {
    /// `node.id`
    pub id: BrokerId,
    /// 22 characters of base64, from `meta.properties`.
    pub cluster_id: Arc<str>,
    /// Names the data directory, from `meta.properties`.
    pub directory_id: Uuid,
    /// Names this process.
    pub incarnation: Uuid,
    /// Name of the listener that clients use.
    pub listener: Arc<str>,
}
