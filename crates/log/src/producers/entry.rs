//! What a log knows of one producer, and what it answers to the producer's next batch.

use highwater_records::BatchHeader;
use highwater_records::control::EndTxnMarker;
use highwater_types::{Offset, ProducerEpoch, ProducerId, Timestamp};

use super::window::{Window, WindowBatch};

/// Where an append comes from, which decides how much of it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppendOrigin {
    /// A Produce request: epochs and sequences are checked.
    Client,
    /// A coordinator of this broker: epochs are checked, sequences are not.
    Coordinator,
    /// The leader's log: taken as it is, offsets included.
    Replication,
}

/// Why a producer's batch was not appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProducerRefusal {
    /// Kafka: INVALID_PRODUCER_EPOCH.
    #[error("epoch {epoch} of producer {producer} is older than {current}")]
    StaleEpoch { producer: ProducerId, epoch: ProducerEpoch, current: ProducerEpoch },
    /// Kafka: OUT_OF_ORDER_SEQUENCE_NUMBER.
    #[error("sequence {sequence} of producer {producer} does not follow {last}")]
    OutOfOrder { producer: ProducerId, sequence: i32, last: i32 },
    /// Kafka: INVALID_TXN_STATE.
    #[error("producer {producer} sent a plain batch within its transaction")]
    InsideTransaction { producer: ProducerId },
    /// Kafka: TRANSACTION_COORDINATOR_FENCED.
    #[error("coordinator epoch {epoch} is older than {current} for producer {producer}")]
    StaleCoordinator { producer: ProducerId, epoch: i32, current: i32 },
}

/// A transaction that a marker has just ended in this log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompletedTransaction {
    pub producer: ProducerId,
    pub first_offset: Offset,
    /// Offset of the marker.
    pub last_offset: Offset,
    pub is_commit: bool,
}

/// The verdict on a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Append,
    Duplicate(WindowBatch),
    Refuse(ProducerRefusal),
}

/// State of one producer in one log. Outlives the records it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProducerEntry {
    pub id: ProducerId,
    pub epoch: ProducerEpoch,
    /// Epoch of the transaction coordinator that wrote the last marker, -1 before the first.
    pub coordinator_epoch: i32,
    /// Largest timestamp of the last batch or marker.
    pub last_timestamp: Timestamp,
    /// First offset of the open transaction.
    pub transaction_first: Option<Offset>,
    /// Batches of `epoch` only.
    pub window: Window,
}

impl ProducerEntry {
    pub(crate) fn new(id: ProducerId) -> Self {
        ProducerEntry {
            id,
            epoch: ProducerEpoch::NONE,
            coordinator_epoch: -1,
            last_timestamp: Timestamp::NONE,
            transaction_first: None,
            window: Window::default(),
        }
    }

    /// Sequence of the last record, -1 if no batch of this epoch is known.
    pub fn last_sequence(&self) -> i32 {
        self.window.newest().map_or(-1, |batch| batch.last_sequence)
    }

    /// What to do with a batch of this producer. `marker` is set for a control batch.
    pub(crate) fn decide(
        &self,
        header: &BatchHeader,
        marker: Option<EndTxnMarker>,
        origin: AppendOrigin,
    ) -> Verdict {
        if origin == AppendOrigin::Replication {
            return Verdict::Append;
        }
        if origin == AppendOrigin::Client && header.producer_epoch == self.epoch.get() {
            let (first, last) = (header.base_sequence, header.last_sequence());
            if let Some(batch) = self.window.find(first, last) {
                return Verdict::Duplicate(batch);
            }
        }
        let refusal = self
            .check_epoch(header)
            .and_then(|()| match marker {
                Some(marker) => self.check_coordinator(marker),
                None if origin == AppendOrigin::Client => self.check_sequence(header),
                None => Ok(()),
            })
            .and_then(|()| self.check_transaction(header, marker));
        refusal.map_or_else(Verdict::Refuse, |()| Verdict::Append)
    }

    fn check_epoch(&self, header: &BatchHeader) -> Result<(), ProducerRefusal> {
        if header.producer_epoch >= self.epoch.get() {
            return Ok(());
        }
        let epoch = ProducerEpoch(header.producer_epoch);
        Err(ProducerRefusal::StaleEpoch { producer: self.id, epoch, current: self.epoch })
    }

    fn check_sequence(&self, header: &BatchHeader) -> Result<(), ProducerRefusal> {
        let (sequence, last) = (header.base_sequence, self.last_sequence());
        let in_order = if self.epoch == ProducerEpoch::NONE {
            // Unknown here, perhaps because its state expired: any sequence may come first.
            true
        } else if header.producer_epoch != self.epoch.get() {
            sequence == 0
        } else {
            i64::from(sequence) == i64::from(last) + 1 || sequence == 0 && last == i32::MAX
        };
        if in_order {
            return Ok(());
        }
        Err(ProducerRefusal::OutOfOrder { producer: self.id, sequence, last })
    }

    fn check_coordinator(&self, marker: EndTxnMarker) -> Result<(), ProducerRefusal> {
        if marker.coordinator_epoch >= self.coordinator_epoch {
            return Ok(());
        }
        let (epoch, current) = (marker.coordinator_epoch, self.coordinator_epoch);
        Err(ProducerRefusal::StaleCoordinator { producer: self.id, epoch, current })
    }

    fn check_transaction(
        &self,
        header: &BatchHeader,
        marker: Option<EndTxnMarker>,
    ) -> Result<(), ProducerRefusal> {
        let is_plain = marker.is_none() && !header.is_transactional();
        if is_plain && self.transaction_first.is_some() {
            return Err(ProducerRefusal::InsideTransaction { producer: self.id });
        }
        Ok(())
    }

    /// Takes a data batch whose offsets are assigned.
    pub(crate) fn replay_batch(&mut self, header: &BatchHeader) {
        self.enter_epoch(header);
        self.last_timestamp = Timestamp(header.max_timestamp);
        self.window.push(WindowBatch::of(header));
        if header.is_transactional() && self.transaction_first.is_none() {
            self.transaction_first = Some(Offset(header.base_offset));
        }
    }

    /// Takes a marker; returns the transaction it ends, if it holds anything.
    pub(crate) fn replay_marker(
        &mut self,
        header: &BatchHeader,
        marker: EndTxnMarker,
    ) -> Option<CompletedTransaction> {
        self.enter_epoch(header);
        self.coordinator_epoch = marker.coordinator_epoch;
        self.last_timestamp = Timestamp(header.max_timestamp);
        let first_offset = self.transaction_first.take()?;
        Some(CompletedTransaction {
            producer: self.id,
            first_offset,
            last_offset: Offset(header.last_offset()),
            is_commit: marker.is_commit,
        })
    }

    fn enter_epoch(&mut self, header: &BatchHeader) {
        if header.producer_epoch != self.epoch.get() {
            self.epoch = ProducerEpoch(header.producer_epoch);
            self.window.clear();
        }
    }
}
