//! What a value must fulfil beyond its kind: ranges, words, lists.
//!
//! Owns the rules as data, so that docs can print them. Refuses rules that span two settings
//! (those are in `cross`). Called by [`Setting::parse`].

use crate::error::ConfigError;
use crate::nearest::nearest;
use crate::setting::{Setting, Value};

/// One rule on one value.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    Any,
    /// Whole number, both ends included.
    Range {
        min: i64,
        max: i64,
    },
    /// Like `Range`, and one more value that means "default".
    RangeOr {
        min: i64,
        max: i64,
        or: i64,
    },
    /// Fractional number, both ends included.
    Fraction {
        min: f64,
        max: f64,
    },
    OneOf(&'static [&'static str]),
    OneOfAnyCase(&'static [&'static str]),
    NonEmpty,
    /// List of distinct, non-empty items, of these words if any are given.
    Items {
        words: &'static [&'static str],
        empty: bool,
    },
    /// Anything else; says in our words what is wrong.
    Custom {
        accepts: &'static str,
        check: fn(&Value) -> Result<(), String>,
    },
}

pub(crate) const ANY: Check = Check::Any;
pub(crate) const NON_EMPTY: Check = Check::NonEmpty;
/// List of distinct items, at least one.
pub(crate) const SOME_ITEMS: Check = Check::Items { words: &[], empty: false };
/// List of distinct items, perhaps none.
pub(crate) const ITEMS: Check = Check::Items { words: &[], empty: true };

pub(crate) const fn at_least(min: i64) -> Check {
    Check::Range { min, max: i64::MAX }
}

pub(crate) const fn between(min: i64, max: i64) -> Check {
    Check::Range { min, max }
}

pub(crate) const fn fraction(min: f64, max: f64) -> Check {
    Check::Fraction { min, max }
}

pub(crate) const fn one_of_any_case(words: &'static [&'static str]) -> Check {
    Check::OneOfAnyCase(words)
}

pub(crate) const fn one_of(words: &'static [&'static str]) -> Check {
    Check::OneOf(words)
}

pub(crate) const fn some_of(words: &'static [&'static str]) -> Check {
    Check::Items { words, empty: false }
}

pub(crate) const fn any_of(words: &'static [&'static str]) -> Check {
    Check::Items { words, empty: true }
}

impl Check {
    /// Applies the rule; `text` is what was written, for the message.
    pub(crate) fn run(
        &self,
        setting: &Setting,
        value: &Value,
        text: &str,
    ) -> Result<(), ConfigError> {
        let name = setting.name;
        match (self, value) {
            (Check::Range { min, max }, v) => self.within(name, v, *min, *max, None),
            (Check::RangeOr { min, max, or }, v) => self.within(name, v, *min, *max, Some(*or)),
            (Check::Fraction { min, max }, Value::Double(n)) if !(*min..=*max).contains(n) => {
                Err(self.out_of_range(name, text))
            }
            (Check::OneOf(words), Value::Text(s)) if !words.contains(&s.as_str()) => {
                Err(not_one_of(name, s, words))
            }
            (Check::OneOfAnyCase(words), Value::Text(s))
                if !words.iter().any(|w| w.eq_ignore_ascii_case(s)) =>
            {
                Err(not_one_of(name, s, words))
            }
            (Check::NonEmpty, Value::Text(s)) if s.is_empty() => Err(ConfigError::Invalid {
                name: name.into(),
                value: text.into(),
                reason: "it may not be empty".into(),
            }),
            (Check::Items { words, empty }, Value::List(items)) => {
                check_items(name, items, words, *empty)
            }
            (Check::Custom { check, .. }, v) => check(v).map_err(|reason| ConfigError::Invalid {
                name: name.into(),
                value: text.into(),
                reason,
            }),
            _ => Ok(()),
        }
    }

    fn within(
        &self,
        name: &str,
        value: &Value,
        min: i64,
        max: i64,
        or: Option<i64>,
    ) -> Result<(), ConfigError> {
        match value.as_i64() {
            Some(n) if (n < min || n > max) && Some(n) != or => {
                Err(self.out_of_range(name, &n.to_string()))
            }
            _ => Ok(()),
        }
    }

    fn out_of_range(&self, name: &str, value: &str) -> ConfigError {
        ConfigError::OutOfRange { name: name.into(), value: value.into(), accepted: self.accepts() }
    }

    /// What is accepted, in words; empty if anything of the kind is.
    pub fn accepts(&self) -> String {
        match self {
            Check::Any => String::new(),
            Check::Range { min, max: i64::MAX } => format!("the least is {min}"),
            Check::Range { min, max } => format!("accepted are {min} to {max}"),
            Check::RangeOr { min, max, or } => format!("accepted are {min} to {max}, and {or}"),
            Check::Fraction { min, max } => format!("accepted are {min} to {max}"),
            Check::OneOf(words) | Check::OneOfAnyCase(words) => {
                format!("one of {}", words.join(", "))
            }
            Check::NonEmpty => "not empty".into(),
            Check::Items { words: [], .. } => "distinct items, separated by commas".into(),
            Check::Items { words, .. } => format!("a list of {}", words.join(", ")),
            Check::Custom { accepts, .. } => (*accepts).into(),
        }
    }
}

fn not_one_of(name: &str, value: &str, words: &'static [&'static str]) -> ConfigError {
    ConfigError::NotOneOf {
        name: name.into(),
        value: value.into(),
        accepted: words.to_vec(),
        nearest: nearest(value, words.iter().copied()).map(Into::into),
    }
}

fn check_items(
    name: &str,
    items: &[String],
    words: &'static [&'static str],
    empty: bool,
) -> Result<(), ConfigError> {
    let invalid = |reason: &str| {
        Err(ConfigError::Invalid {
            name: name.into(),
            value: items.join(","),
            reason: reason.into(),
        })
    };
    if items.is_empty() && !empty {
        return invalid("at least one item is needed");
    }
    for (i, item) in items.iter().enumerate() {
        if items[..i].contains(item) {
            return invalid(&format!("{item:?} stands there twice"));
        }
        if item.is_empty() {
            return invalid("an item is empty");
        }
        if !words.is_empty() && !words.contains(&item.as_str()) {
            return Err(not_one_of(name, item, words));
        }
    }
    Ok(())
}
