//! The layers a broker setting's value comes from, and which of them wins:
//!
//! ```text
//! dynamic, this broker  >  dynamic, all brokers  >  static (set > env > file)  >  default
//! ```
//!
//! Owns precedence. Refuses to store: dynamic values live in the metadata log, the static ones in
//! [`StaticConfig`]. Called by the typed configs and by `describe`.

use std::collections::BTreeMap;

use crate::registry::lookup;
use crate::setting::{Level, Value};
use crate::static_config::StaticConfig;
use crate::synonyms::{Synonym, Unit, broker_chain, broker_names_of};

/// Settings of one resource as stored: name to text.
pub type Overrides = BTreeMap<String, String>;

/// Where a value comes from; the discriminant is the code of DescribeConfigs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i8)]
pub enum Source {
    DynamicTopic = 1,
    DynamicBroker = 2,
    DynamicDefaultBroker = 3,
    StaticBroker = 4,
    Default = 5,
    DynamicBrokerLogger = 6,
    ClientMetrics = 7,
    Group = 8,
}

impl Source {
    pub const fn code(self) -> i8 {
        self as i8
    }
}

/// All layers of one broker's settings.
#[derive(Clone, Copy, Debug)]
pub struct Layers<'a> {
    /// Dynamic settings of this broker.
    pub broker: &'a Overrides,
    /// Dynamic settings of all brokers.
    pub cluster: &'a Overrides,
    pub fixed: &'a StaticConfig,
}

impl<'a> Layers<'a> {
    /// What the layers above the defaults hold for exactly this name, the one that wins first.
    pub(crate) fn given(&self, name: &str) -> impl Iterator<Item = (&'a str, Source)> + use<'a> {
        [
            (self.broker.get(name).map(String::as_str), Source::DynamicBroker),
            (self.cluster.get(name).map(String::as_str), Source::DynamicDefaultBroker),
            (self.fixed.get(name), Source::StaticBroker),
        ]
        .into_iter()
        .filter_map(|(text, source)| text.map(|t| (t, source)))
    }

    /// The value that applies to a broker setting. A layer whose text is not valid (an older
    /// version wrote it) is passed over.
    pub(crate) fn broker_value(&self, name: &'static str) -> Option<Value> {
        let own = [Synonym { broker: name, unit: Unit::Same }];
        let chain = broker_chain(name);
        self.first_of(if chain.is_empty() { &own } else { chain })
    }

    /// The first valid value among synonyms: a higher layer wins over an earlier synonym.
    fn first_of(&self, synonyms: &[Synonym]) -> Option<Value> {
        for source in [Source::DynamicBroker, Source::DynamicDefaultBroker, Source::StaticBroker] {
            for synonym in synonyms {
                let setting = lookup(Level::Broker, synonym.broker)?;
                let text = self.given(synonym.broker).find(|(_, s)| *s == source);
                if let Some(value) = text.and_then(|(t, _)| setting.parse(t).ok()) {
                    return Some(synonym.unit.convert(value));
                }
            }
        }
        synonyms.iter().find_map(|synonym| {
            let value = lookup(Level::Broker, synonym.broker)?.default_value()?;
            Some(synonym.unit.convert(value))
        })
    }

    /// The value that applies to a topic or group setting.
    pub(crate) fn value_of(
        &self,
        level: Level,
        overrides: &Overrides,
        name: &'static str,
    ) -> Option<Value> {
        let setting = lookup(level, name)?;
        overrides
            .get(name)
            .and_then(|text| setting.parse(text).ok())
            .or_else(|| self.first_of(broker_names_of(level, name)))
            .or_else(|| setting.default_value())
    }
}

/// Reads typed values of one resource. The names are literals of this crate, so a name that is
/// unknown or of another kind is a bug; tests resolve every typed config once.
pub(crate) struct Read<'a> {
    layers: &'a Layers<'a>,
    level: Level,
    overrides: Option<&'a Overrides>,
}

impl<'a> Read<'a> {
    pub(crate) fn broker(layers: &'a Layers<'a>) -> Read<'a> {
        Read { layers, level: Level::Broker, overrides: None }
    }

    pub(crate) fn of(level: Level, overrides: &'a Overrides, layers: &'a Layers<'a>) -> Read<'a> {
        Read { layers, level, overrides: Some(overrides) }
    }

    /// Somebody has given a broker setting, on whatever layer.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        self.layers.given(name).next().is_some()
    }

    fn value(&self, name: &'static str) -> Option<Value> {
        match self.overrides {
            Some(overrides) => self.layers.value_of(self.level, overrides, name),
            None => self.layers.broker_value(name),
        }
    }

    fn required<T>(&self, name: &'static str, pick: impl FnOnce(Value) -> Option<T>) -> T {
        match self.value(name).and_then(pick) {
            Some(value) => value,
            None => panic!("bug: setting {name} is missing or of another kind in the registry"),
        }
    }

    pub(crate) fn long(&self, name: &'static str) -> i64 {
        self.required(name, |v| v.as_i64())
    }

    pub(crate) fn int(&self, name: &'static str) -> i32 {
        self.required(name, |v| v.as_i64().and_then(|n| i32::try_from(n).ok()))
    }

    /// A count or size whose check forbids negative numbers.
    pub(crate) fn size(&self, name: &'static str) -> u32 {
        self.required(name, |v| v.as_i64().and_then(|n| u32::try_from(n).ok()))
    }

    /// A number where any negative one means "no limit".
    pub(crate) fn limit(&self, name: &'static str) -> Option<u64> {
        u64::try_from(self.long(name)).ok()
    }

    /// A span of time in milliseconds; a negative one counts as 0.
    pub(crate) fn span_ms(&self, name: &'static str) -> u64 {
        u64::try_from(self.long(name)).unwrap_or(0)
    }

    pub(crate) fn fraction(&self, name: &'static str) -> f64 {
        self.required(name, |v| v.as_f64())
    }

    pub(crate) fn flag(&self, name: &'static str) -> bool {
        self.required(name, |v| v.as_bool())
    }

    pub(crate) fn text(&self, name: &'static str) -> Option<String> {
        self.value(name).and_then(|v| v.as_str().map(str::to_owned))
    }

    pub(crate) fn list(&self, name: &'static str) -> Vec<String> {
        self.value(name).and_then(|v| v.as_list().map(<[String]>::to_vec)).unwrap_or_default()
    }

    /// A word that `parse` knows; the registry's check has made sure of it.
    pub(crate) fn word<T>(&self, name: &'static str, parse: impl FnOnce(&str) -> Option<T>) -> T {
        self.required(name, |v| v.as_str().and_then(parse))
    }
}
