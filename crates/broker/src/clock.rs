//! The broker's clocks and its randomness: the only place where the process asks the operating
//! system for either.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use highwater_types::{Mono, SplitMix, Timestamp};

/// The two clocks of the process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock;

impl Clock {
    /// Wall clock, for record times and retention.
    pub fn now(self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    /// Monotonic clock, for waits. Its zero is the first call in the process.
    pub fn mono(self) -> Mono {
        Mono(u64::try_from(zero().elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// When `mono` comes, for the runtime's timers.
    pub fn instant(self, mono: Mono) -> tokio::time::Instant {
        tokio::time::Instant::from_std(zero() + Duration::from_millis(mono.0))
    }
}

fn zero() -> Instant {
    static ZERO: OnceLock<Instant> = OnceLock::new();
    *ZERO.get_or_init(Instant::now)
}

/// A generator seeded by the operating system.
pub fn entropy() -> SplitMix {
    // The standard library's hasher keys are the one source of operating-system randomness that
    // needs no dependency.
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u128(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos());
    SplitMix::new(hasher.finish())
}
