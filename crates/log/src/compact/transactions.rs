//! Which transactions are open at a point of a walk through the log, and which of them were
//! aborted: the records of aborted ones go, and a marker goes once nothing is left before it.

use std::collections::{BTreeMap, BTreeSet};

use highwater_records::BatchHeader;
use highwater_records::control::EndTxnMarker;
use highwater_types::{Offset, ProducerId};

use crate::txn_index::AbortedTransaction;

/// Follows a walk from its first batch on.
#[derive(Debug, Default)]
pub(crate) struct Transactions {
    /// Not begun yet, by first offset, the nearest last.
    ahead: Vec<AbortedTransaction>,
    aborting: BTreeMap<ProducerId, Aborting>,
    /// Producers with a batch in a transaction that was not aborted.
    committing: BTreeSet<ProducerId>,
}

#[derive(Debug)]
struct Aborting {
    transaction: AbortedTransaction,
    has_batches: bool,
}

/// What a marker is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkerUse {
    /// Batches of its transaction stand before it; of an aborted one the index must know.
    Needed(Option<AbortedTransaction>),
    /// Nothing of its transaction is left.
    Spent,
}

impl Transactions {
    pub(crate) fn new(mut aborted: Vec<AbortedTransaction>) -> Transactions {
        aborted.sort_by_key(|transaction| std::cmp::Reverse(transaction.first_offset));
        Transactions { ahead: aborted, ..Transactions::default() }
    }

    /// Takes a data batch; says whether its transaction was aborted.
    pub(crate) fn on_data(&mut self, header: &BatchHeader) -> bool {
        self.advance(header);
        if !header.is_transactional() {
            return false;
        }
        let producer = ProducerId(header.producer_id);
        match self.aborting.get_mut(&producer) {
            Some(aborting) => {
                aborting.has_batches = true;
                true
            }
            None => {
                self.committing.insert(producer);
                false
            }
        }
    }

    /// Takes a control batch; `marker` is none if its record is gone or is of another kind.
    pub(crate) fn on_control(
        &mut self,
        header: &BatchHeader,
        marker: Option<EndTxnMarker>,
    ) -> MarkerUse {
        self.advance(header);
        let producer = ProducerId(header.producer_id);
        match marker {
            Some(EndTxnMarker { is_commit: true, .. }) => match self.committing.remove(&producer) {
                true => MarkerUse::Needed(None),
                false => MarkerUse::Spent,
            },
            Some(_) => match self.aborting.remove(&producer) {
                Some(Aborting { transaction, has_batches: true }) => {
                    MarkerUse::Needed(Some(transaction))
                }
                _ => MarkerUse::Spent,
            },
            // Emptied before, or a kind that says nothing of transactions.
            None if header.record_count == 0 => MarkerUse::Spent,
            None => MarkerUse::Needed(None),
        }
    }

    fn advance(&mut self, header: &BatchHeader) {
        let reached = Offset(header.last_offset());
        while let Some(next) = self.ahead.pop_if(|next| next.first_offset <= reached) {
            self.aborting
                .entry(next.producer)
                .or_insert(Aborting { transaction: next, has_batches: false });
        }
    }
}
