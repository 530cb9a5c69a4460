//! 16-byte identities, shown as Kafka shows them: 22 characters of URL-safe base64.

use std::fmt;
use std::str::FromStr;

use crate::Entropy;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A 16-byte id (`uuid` on the wire).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Uuid(pub [u8; 16]);

impl Uuid {
    /// Means "absent" wherever an id is optional.
    pub const ZERO: Uuid = Uuid([0; 16]);

    /// A random version-4 id. Kafka avoids ids whose text begins with `-`, since tools take them
    /// for options; so do we. Ids 0 and 1 are reserved and cannot be version 4.
    pub fn random(entropy: &mut dyn Entropy) -> Uuid {
        loop {
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&entropy.next_u64().to_be_bytes());
            bytes[8..].copy_from_slice(&entropy.next_u64().to_be_bytes());
            bytes[6] = bytes[6] & 0x0f | 0x40;
            bytes[8] = bytes[8] & 0x3f | 0x80;
            if bytes[0] >> 2 != 62 {
                return Uuid(bytes);
            }
        }
    }

    pub fn is_zero(&self) -> bool {
        *self == Uuid::ZERO
    }

    /// The usual hexadecimal text (8-4-4-4-12), as used in member ids.
    pub fn to_hyphenated(&self) -> String {
        let mut text = String::with_capacity(36);
        for (index, byte) in self.0.iter().enumerate() {
            if matches!(index, 4 | 6 | 8 | 10) {
                text.push('-');
            }
            for nibble in [byte >> 4, byte & 15] {
                text.push(char::from_digit(nibble.into(), 16).unwrap_or('0'));
            }
        }
        text
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0u8; 22];
        let number = u128::from_be_bytes(self.0);
        for (index, slot) in text.iter_mut().enumerate() {
            // 128 bits are 21 groups of six and a last one of two, padded with zeroes.
            let group =
                if index == 21 { (number << 4) & 63 } else { (number >> (122 - 6 * index)) & 63 };
            *slot = ALPHABET[group as usize];
        }
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Debug for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not 22 characters of URL-safe base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseUuidError;

impl fmt::Display for ParseUuidError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id is 22 characters of A-Z a-z 0-9 - _")
    }
}

impl std::error::Error for ParseUuidError {}

impl FromStr for Uuid {
    type Err = ParseUuidError;

    fn from_str(text: &str) -> Result<Self, ParseUuidError> {
        let digits = text.trim_end_matches('=').as_bytes();
        if digits.len() != 22 {
            return Err(ParseUuidError);
        }
        let mut number = 0u128;
        for (index, digit) in digits.iter().enumerate() {
            let value = ALPHABET.iter().position(|c| c == digit).ok_or(ParseUuidError)? as u128;
            number = if index == 21 { number << 2 | value >> 4 } else { number << 6 | value };
        }
        Ok(Uuid(number.to_be_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix;

    #[test]
    fn text_and_bytes_agree() {
        // Topic id of fx-plain in a data directory written by Kafka 4.4.0 style ids.
        for text in ["AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAQ", "zB1o5SzPQ0yPvTcn7nBxJw"] {
            assert_eq!(text.parse::<Uuid>().unwrap().to_string(), text);
        }
        assert!("short".parse::<Uuid>().is_err());
        assert!("zB1o5SzPQ0yPvTcn7nBx!w".parse::<Uuid>().is_err());
    }

    #[test]
    fn random_ids_are_distinct_and_never_begin_with_a_dash() {
        let mut entropy = SplitMix::new(7);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..10_000 {
            let id = Uuid::random(&mut entropy);
            assert!(!id.to_string().starts_with('-'));
            assert!(seen.insert(id));
            assert_eq!(id.to_string().parse(), Ok(id));
        }
    }

    #[test]
    fn hyphenated_text() {
        let id = Uuid(std::array::from_fn(|i| i as u8 * 17));
        assert_eq!(id.to_hyphenated(), "00112233-4455-6677-8899-aabbccddeeff");
    }
}
