//! The two clocks, never mixed: [`Timestamp`] is the wall, [`Mono`] measures waits.

use std::fmt;

/// Milliseconds since 1970-01-01 UTC: record times and retention. -1 on the wire means "none".
/// Nothing assumes that it only goes forwards.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);

impl Timestamp {
    pub const NONE: Timestamp = Timestamp(-1);

    pub const fn get(self) -> i64 {
        self.0
    }

    #[must_use]
    pub const fn plus_ms(self, ms: i64) -> Timestamp {
        Timestamp(self.0.saturating_add(ms))
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Timestamp({})", self.0)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl From<i64> for Timestamp {
    fn from(ms: i64) -> Self {
        Timestamp(ms)
    }
}

/// Milliseconds on a clock that never goes back (its zero is arbitrary): waits and timeouts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Mono(pub u64);

impl Mono {
    #[must_use]
    pub const fn plus_ms(self, ms: u64) -> Mono {
        Mono(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to `self`, 0 if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Mono) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Debug for Mono {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mono({})", self.0)
    }
}
