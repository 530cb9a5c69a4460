//! The newest offset of each key, in bounded memory.
//!
//! Keys are held as 128-bit hashes under a random seed of this map, so that nobody can choose two
//! keys that meet. A slot has 24 bytes: the hash, and the offset plus one, with 0 for empty.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use highwater_types::Offset;

/// Bytes that a key takes in the map.
const SLOT_BYTES: u64 = 24;

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    hash: [u64; 2],
    offset_plus_one: i64,
}

/// Open addressing, linear probing; never grows.
pub(crate) struct KeyMap {
    slots: Vec<Slot>,
    keys: u64,
    keys_max: u64,
    seeds: [RandomState; 2],
}

impl KeyMap {
    /// Room for `keys` keys, or for as many as `bytes_max` allows. At most the share `load` of the
    /// slots is used.
    pub(crate) fn new(keys: u64, bytes_max: u64, load: f64) -> KeyMap {
        let load = load.clamp(0.1, 0.95);
        let wanted = (keys as f64 / load) as u64 + 1;
        let slots = wanted.min(bytes_max / SLOT_BYTES).max(2);
        KeyMap {
            slots: vec![Slot::default(); slots as usize],
            keys: 0,
            keys_max: ((slots as f64 * load) as u64).clamp(1, slots - 1),
            seeds: [RandomState::new(), RandomState::new()],
        }
    }

    /// Notes that `key` stands at `offset`; offsets rise. False if there is no room for it.
    pub(crate) fn put(&mut self, key: &[u8], offset: Offset) -> bool {
        let hash = self.hash(key);
        let at = self.find(hash);
        let is_full = self.keys >= self.keys_max;
        let Some(slot) = self.slots.get_mut(at) else { return false };
        if slot.offset_plus_one == 0 {
            if is_full {
                return false;
            }
            self.keys += 1;
        }
        *slot = Slot { hash, offset_plus_one: offset.get() + 1 };
        true
    }

    /// Where `key` was last noted.
    pub(crate) fn get(&self, key: &[u8]) -> Option<Offset> {
        let slot = self.slots.get(self.find(self.hash(key)))?;
        (slot.offset_plus_one > 0).then(|| Offset(slot.offset_plus_one - 1))
    }

    fn hash(&self, key: &[u8]) -> [u64; 2] {
        let [a, b] = &self.seeds;
        [a.hash_one(key), b.hash_one(key)]
    }

    /// The slot that holds `hash`, or the empty one where it belongs. There is always one.
    fn find(&self, hash: [u64; 2]) -> usize {
        let count = self.slots.len() as u64;
        let [first, _] = hash;
        // Scaled rather than taken modulo: the count need be no power of two.
        let mut at = ((u128::from(first) * u128::from(count)) >> 64) as usize;
        while let Some(slot) = self.slots.get(at) {
            if slot.offset_plus_one == 0 || slot.hash == hash {
                break;
            }
            at = if at + 1 == self.slots.len() { 0 } else { at + 1 };
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_offset_of_each_key_up_to_the_limit() {
        let mut map = KeyMap::new(1_000_000, 100 * SLOT_BYTES, 0.9);
        for round in 0..3 {
            for key in 0..90_i64 {
                assert!(map.put(&key.to_be_bytes(), Offset(round * 1000 + key)));
            }
        }
        assert!(!map.put(b"one too many", Offset(9999)));
        assert!(map.put(&5_i64.to_be_bytes(), Offset(9999)), "a known key needs no room");
        assert_eq!(map.keys, 90);
        assert_eq!(map.get(&7_i64.to_be_bytes()), Some(Offset(2007)));
        assert_eq!(map.get(&5_i64.to_be_bytes()), Some(Offset(9999)));
        assert_eq!(map.get(b"one too many"), None);
        assert_eq!(map.get(b""), None);
    }

    #[test]
    fn an_empty_key_is_a_key() {
        let mut map = KeyMap::new(1, 1 << 20, 0.9);
        assert!(map.put(b"", Offset::ZERO));
        assert_eq!(map.get(b""), Some(Offset::ZERO));
    }

    #[test]
    fn memory_follows_what_is_needed() {
        assert!(KeyMap::new(10, 1 << 30, 0.9).slots.len() < 20);
    }
}
