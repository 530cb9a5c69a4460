//! Producers of one log: which exist, what their next batch may be, how state is kept.
//!
//! Owns the state and its file form. Does not read or write files: `snapshots.rs` of the log does.
//! Invariant HW-07: sequences of a producer epoch neither skip nor repeat.

mod entry;
pub(crate) mod snapshot;
mod window;

pub(crate) use entry::Verdict;
pub use entry::{AppendOrigin, CompletedTransaction, ProducerEntry, ProducerRefusal};
pub use window::{Window, WindowBatch};

use std::collections::BTreeMap;

use highwater_records::control::EndTxnMarker;
use highwater_records::{BatchHeader, BatchView, Scratch};
use highwater_types::{Offset, ProducerId, Timestamp};

/// All producers of one log.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Producers {
    entries: BTreeMap<ProducerId, ProducerEntry>,
}

impl Producers {
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &ProducerEntry> {
        self.entries.values()
    }

    pub(crate) fn get(&self, id: ProducerId) -> ProducerEntry {
        self.entries.get(&id).copied().unwrap_or_else(|| ProducerEntry::new(id))
    }

    pub(crate) fn get_mut(&mut self, id: ProducerId) -> Option<&mut ProducerEntry> {
        self.entries.get_mut(&id)
    }

    pub(crate) fn put(&mut self, entry: ProducerEntry) {
        self.entries.insert(entry.id, entry);
    }

    /// Takes a batch that is in the log.
    pub(crate) fn replay(
        &mut self,
        header: &BatchHeader,
        marker: Option<EndTxnMarker>,
    ) -> Option<CompletedTransaction> {
        if !header.has_producer() {
            return None;
        }
        let id = ProducerId(header.producer_id);
        let entry = self.entries.entry(id).or_insert_with(|| ProducerEntry::new(id));
        match marker {
            Some(marker) => entry.replay_marker(header, marker),
            // A control batch that ends no transaction says nothing of its producer.
            None if header.is_control() => None,
            None => {
                entry.replay_batch(header);
                None
            }
        }
    }

    /// Drops producers that were silent for `expiration_ms` by the time of their last record. One
    /// with an open transaction stays.
    pub(crate) fn expire(&mut self, now: Timestamp, expiration_ms: i64) {
        self.entries.retain(|_, entry| {
            entry.transaction_first.is_some()
                || now.get().saturating_sub(entry.last_timestamp.get()) < expiration_ms
        });
    }

    /// First offset of the oldest open transaction.
    pub(crate) fn first_open(&self) -> Option<Offset> {
        self.entries.values().filter_map(|entry| entry.transaction_first).min()
    }
}

/// What a control batch says, if it ends a transaction.
pub(crate) fn marker_of(batch: &BatchView<'_>, scratch: &mut Scratch) -> Option<EndTxnMarker> {
    if !batch.header().is_control() {
        return None;
    }
    let record = batch.records(scratch).ok()?.next()?.ok()?;
    EndTxnMarker::of_record(&record)
}
