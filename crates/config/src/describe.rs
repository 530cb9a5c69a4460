//! What DescribeConfigs tells about each resource: value, where it comes from, the chain of
//! synonyms behind it.
//!
//! Owns the rules of that answer. Refuses to know the wire: the broker copies entries into its
//! reply and drops what the request did not ask for.

use crate::layers::{Layers, Overrides, Source};
use crate::loggers::{LOGGERS, LogLevel};
use crate::names::{broker_setting, listener_suffix};
use crate::registry::settings_of;
use crate::setting::{Level, Setting};
use crate::synonyms::{Unit, broker_names_of, describe_chain};

/// Type code of a setting that nobody knows.
const KIND_UNKNOWN: i8 = 0;

/// One setting of one resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    /// `None`: no value, or one that is not shown.
    pub value: Option<String>,
    pub source: Source,
    /// The value is hidden.
    pub sensitive: bool,
    pub read_only: bool,
    /// The values that would apply one after the other, the effective one first.
    pub synonyms: Vec<EntrySynonym>,
    /// [`Kind::code`](crate::Kind::code), 0 if the setting is unknown.
    pub kind: i8,
    pub doc: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntrySynonym {
    pub name: String,
    pub value: Option<String>,
    pub source: Source,
}

/// All settings of this broker, sorted by name.
pub fn describe_broker(layers: &Layers<'_>) -> Vec<Entry> {
    let mut names: Vec<&str> =
        settings_of(Level::Broker).iter().filter(|s| !s.hidden).map(|s| s.name).collect();
    names.extend(layers.broker.keys().map(String::as_str));
    names.extend(layers.cluster.keys().map(String::as_str));
    names.extend(layers.fixed.iter().map(|(name, _)| name));
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| broker_entry(name, layers)).collect()
}

/// The dynamic settings of all brokers, sorted by name.
pub fn describe_cluster_default(cluster: &Overrides) -> Vec<Entry> {
    let of_cluster = |(name, text): (&String, &String)| {
        let setting = broker_setting(name);
        let sensitive = setting.is_none_or(Setting::is_sensitive);
        let value = (!sensitive).then(|| text.clone());
        let source = Source::DynamicDefaultBroker;
        let synonym = EntrySynonym { name: name.clone(), value: value.clone(), source };
        entry_of(name, setting, value, vec![synonym])
    };
    cluster.iter().map(of_cluster).collect()
}

/// All settings of a topic, sorted by name.
pub fn describe_topic(overrides: &Overrides, layers: &Layers<'_>) -> Vec<Entry> {
    settings_of(Level::Topic).iter().map(|s| owned_entry(s, overrides, layers)).collect()
}

/// All settings of a group, sorted by name. The group need not exist.
pub fn describe_group(overrides: &Overrides, layers: &Layers<'_>) -> Vec<Entry> {
    let shown = settings_of(Level::Group).iter().filter(|s| !s.hidden);
    shown.map(|s| owned_entry(s, overrides, layers)).collect()
}

/// All settings of a client metrics subscription, sorted by name.
pub fn describe_client_metrics(overrides: &Overrides) -> Vec<Entry> {
    let own = |setting: &Setting| {
        let synonyms = own_synonym(setting, overrides, Source::ClientMetrics);
        let value = synonyms.first().and_then(|s| s.value.clone());
        let value = value.or_else(|| setting.default.map(str::to_owned));
        entry_of(setting.name, Some(setting), value, synonyms)
    };
    settings_of(Level::ClientMetrics).iter().map(own).collect()
}

/// Every logger with its level; `levels` holds those that were set.
pub fn describe_loggers(levels: &Overrides) -> Vec<Entry> {
    let set = |name: &str| levels.get(name).and_then(|text| LogLevel::from_name(text));
    let root = set("root").unwrap_or_default();
    let of_logger = |logger: &&str| Entry {
        name: (*logger).to_owned(),
        value: Some(set(logger).unwrap_or(root).name().to_owned()),
        source: Source::DynamicBrokerLogger,
        sensitive: false,
        read_only: false,
        synonyms: Vec::new(),
        kind: KIND_UNKNOWN,
        doc: "",
    };
    LOGGERS.iter().map(of_logger).collect()
}

