//! What compaction keeps of one batch.
//!
//! A record goes if a newer one has its key, if it is a tombstone past its horizon, or if its
//! transaction was aborted. Offsets never change: a batch keeps its first and last, whatever is
//! left between. The newest batch of a producer that is still known stays, emptied if need be, so
//! that its sequence survives a rebuild of the producers' state.

use std::collections::BTreeMap;

use bytes::Bytes;
use highwater_records::control::EndTxnMarker;
use highwater_records::{
    BatchBuilder, BatchError, BatchHeader, BatchOptions, BatchView, RecordView, Scratch, emptied,
};
use highwater_types::{Offset, ProducerEpoch, ProducerId};

use super::key_map::KeyMap;
use super::transactions::{MarkerUse, Transactions};
use crate::producers::ProducerEntry;
use crate::txn_index::AbortedTransaction;

/// The last thing that a known producer wrote here.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastOfProducer {
    /// Of its last data batch; none if only a marker of this epoch is known.
    data: Option<Offset>,
    epoch: ProducerEpoch,
}

impl LastOfProducer {
    pub(crate) fn of(entry: &ProducerEntry) -> LastOfProducer {
        let data = entry.window.newest().map(|batch| batch.last_offset);
        LastOfProducer { data, epoch: entry.epoch }
    }
}

/// What is known while a log is rewritten.
pub(crate) struct Keeper<'a> {
    pub(crate) keys: &'a KeyMap,
    /// Records from here on are newer than what `keys` knows.
    pub(crate) keys_end: Offset,
    pub(crate) producers: &'a BTreeMap<ProducerId, LastOfProducer>,
    pub(crate) now_ms: i64,
    /// `delete.retention.ms`
    pub(crate) delete_retention_ms: i64,
}

/// What becomes of a batch.
#[derive(Debug, PartialEq)]
pub(crate) enum Kept {
    Whole,
    /// Another batch in its place.
    Part(Bytes),
    Nothing,
}

/// Also the aborted transaction that a kept marker ends.
pub(crate) type Judged = (Kept, Option<AbortedTransaction>);

impl Keeper<'_> {
    pub(crate) fn judge(
        &self,
        batch: &BatchView<'_>,
        transactions: &mut Transactions,
        scratch: &mut Scratch,
    ) -> Result<Judged, BatchError> {
        if batch.header().is_control() {
            return self.judge_control(batch, transactions, scratch);
        }
        if transactions.on_data(batch.header()) {
            return Ok((self.remains(batch.header()), None));
        }
        Ok((self.judge_data(batch, scratch)?, None))
    }

    /// A marker without a transaction before it gets a horizon, and goes once that is past.
    fn judge_control(
        &self,
        batch: &BatchView<'_>,
        transactions: &mut Transactions,
        scratch: &mut Scratch,
    ) -> Result<Judged, BatchError> {
        let header = batch.header();
        let mut marker = None;
        if let Some(record) = batch.records(scratch)?.next() {
            marker = EndTxnMarker::of_record(&record?);
        }
        match transactions.on_control(header, marker) {
            MarkerUse::Needed(aborted) => Ok((Kept::Whole, aborted)),
            MarkerUse::Spent if header.record_count == 0 => Ok((self.remains(header), None)),
            MarkerUse::Spent => match header.delete_horizon() {
                Some(horizon) if horizon <= self.now_ms => Ok((self.remains(header), None)),
                Some(_) => Ok((Kept::Whole, None)),
                None => Ok((self.rebuild(batch, scratch, true, |_| true)?, None)),
            },
        }
    }

    fn judge_data(&self, batch: &BatchView<'_>, scratch: &mut Scratch) -> Result<Kept, BatchError> {
        let header = batch.header();
        let are_tombstones_kept = header.delete_horizon().is_none_or(|at| self.now_ms < at);
        let is_kept = |record: &RecordView<'_>| {
            if record.offset >= self.keys_end.get() {
                return true;
            }
            let Some(key) = record.key else { return false };
            let is_newest = self.keys.get(key).is_none_or(|newest| record.offset >= newest.get());
            is_newest && (record.value.is_some() || are_tombstones_kept)
        };
        let (mut kept, mut has_tombstone) = (0, false);
        for record in batch.records(scratch)? {
            let record = record?;
            if is_kept(&record) {
                kept += 1;
                has_tombstone |= record.value.is_none();
            }
        }
        let needs_horizon = has_tombstone && header.delete_horizon().is_none();
        match kept {
            0 => Ok(self.remains(header)),
            _ if kept == header.record_count && !needs_horizon => Ok(Kept::Whole),
            _ => self.rebuild(batch, scratch, needs_horizon, is_kept),
        }
    }

    /// What is left of a batch without its records.
    fn remains(&self, header: &BatchHeader) -> Kept {
        if self.is_last_of_producer(header) { Kept::Part(emptied(header)) } else { Kept::Nothing }
    }

    fn is_last_of_producer(&self, header: &BatchHeader) -> bool {
        if !header.has_producer() {
            return false;
        }
        let Some(last) = self.producers.get(&ProducerId(header.producer_id)) else { return false };
        match last.data {
            Some(offset) => offset.get() == header.last_offset(),
            None => header.is_control() && header.producer_epoch == last.epoch.get(),
        }
    }

    fn rebuild(
        &self,
        batch: &BatchView<'_>,
        scratch: &mut Scratch,
        needs_horizon: bool,
        is_kept: impl Fn(&RecordView<'_>) -> bool,
    ) -> Result<Kept, BatchError> {
        let header = batch.header();
        let mut options = BatchOptions::like(header)?;
        if needs_horizon {
            options.delete_horizon = Some(self.now_ms.saturating_add(self.delete_retention_ms));
        }
        let mut builder = BatchBuilder::new(options);
        for record in batch.records(scratch)? {
            let record = record?;
            if is_kept(&record) {
                builder.append_kept(&record);
            }
        }
        builder.end_at(header.last_offset());
        Ok(Kept::Part(builder.build()))
    }
}
