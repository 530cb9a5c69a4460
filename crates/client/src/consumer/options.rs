//! What a consumer can be told.

use std::sync::Arc;
use std::time::Duration;

use highwater_types::Offset;

use crate::ClientError;

/// Where to begin where nothing says where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reset {
    Earliest,
    Latest,
    /// It is an error.
    None,
}

/// Where to begin in an assigned partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    Offset(Offset),
    Earliest,
    Latest,
    /// Behind what the group has committed; [`ConsumerOptions::reset`] where it has not.
    Committed,
}

/// Settings of a [`Consumer`](super::Consumer), with Kafka's defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsumerOptions {
    /// Needed to subscribe and to commit.
    pub group_id: Option<Arc<str>>,
    /// A member that keeps its partitions over a restart.
    pub group_instance_id: Option<Arc<str>>,
    pub reset: Reset,
    /// Sees only what transactions have committed.
    pub is_read_committed: bool,
    /// The broker waits for so much, but not longer than `wait_max`.
    pub bytes_min: usize,
    pub wait_max: Duration,
    /// Of one answer.
    pub bytes_max: usize,
    /// Of one partition in one answer; a larger batch comes whole.
    pub partition_bytes_max: usize,
    /// Records of one poll.
    pub records_max: usize,
    pub checks_crcs: bool,
    /// Commits what earlier polls gave, this often, while polling, and before partitions go to
    /// others. `None`: never by itself.
    pub auto_commit: Option<Duration>,
    pub session_timeout: Duration,
    pub heartbeat_interval: Duration,
    /// Who does not poll for so long gives its partitions up.
    pub poll_interval_max: Duration,
}

impl Default for ConsumerOptions {
    fn default() -> Self {
        ConsumerOptions {
            group_id: None,
            group_instance_id: None,
            reset: Reset::Latest,
            is_read_committed: false,
            bytes_min: 1,
            wait_max: Duration::from_millis(500),
            bytes_max: 50 << 20,
            partition_bytes_max: 1 << 20,
            records_max: 500,
            checks_crcs: true,
            auto_commit: Some(Duration::from_secs(5)),
            session_timeout: Duration::from_secs(45),
            heartbeat_interval: Duration::from_secs(3),
            poll_interval_max: Duration::from_secs(300),
        }
    }
}

impl ConsumerOptions {
    /// A member of a group, with the defaults otherwise.
    pub fn in_group(group_id: &str) -> Self {
        ConsumerOptions { group_id: Some(group_id.into()), ..ConsumerOptions::default() }
    }

    pub(super) fn group(&self) -> Result<&Arc<str>, ClientError> {
        self.group_id.as_ref().ok_or_else(|| ClientError::invalid("this needs a group id"))
    }
}
