//! [`Budget`]: the memory that all connections together may hold of requests in flight.
//!
//! A frame takes its share before its bytes are read, a long one step by step as they come. Two
//! long frames that each hold half of the budget and wait for the rest would wait for ever, so
//! there is one express lane: whoever waits may be given it and needs no more shares for this
//! frame. Hence at most the budget and one frame are held.
//!
//! Long frames leave a part of the budget to short ones: peers that stall in the middle of long
//! frames cannot keep others from being served.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::limits::BUDGET_PARTS;

pub(crate) struct Budget {
    free: AtomicUsize,
    /// Bytes that long frames do not take.
    kept_for_short: usize,
    waiting: AtomicUsize,
    freed: Notify,
    lane: Arc<Semaphore>,
}

/// A frame's share, given back when dropped.
pub(crate) struct Grant {
    budget: Arc<Budget>,
    bytes: usize,
    /// Bytes that must stay free when it grows.
    leaves: usize,
    lane: Option<OwnedSemaphorePermit>,
}

/// A [`Budget::wait`] in progress.
pub(crate) type Wait = Pin<Box<dyn Future<Output = Grant> + Send>>;

impl Budget {
    pub(crate) fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Budget {
            free: AtomicUsize::new(bytes),
            kept_for_short: bytes / BUDGET_PARTS,
            waiting: AtomicUsize::new(0),
            freed: Notify::new(),
            lane: Arc::new(Semaphore::new(1)),
        })
    }

    /// A share of nothing, to grow.
    pub(crate) fn nothing(self: &Arc<Self>) -> Grant {
        Grant { budget: self.clone(), bytes: 0, leaves: 0, lane: None }
    }

    fn try_take(&self, bytes: usize, leave: usize) -> bool {
        let rest = |free: usize| free.checked_sub(bytes).filter(|rest| *rest >= leave);
        // SeqCst, with the one in `Grant::drop`: either a waiter sees what was freed, or the one
        // who frees sees the waiter.
        self.free.fetch_update(Ordering::SeqCst, Ordering::SeqCst, rest).is_ok()
    }
}

impl Grant {
    /// From now on it is for a frame that may take long to arrive.
    pub(crate) fn leave_room_for_short(&mut self) {
        self.leaves = self.budget.kept_for_short;
    }

    /// Takes what is missing to cover `bytes`; says whether they are covered now.
    pub(crate) fn try_cover(&mut self, bytes: usize) -> bool {
        let missing = bytes.saturating_sub(self.bytes);
        if missing == 0 || self.lane.is_some() {
            return true;
        }
        let taken = self.budget.try_take(missing, self.leaves);
        if taken {
            self.bytes += missing;
        }
        taken
    }

    /// Waits until `bytes` are covered.
    pub(crate) fn cover(mut self, bytes: usize) -> Wait {
        Box::pin(async move {
            let budget = self.budget.clone();
            let _counted = Counted::new(&budget.waiting);
            let mut lane = pin!(budget.lane.clone().acquire_owned());
            loop {
                let mut freed = pin!(budget.freed.notified());
                freed.as_mut().enable();
                if self.try_cover(bytes) {
                    return self;
                }
                tokio::select! {
                    biased;
                    permit = &mut lane => {
                        // The semaphore is never closed, so there always is a permit.
                        self.lane = permit.ok();
                        return self;
                    }
                    () = freed => {}
                }
            }
        })
    }
}

impl Drop for Grant {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.budget.free.fetch_add(self.bytes, Ordering::SeqCst);
            if self.budget.waiting.load(Ordering::SeqCst) > 0 {
                self.budget.freed.notify_waiters();
            }
        }
    }
}

struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Counted(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    async fn is_waiting(wait: &mut Wait) -> bool {
        tokio::time::timeout(Duration::from_millis(5), wait).await.is_err()
    }

    #[test]
    fn shares_are_taken_and_given_back() {
        let budget = Budget::new(100);
        let mut a = budget.nothing();
        assert!(a.try_cover(60) && a.try_cover(60) && a.try_cover(70));
        let mut b = budget.nothing();
        assert!(!b.try_cover(31) && b.try_cover(30));
        drop(a);
        assert!(b.try_cover(100) && !b.try_cover(101));
        drop(b);
        assert_eq!(budget.free.load(Ordering::SeqCst), 100);
    }

    #[test]
    fn long_frames_leave_room_for_short_ones() {
        let budget = Budget::new(80);
        let mut long = budget.nothing();
        long.leave_room_for_short();
        assert!(!long.try_cover(71) && long.try_cover(70));
        let mut short = budget.nothing();
        assert!(!short.try_cover(11) && short.try_cover(10));
        drop((long, short));
        assert_eq!(budget.free.load(Ordering::SeqCst), 80);
    }

    #[tokio::test]
    async fn frames_that_block_each_other_pass_one_by_one() {
        let budget = Budget::new(100);
        let halves: Vec<Grant> = (0..2)
            .map(|_| {
                let mut half = budget.nothing();
                assert!(half.try_cover(50));
                half
            })
            .collect();
        let mut waits: Vec<Wait> = halves.into_iter().map(|half| half.cover(100)).collect();
        let express = waits.remove(0).await;
        assert!(express.lane.is_some());
        let mut other = waits.remove(0);
        assert!(is_waiting(&mut other).await);
        drop(express);
        other.await;
        assert_eq!(budget.free.load(Ordering::SeqCst), 100);
        assert_eq!(budget.waiting.load(Ordering::SeqCst), 0);
    }

    #[tokio::test]
    async fn who_waits_is_woken_by_what_is_freed() {
        let budget = Budget::new(10);
        let _lane = budget.lane.clone().try_acquire_owned();
        let mut first = budget.nothing();
        assert!(first.try_cover(10));
        let mut wait = budget.nothing().cover(5);
        assert!(is_waiting(&mut wait).await);
        drop(first);
        assert_eq!(wait.await.bytes, 5);
    }
}
