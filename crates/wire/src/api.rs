//! The API keys, and what the schema says of each.

use std::fmt;
use std::ops::RangeInclusive;

/// A request's key. Any number can arrive; the constants are those that Kafka has, or had.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApiKey(pub i16);

/// One API.
#[derive(Debug, Clone)]
pub struct ApiInfo {
    pub key: ApiKey,
    /// Kafka's name, without "Request".
    pub name: &'static str,
    /// The versions whose requests and responses can be coded; empty if the API was removed.
    pub valid: RangeInclusive<i16>,
    /// The first version with compact lengths and tagged fields.
    pub flexible_from: Option<i16>,
    /// Where Kafka offers it: "broker", "controller".
    pub listeners: &'static [&'static str],
}

/// Of an API whose key is all that is left.
#[expect(clippy::reversed_empty_ranges, reason = "it is to be empty")]
const REMOVED: RangeInclusive<i16> = 0..=-1;

include!(concat!(env!("OUT_DIR"), "/api_keys.rs"));

/// All APIs, indexed by key.
pub fn table() -> &'static [ApiInfo] {
    &TABLE
}

impl ApiKey {
    /// `None` if Kafka never had such a key.
    pub fn info(self) -> Option<&'static ApiInfo> {
        usize::try_from(self.0).ok().and_then(|index| TABLE.get(index))
    }

    pub fn name(self) -> &'static str {
        self.info().map_or("Unknown", |info| info.name)
    }

    pub fn is_flexible(self, version: i16) -> bool {
        self.info().and_then(|info| info.flexible_from).is_some_and(|from| version >= from)
    }
}

impl fmt::Display for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.info() {
            Some(info) => f.write_str(info.name),
            None => write!(f, "ApiKey({})", self.0),
        }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_indexed_by_key() {
        assert_eq!(table().len(), 95);
        for (index, info) in table().iter().enumerate() {
            assert_eq!(info.key, ApiKey(index as i16));
        }
        assert_eq!(ApiKey::PRODUCE.name(), "Produce");
        assert_eq!(ApiKey::UNREGISTER_CONTROLLER, ApiKey(94));
        assert!(ApiKey(4).info().is_some_and(|i| i.valid.is_empty()));
        assert!(ApiKey(95).info().is_none());
        assert!(ApiKey(-1).info().is_none());
    }
}
