//! Ranges of versions, and the Rust conditions that test for them.

/// Inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Versions {
    pub first: i16,
    pub last: i16,
}

/// Whether something holds in a version, given what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    Always,
    Never,
    If(String),
}

impl Versions {
    /// `3`, `3-5` or `3+`.
    pub fn parse(text: &str) -> Result<Versions, String> {
        let number = |t: &str| t.parse::<i16>().map_err(|_| format!("{text}: not versions"));
        let (first, last) = if let Some(first) = text.strip_suffix('+') {
            (number(first)?, i16::MAX)
        } else if let Some((first, last)) = text.split_once('-') {
            (number(first)?, number(last)?)
        } else {
            (number(text)?, number(text)?)
        };
        if first > last { Err(format!("{text}: empty")) } else { Ok(Versions { first, last }) }
    }

    pub fn and(self, other: Versions) -> Option<Versions> {
        let both = Versions { first: self.first.max(other.first), last: self.last.min(other.last) };
        (both.first <= both.last).then_some(both)
    }

    pub fn hull(self, other: Versions) -> Versions {
        Versions { first: self.first.min(other.first), last: self.last.max(other.last) }
    }

    pub fn contains(self, version: i16) -> bool {
        (self.first..=self.last).contains(&version)
    }

    pub fn iter(self) -> impl Iterator<Item = i16> {
        self.first..=self.last
    }

    /// The test for a version of `within` to be in `self`.
    pub fn condition(self, within: Versions) -> Condition {
        let Some(both) = self.and(within) else { return Condition::Never };
        let (first, last) = (both.first, both.last);
        match (first > within.first, last < within.last) {
            (false, false) => Condition::Always,
            _ if first == last => Condition::If(format!("version == {first}")),
            (true, false) => Condition::If(format!("version >= {first}")),
            (false, true) => Condition::If(format!("version <= {last}")),
            (true, true) => Condition::If(format!("({first}..={last}).contains(&version)")),
        }
    }
}

impl Condition {
    pub fn of(versions: Option<Versions>, within: Versions) -> Condition {
        versions.map_or(Condition::Never, |v| v.condition(within))
    }

    /// As a boolean expression.
    pub fn expression(&self) -> &str {
        match self {
            Condition::Always => "true",
            Condition::Never => "false",
            Condition::If(test) => test,
        }
    }
}