fn broker_entry(name: &str, layers: &Layers<'_>) -> Entry {
    let setting = broker_setting(name);
    let synonyms = broker_synonyms(name, layers);
    let given = layers.given(name).find(|(text, _)| setting.is_none_or(|s| s.parse(text).is_ok()));
    let value = match (given, setting) {
        (Some((text, _)), Some(s)) => s.parse(text).ok().map(|v| v.to_text()),
        (None, Some(s)) => s.default.map(str::to_owned),
        (_, None) => None,
    };
    entry_of(name, setting, value, synonyms)
}

/// Everything given for a name and those that stand for it, layer by layer, then the defaults.
/// What comes before the first mention of the name itself is dropped: Kafka's rule.
fn broker_synonyms(name: &str, layers: &Layers<'_>) -> Vec<EntrySynonym> {
    let sensitive = broker_setting(name).is_none_or(Setting::is_sensitive);
    let own = [name];
    let suffix = listener_suffix(name);
    let with_suffix = [name, suffix.unwrap_or_default()];
    let names: &[&str] = match describe_chain(name) {
        [] if suffix.is_some() => &with_suffix,
        [] => &own,
        chain => chain,
    };
    let mut synonyms = Vec::new();
    for source in [Source::DynamicBroker, Source::DynamicDefaultBroker, Source::StaticBroker] {
        for name in names {
            if let Some((text, _)) = layers.given(name).find(|(_, s)| *s == source) {
                let value = (!sensitive).then(|| text.to_owned());
                synonyms.push(EntrySynonym { name: (*name).to_owned(), value, source });
            }
        }
    }
    for name in names {
        if let Some(text) = crate::registry::lookup(Level::Broker, name).and_then(|s| s.default) {
            let value = (!sensitive).then(|| text.to_owned());
            let source = Source::Default;
            synonyms.push(EntrySynonym { name: (*name).to_owned(), value, source });
        }
    }
    let first = synonyms.iter().position(|s| s.name == name);
    first.map_or_else(Vec::new, |i| synonyms.split_off(i))
}

/// A topic or group setting: its own value, then what the broker has for it.
fn owned_entry(setting: &'static Setting, overrides: &Overrides, layers: &Layers<'_>) -> Entry {
    let own_source =
        if setting.level == Level::Topic { Source::DynamicTopic } else { Source::Group };
    let value = layers.value_of(setting.level, overrides, setting.name).map(|v| v.to_text());
    let mut synonyms = own_synonym(setting, overrides, own_source);
    match broker_names_of(setting.level, setting.name) {
        [first, ..] => {
            let behind = broker_synonyms(first.broker, layers).into_iter();
            synonyms.extend(behind.map(|s| convert_first(s, first.unit)));
        }
        // Kafka shows a group setting without a broker's counterpart as its own default.
        [] if setting.level == Level::Group => synonyms.extend(setting.default.map(|text| {
            let (name, value) = (setting.name.to_owned(), Some(text.to_owned()));
            EntrySynonym { name, value, source: Source::Default }
        })),
        [] => {}
    }
    entry_of(setting.name, Some(setting), value, synonyms)
}

/// A list of which one item counts shows that item.
fn convert_first(synonym: EntrySynonym, unit: Unit) -> EntrySynonym {
    let Unit::First = unit else { return synonym };
    let first = |list: String| list.split(',').next().unwrap_or_default().trim().to_owned();
    EntrySynonym { value: synonym.value.map(first), ..synonym }
}

fn own_synonym(setting: &Setting, overrides: &Overrides, source: Source) -> Vec<EntrySynonym> {
    let parsed = overrides.get(setting.name).and_then(|text| setting.parse(text).ok());
    let as_synonym = |value: crate::Value| EntrySynonym {
        name: setting.name.to_owned(),
        value: Some(value.to_text()),
        source,
    };
    parsed.map(as_synonym).into_iter().collect()
}

fn entry_of(
    name: &str,
    setting: Option<&Setting>,
    value: Option<String>,
    synonyms: Vec<EntrySynonym>,
) -> Entry {
    let sensitive = setting.is_none_or(Setting::is_sensitive);
    // The per-listener form of a name is never on the list of what may change.
    let read_only = setting.is_none_or(|s| s.is_read_only() || s.name != name);
    Entry {
        name: name.to_owned(),
        value: value.filter(|_| !sensitive),
        source: synonyms.first().map_or(Source::Default, |s| s.source),
        sensitive,
        read_only,
        synonyms,
        kind: setting.map_or(KIND_UNKNOWN, |s| s.kind.code()),
        doc: setting.map_or("", |s| s.doc),
    }
}
