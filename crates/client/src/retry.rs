//! [`Retry`]: when to try again, and when to give up.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::ClientError;

/// Pauses between attempts: the first is `first`, each is twice the one before, up to `max`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Backoff {
    pub first: Duration,
    pub max: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Backoff { first: Duration::from_millis(50), max: Duration::from_secs(1) }
    }
}

impl Backoff {
    /// The pause after so many failures, a fifth longer or shorter by chance, so that clients
    /// that failed together do not come back together.
    pub(crate) fn pause(&self, failures: u32) -> Duration {
        let doubled = self.first.saturating_mul(1 << failures.saturating_sub(1).min(16));
        let chance = (RandomState::new().hash_one(failures) % 1024) as f64 / 1024.0;
        doubled.min(self.max).mul_f64(0.8 + 0.4 * chance)
    }
}

/// One thing that is tried until it succeeds.
pub(crate) struct Retry {
    what: Arc<str>,
    begun: Instant,
    timeout: Duration,
    backoff: Backoff,
    failures: u32,
}

impl Retry {
    pub(crate) fn new(what: impl Into<Arc<str>>, timeout: Duration, backoff: Backoff) -> Self {
        Retry { what: what.into(), begun: Instant::now(), timeout, backoff, failures: 0 }
    }

    /// Pauses before the next attempt.
    ///
    /// # Errors
    /// `error` itself if no attempt can mend it, `GaveUp` if the time is over.
    pub(crate) async fn again(&mut self, error: ClientError) -> Result<(), ClientError> {
        if !error.is_retriable() {
            return Err(error);
        }
        self.failures += 1;
        let pause = self.backoff.pause(self.failures);
        if self.begun.elapsed() + pause > self.timeout {
            return Err(ClientError::GaveUp {
                what: self.what.clone(),
                after: self.timeout,
                last: Arc::new(error),
            });
        }
        tracing::debug!(what = %self.what, %error, ?pause, "trying again");
        tokio::time::sleep(pause).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_their_limit() {
        let backoff = Backoff { first: Duration::from_millis(100), max: Duration::from_secs(1) };
        for (failures, expected) in [(1, 100.0), (2, 200.0), (4, 800.0), (5, 1000.0), (99, 1000.0)]
        {
            let ms = backoff.pause(failures).as_secs_f64() * 1000.0;
            assert!((ms / expected - 1.0).abs() <= 0.2001, "{failures}: {ms}");
        }
    }

    #[tokio::test]
    async fn gives_up_in_time_and_at_once_where_it_is_hopeless() {
        let backoff = Backoff { first: Duration::from_millis(10), max: Duration::from_millis(10) };
        let mut retry = Retry::new("the test", Duration::from_millis(60), backoff);
        let passing = ClientError::NoBroker(Arc::from([]));
        let mut attempts = 0;
        let error = loop {
            attempts += 1;
            if let Err(error) = retry.again(passing.clone()).await {
                break error;
            }
        };
        assert!((3..=8).contains(&attempts), "{attempts}");
        assert!(matches!(error, ClientError::GaveUp { .. }));
        let hopeless = ClientError::invalid("no");
        assert_eq!(retry.again(hopeless.clone()).await, Err(hopeless));
    }
}
