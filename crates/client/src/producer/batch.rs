//! Batches on their way: open, then closed and stamped with the producer's sequence.

use std::sync::Arc;

use bytes::Bytes;
use highwater_records::{BatchBuilder, BatchError, BatchHeader, BatchOptions, HEADER_BYTES};
use highwater_types::{PartitionIndex, ProducerEpoch, ProducerId};
use highwater_wire::{Records, Segment};
use tokio::time::Instant;

use super::ProducerOptions;
use super::delivery::Outcome;

/// Who the broker thinks is producing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) id: ProducerId,
    pub(super) epoch: ProducerEpoch,
}

impl Identity {
    /// Of a producer that is not idempotent.
    pub(super) const NONE: Identity = Identity { id: ProducerId::NONE, epoch: ProducerEpoch::NONE };

    /// The same producer in its next epoch, which the brokers take from it unasked; what is under
    /// way of the one before is then refused. `None` after the last epoch.
    pub(super) fn next_epoch(self) -> Option<Identity> {
        let epoch = self.epoch.get().checked_add(1).map(ProducerEpoch)?;
        Some(Identity { epoch, ..self })
    }
}

/// An identity and the sequence of a batch's first record, -1 without identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) identity: Identity,
    pub(super) sequence: i32,
}

impl Stamp {
    pub(super) fn first(identity: Identity) -> Self {
        Stamp { identity, sequence: if identity == Identity::NONE { -1 } else { 0 } }
    }

    /// Behind a batch of so many records. Sequences begin again at 0 after the largest.
    pub(super) fn behind(self, record_count: i32) -> Self {
        if self.identity == Identity::NONE {
            return self;
        }
        Stamp { sequence: self.sequence.wrapping_add(record_count) & i32::MAX, ..self }
    }
}

/// A batch that takes records.
pub(super) struct OpenBatch {
    pub(super) builder: BatchBuilder,
    pub(super) outcome: Arc<Outcome>,
    pub(super) since: Instant,
    /// Bytes that its records have taken of the producer's buffer.
    pub(super) room: usize,
    stamp: Stamp,
}

impl OpenBatch {
    pub(super) fn new(
        partition: PartitionIndex,
        stamp: Stamp,
        options: &ProducerOptions,
        now: Instant,
    ) -> Self {
        let builder = BatchBuilder::new(BatchOptions {
            compression: options.compression,
            level: options.compression_level,
            producer_id: stamp.identity.id.get(),
            producer_epoch: stamp.identity.epoch.get(),
            base_sequence: stamp.sequence,
            ..BatchOptions::default()
        });
        OpenBatch { builder, outcome: Outcome::new(partition), since: now, room: 0, stamp }
    }
}

/// A batch that takes no more records.
pub(super) struct Batch {
    /// Rises within a partition.
    pub(super) order: u64,
    header: BatchHeader,
    head: Bytes,
    /// What follows the header.
    payload: Bytes,
    pub(super) outcome: Arc<Outcome>,
    pub(super) room: usize,
    pub(super) begun: Instant,
    /// It may be in the log already: it must be sent again as it was, or not at all.
    pub(super) is_ambiguous: bool,
}

impl Batch {
    /// Closes a batch with the stamp that it is to have.
    pub(super) fn close(open: OpenBatch, order: u64, stamp: Stamp) -> Result<Self, BatchError> {
        let bytes = open.builder.build();
        let mut batch = Batch {
            order,
            header: BatchHeader::parse(&bytes)?,
            head: bytes.slice(..HEADER_BYTES),
            payload: bytes.slice(HEADER_BYTES..),
            outcome: open.outcome,
            room: open.room,
            begun: open.since,
            is_ambiguous: false,
        };
        if open.stamp != stamp {
            batch.stamp(stamp);
        }
        Ok(batch)
    }

    pub(super) fn stamp(&mut self, stamp: Stamp) {
        let header = BatchHeader {
            producer_id: stamp.identity.id.get(),
            producer_epoch: stamp.identity.epoch.get(),
            base_sequence: stamp.sequence,
            ..self.header
        };
        self.header = header.with_crc_over(&self.payload);
        self.head = Bytes::copy_from_slice(&self.header.to_bytes());
    }

    pub(super) fn record_count(&self) -> i32 {
        self.header.record_count
    }

    pub(super) fn size_bytes(&self) -> usize {
        self.head.len() + self.payload.len()
    }

    pub(super) fn records(&self) -> Records {
        let segments = [&self.head, &self.payload].map(|part| Segment::Bytes(part.clone()));
        Records { segments: segments.into() }
    }

    #[cfg(test)]
    pub(super) fn stamp_of(&self) -> (i64, i32) {
        (self.header.producer_id, self.header.base_sequence)
    }
}

#[cfg(test)]
mod tests {
    use highwater_records::{BatchView, NewRecord};

    use super::*;

    #[test]
    fn sequences_begin_again_after_the_largest() {
        let identity = Identity { id: ProducerId(7), epoch: ProducerEpoch(0) };
        let last = Stamp { identity, sequence: i32::MAX };
        assert_eq!(last.behind(1).sequence, 0);
        assert_eq!(last.behind(3).sequence, 2);
        assert_eq!(Stamp::first(Identity::NONE).behind(3).sequence, -1);
    }

    #[test]
    fn a_batch_stamped_anew_is_whole() {
        let options = ProducerOptions::default();
        let old = Stamp::first(Identity::NONE);
        let mut open = OpenBatch::new(PartitionIndex(0), old, &options, Instant::now());
        open.builder.append(&NewRecord { value: Some(b"v"), ..NewRecord::default() });
        let identity = Identity { id: ProducerId(7), epoch: ProducerEpoch(1) };
        let stamp = Stamp { identity, sequence: 5 };
        let batch = Batch::close(open, 0, stamp).unwrap();
        let bytes = batch.records().to_bytes().unwrap();
        let view = BatchView::parse(&bytes).unwrap();
        view.verify_crc().unwrap();
        assert_eq!(batch.stamp_of(), (7, 5));
        assert_eq!(view.header().producer_epoch, 1);
        assert_eq!(batch.size_bytes(), bytes.len());
    }
}
