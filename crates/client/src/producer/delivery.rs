//! [`Delivery`]: what becomes of a record that was sent. One allocation for a whole batch.

use std::sync::{Arc, OnceLock};

use highwater_types::{Offset, PartitionIndex, Timestamp};
use tokio::sync::Notify;

use crate::ClientError;

/// A record that is on its way. Dropping it changes nothing.
#[derive(Clone)]
pub struct Delivery {
    outcome: Arc<Outcome>,
    /// Place of the record in its batch.
    index: i64,
}

/// Where a record is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delivered {
    pub partition: PartitionIndex,
    /// `None` if the broker did not say: with `acks=0`, or for a retry that it had forgotten.
    pub offset: Option<Offset>,
    /// The broker's time, in topics with `message.timestamp.type=LogAppendTime`.
    pub append_time: Option<Timestamp>,
}

/// What becomes of a batch.
pub(super) struct Outcome {
    partition: PartitionIndex,
    result: OnceLock<Result<Placed, ClientError>>,
    done: Notify,
}

/// Where a batch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) base_offset: Option<Offset>,
    pub(super) append_time: Option<Timestamp>,
}

impl Outcome {
    pub(super) fn new(partition: PartitionIndex) -> Arc<Self> {
        Arc::new(Outcome { partition, result: OnceLock::new(), done: Notify::new() })
    }

    pub(super) fn delivery(self: &Arc<Self>, index: i64) -> Delivery {
        Delivery { outcome: self.clone(), index }
    }

    /// The first result counts.
    pub(super) fn set(&self, result: Result<Placed, ClientError>) {
        let _ = self.result.set(result);
        self.done.notify_waiters();
    }

    pub(super) async fn wait(&self) -> &Result<Placed, ClientError> {
        loop {
            let mut done = std::pin::pin!(self.done.notified());
            done.as_mut().enable();
            if let Some(result) = self.result.get() {
                return result;
            }
            done.await;
        }
    }
}

impl Delivery {
    /// Waits for the record to be delivered or to have failed for good.
    ///
    /// # Errors
    /// `Broker`, `GaveUp` after the delivery timeout, `Invalid` if the producer is gone.
    pub async fn wait(&self) -> Result<Delivered, ClientError> {
        self.outcome.wait().await.clone().map(|placed| self.delivered(placed))
    }

    /// The result, if there is one already.
    pub fn result(&self) -> Option<Result<Delivered, ClientError>> {
        let result = self.outcome.result.get()?;
        Some(result.clone().map(|placed| self.delivered(placed)))
    }

    fn delivered(&self, placed: Placed) -> Delivered {
        Delivered {
            partition: self.outcome.partition,
            offset: placed.base_offset.map(|base| base.plus(self.index)),
            append_time: placed.append_time,
        }
    }
}
