//! [`Versions`]: which requests a broker takes, as it told with ApiVersions.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use highwater_wire::messages::ApiVersionsResponse;
use highwater_wire::{ApiKey, Request};

/// What one broker offers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Versions {
    ranges: BTreeMap<ApiKey, RangeInclusive<i16>>,
    answer: ApiVersionsResponse,
}

impl Versions {
    pub(crate) fn new(answer: ApiVersionsResponse) -> Self {
        let range = |api: &highwater_wire::messages::api_versions_response::ApiVersion| {
            (ApiKey(api.api_key), api.min_version..=api.max_version)
        };
        Versions { ranges: answer.api_keys.iter().map(range).collect(), answer }
    }

    /// Rising by key.
    pub fn iter(&self) -> impl Iterator<Item = (ApiKey, RangeInclusive<i16>)> + '_ {
        self.ranges.iter().map(|(key, range)| (*key, range.clone()))
    }

    pub fn of(&self, key: ApiKey) -> Option<RangeInclusive<i16>> {
        self.ranges.get(&key).cloned()
    }

    /// The highest version that the broker and we have.
    pub fn common<R: Request>(&self) -> Option<i16> {
        highest_common(&self.of(R::KEY)?, &R::VALID)
    }

    /// The whole answer, with the broker's features.
    pub fn answer(&self) -> &ApiVersionsResponse {
        &self.answer
    }
}

pub(crate) fn highest_common(a: &RangeInclusive<i16>, b: &RangeInclusive<i16>) -> Option<i16> {
    let highest = *a.end().min(b.end());
    (a.contains(&highest) && b.contains(&highest)).then_some(highest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn highest() {
        assert_eq!(highest_common(&(0..=3), &(2..=9)), Some(3));
        assert_eq!(highest_common(&(2..=9), &(0..=3)), Some(3));
        assert_eq!(highest_common(&(0..=1), &(2..=9)), None);
        assert_eq!(highest_common(&(5..=5), &(2..=9)), Some(5));
    }
}
