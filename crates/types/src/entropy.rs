//! Randomness as an argument: pure crates ask an [`Entropy`], they never make one.

/// A source of random numbers. Not for secrets.
pub trait Entropy {
    fn next_u64(&mut self) -> u64;
}

/// A small deterministic generator (SplitMix64): seeded by tests with a constant, by the broker
/// from the operating system.
#[derive(Debug, Clone)]
pub struct SplitMix(u64);

impl SplitMix {
    pub const fn new(seed: u64) -> Self {
        SplitMix(seed)
    }
}

impl Entropy for SplitMix {
    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
