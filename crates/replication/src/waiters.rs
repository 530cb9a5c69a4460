//! Who waits on one partition: producers for an offset to be acknowledged, fetches for data.
//! One list and one trigger a partition, so that nothing that frees data can forget a waiter.

use std::collections::BTreeMap;

use highwater_types::Offset;

/// How an acknowledgement ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckOutcome {
    /// Everything below the awaited offset is under the high watermark.
    Committed,
    /// The replica stopped leading, or went offline, before that.
    NotLeader,
}

/// Waiters to be woken, with what they are to be told.
#[derive(Debug)]
pub struct Woken<A, F> {
    pub acks: Vec<(A, AckOutcome)>,
    pub fetches: Vec<F>,
}

impl<A, F> Default for Woken<A, F> {
    fn default() -> Self {
        Woken { acks: Vec::new(), fetches: Vec::new() }
    }
}

impl<A, F> Woken<A, F> {
    pub fn is_empty(&self) -> bool {
        self.acks.is_empty() && self.fetches.is_empty()
    }
}

/// A fetch that waits: it becomes due once `needs` more bytes are readable here.
#[derive(Debug)]
struct FetchWaiter<F> {
    id: u64,
    needs: u64,
    fetch: F,
}

/// The waiters of one partition.
#[derive(Debug)]
pub struct Waiters<A, F> {
    acks: BTreeMap<Offset, Vec<A>>,
    fetches: Vec<FetchWaiter<F>>,
    next_id: u64,
}

impl<A, F> Default for Waiters<A, F> {
    fn default() -> Self {
        Waiters { acks: BTreeMap::new(), fetches: Vec::new(), next_id: 0 }
    }
}

impl<A, F> Waiters<A, F> {
    pub(crate) fn add_ack(&mut self, offset: Offset, ack: A) {
        self.acks.entry(offset).or_default().push(ack);
    }

    pub(crate) fn add_fetch(&mut self, needs: u64, fetch: F) -> u64 {
        self.next_id += 1;
        self.fetches.push(FetchWaiter { id: self.next_id, needs, fetch });
        self.next_id
    }

    pub(crate) fn remove_fetch(&mut self, id: u64) {
        self.fetches.retain(|waiter| waiter.id != id);
    }

    pub(crate) fn fetch_count(&self) -> usize {
        self.fetches.len()
    }

    /// The high watermark rose to `offset`, which made `bytes` more readable.
    pub(crate) fn on_high_watermark(
        &mut self,
        offset: Offset,
        bytes: u64,
        woken: &mut Woken<A, F>,
    ) {
        while let Some(entry) = self.acks.first_entry() {
            if *entry.key() > offset {
                break;
            }
            woken.acks.extend(entry.remove().into_iter().map(|ack| (ack, AckOutcome::Committed)));
        }
        for waiter in &mut self.fetches {
            waiter.needs = waiter.needs.saturating_sub(bytes);
        }
        let due = self.fetches.extract_if(.., |waiter| waiter.needs == 0);
        woken.fetches.extend(due.map(|waiter| waiter.fetch));
    }

    /// Something other than new data decides the fetches: an error, a new log start.
    pub(crate) fn wake_fetches(&mut self, woken: &mut Woken<A, F>) {
        woken.fetches.extend(self.fetches.drain(..).map(|waiter| waiter.fetch));
    }

    /// Nothing that is waited for can happen here any more.
    pub(crate) fn fail_all(&mut self, woken: &mut Woken<A, F>) {
        for (_, acks) in std::mem::take(&mut self.acks) {
            woken.acks.extend(acks.into_iter().map(|ack| (ack, AckOutcome::NotLeader)));
        }
        self.wake_fetches(woken);
    }
}
