//! Which partition a record goes to: the same as with Kafka's own clients.

use highwater_types::PartitionIndex;

/// The partition of a key.
pub fn partition_of_key(key: &[u8], partition_count: usize) -> PartitionIndex {
    let positive = murmur2(key) & 0x7fff_ffff;
    PartitionIndex((positive as usize % partition_count.max(1)) as i32)
}

/// MurmurHash2, 32 bits, with Kafka's seed.
fn murmur2(bytes: &[u8]) -> u32 {
    const SEED: u32 = 0x9747_b28c;
    const M: u32 = 0x5bd1_e995;
    const R: u32 = 24;
    let mut hash = SEED ^ bytes.len() as u32;
    let mut chunks = bytes.chunks_exact(4);
    for chunk in &mut chunks {
        let mut k = chunk.iter().rev().fold(0, |k, byte| k << 8 | u32::from(*byte));
        k = k.wrapping_mul(M);
        k ^= k >> R;
        k = k.wrapping_mul(M);
        hash = hash.wrapping_mul(M) ^ k;
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        hash ^= rest.iter().rev().fold(0, |k, byte| k << 8 | u32::from(*byte));
        hash = hash.wrapping_mul(M);
    }
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(M);
    hash ^ (hash >> 15)
}

/// Where records without a key go: to one partition until a batch is full there, then to another.
/// Each partition gets as much in the long run, and batches are as full as they can be.
#[derive(Debug)]
pub(super) struct Sticky {
    current: Option<PartitionIndex>,
    bytes: usize,
    random: u64,
}

impl Sticky {
    pub(super) fn new(seed: u64) -> Self {
        Sticky { current: None, bytes: 0, random: seed | 1 }
    }

    /// The partition for a record of so many bytes, one of `available` if there are any; they are
    /// asked for only when it is time for another.
    pub(super) fn choose(
        &mut self,
        available: impl FnOnce() -> Vec<PartitionIndex>,
        partition_count: usize,
        record_bytes: usize,
        batch_bytes: usize,
    ) -> PartitionIndex {
        let is_usable = |p: &PartitionIndex| (p.get() as usize) < partition_count;
        let kept = self.current.filter(|p| self.bytes < batch_bytes && is_usable(p));
        let chosen = kept.unwrap_or_else(|| {
            self.bytes = 0;
            let available = available();
            match available.len() {
                0 => PartitionIndex((self.next() % partition_count.max(1) as u64) as i32),
                count => available[(self.next() % count as u64) as usize],
            }
        });
        self.current = Some(chosen);
        self.bytes += record_bytes;
        chosen
    }

    fn next(&mut self) -> u64 {
        // xorshift64: not good randomness, but even.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random >> 11
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys of every length up to 12 and some real ones: Kafka 4.4.0's hash, and the partition it
    /// chose of 3, 4, 6 and 50.
    const KEYS: &str = include_str!("../../tests/murmur2_keys.txt");

    fn unhex(text: &str) -> Vec<u8> {
        let digits = |i| u8::from_str_radix(&text[i..i + 2], 16).unwrap();
        (0..text.len()).step_by(2).map(digits).collect()
    }

    #[test]
    fn keys_go_where_kafka_sends_them() {
        let mut checked = 0;
        for line in KEYS.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split(',').collect();
            let key = unhex(fields[0]);
            let number = |i: usize| fields[i].parse::<i32>().unwrap();
            assert_eq!(murmur2(&key) as i32, number(1), "{line}");
            for (field, count) in [(2, 3), (3, 4), (4, 6), (5, 50)] {
                assert_eq!(partition_of_key(&key, count).get(), number(field), "{line}");
            }
            checked += 1;
        }
        assert!(checked >= 20, "{checked}");
    }

    #[test]
    fn without_a_key_batches_fill_and_partitions_share_evenly() {
        let mut sticky = Sticky::new(42);
        let available: Vec<_> = [0, 2, 3].map(PartitionIndex).to_vec();
        let mut counts = [0; 4];
        let mut switches = 0;
        let mut last = None;
        for _ in 0..30_000 {
            let chosen = sticky.choose(|| available.clone(), 4, 10, 100);
            counts[chosen.get() as usize] += 1;
            switches += usize::from(last.replace(chosen) != Some(chosen));
        }
        assert!(switches <= 3000, "{switches}");
        assert_eq!(counts[1], 0, "it has no leader");
        assert!([0, 2, 3].iter().all(|p| (9000..11_000).contains(&counts[*p])), "{counts:?}");
    }
}
