//! The broker's settings as given at start: properties text, environment, `--set`.
//!
//! Owns reading, precedence (set > env > file), and the warnings about names that are unknown,
//! retired or not acted on. Pure: the caller reads files and the environment. Called by the
//! binary once.

use std::fmt;

use crate::error::ConfigError;
use crate::layers::Overrides;
use crate::names::{self, Known};
use crate::setting::Setting;

/// What the caller has read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<'a> {
    /// Text of a properties file, UTF-8 or with Java's escapes.
    pub properties: Option<&'a str>,
    /// Environment variables; those without the prefix `HIGHWATER_` are passed over.
    pub env: &'a [(String, String)],
    /// `name=value` each.
    pub set: &'a [String],
}

/// Static settings, checked one by one and against each other.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct StaticConfig {
    given: Overrides,
}

/// Without secrets: logs print it.
impl fmt::Debug for StaticConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = |name: &str| names::broker_setting(name).is_none_or(Setting::is_sensitive);
        let shown = self.iter().map(|(name, text)| (name, if hidden(name) { "…" } else { text }));
        f.debug_map().entries(shown).finish()
    }
}

/// Everything that was wrong, so that one look is enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            let separator = if i == 0 { "" } else { "\n" };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

/// Something to tell the operator; it stops nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    UnknownSetting {
        name: String,
        nearest: Option<&'static str>,
    },
    UnknownVariable {
        name: String,
        nearest: Option<String>,
    },
    /// A setting of earlier Kafka versions.
    Retired {
        name: String,
        hint: &'static str,
    },
    /// Settings that are known but have no effect here yet.
    NotActedOn {
        names: Vec<String>,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::UnknownSetting { name, nearest: Some(near) } => {
                write!(f, "unknown setting {name}, did you mean {near}?")
            }
            Warning::UnknownSetting { name, nearest: None } => write!(f, "unknown setting {name}"),
            Warning::UnknownVariable { name, nearest: Some(near) } => {
                write!(f, "unknown variable {name}, did you mean {near}?")
            }
            Warning::UnknownVariable { name, nearest: None } => {
                write!(f, "unknown variable {name}")
            }
            Warning::Retired { name, hint } => write!(f, "setting {name} is ignored: {hint}"),
            Warning::NotActedOn { names } => {
                write!(f, "accepted, but without effect in this version: {}", names.join(", "))
            }
        }
    }
}

impl StaticConfig {
    /// Reads and checks all sources.
    pub fn load(sources: &Sources<'_>) -> Result<(StaticConfig, Vec<Warning>), ConfigErrors> {
        let mut loaded = Loaded::default();
        loaded.take_properties(sources.properties.unwrap_or_default());
        loaded.take_env(sources.env);
        loaded.take_set(sources.set);
        loaded.finish()
    }

    /// The text given for a name, if any.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.given.get(name).map(String::as_str)
    }

    /// All that was given, unknown names included, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.given.iter().map(|(k, v)| (k.as_str(), v.as_str()))
    }
}

#[derive(Default)]
struct Loaded {
    given: Overrides,
    warnings: Vec<Warning>,
    errors: Vec<ConfigError>,
}

impl Loaded {
    fn take_properties(&mut self, text: &str) {
        let escaped = escape_non_ascii(text);
        let lines = java_properties::PropertiesIter::new(escaped.as_bytes());
        for line in lines {
            match line.map(java_properties::Line::consume_content) {
                Ok(java_properties::LineContent::KVPair(name, value)) => {
                    self.given.insert(name, value);
                }
                Ok(java_properties::LineContent::Comment(_)) => {}
                Err(error) => self.errors.push(ConfigError::Unreadable {
                    line: error.line_number().unwrap_or(0),
                    reason: error.to_string(),
                }),
            }
        }
    }

    fn take_env(&mut self, env: &[(String, String)]) {
        for (variable, value) in env {
            if !variable.starts_with(names::ENV_PREFIX) {
                continue;
            }
            match names::setting_of_variable(variable) {
                Some(name) => {
                    self.given.insert(name.to_owned(), value.clone());
                }
                None => self.warnings.push(Warning::UnknownVariable {
                    name: variable.clone(),
                    nearest: names::nearest_variable(variable),
                }),
            }
        }
    }

    fn take_set(&mut self, pairs: &[String]) {
        for pair in pairs {
            match pair.split_once('=') {
                Some((name, value)) if !name.trim().is_empty() => {
                    self.given.insert(name.trim().to_owned(), value.to_owned());
                }
                _ => self.errors.push(ConfigError::NotAssignment { text: pair.clone() }),
            }
        }
    }

    fn finish(mut self) -> Result<(StaticConfig, Vec<Warning>), ConfigErrors> {
        let mut not_acted_on = Vec::new();
        for (name, value) in &self.given {
            match names::classify(name) {
                Known::Setting(setting) => {
                    if let Err(error) = setting.parse(value) {
                        self.errors.push(error);
                    }
                    if !setting.acted_on() {
                        not_acted_on.push(name.clone());
                    }
                }
                Known::Retired(hint) => {
                    self.warnings.push(Warning::Retired { name: name.clone(), hint });
                }
                Known::No { nearest } => {
                    self.warnings.push(Warning::UnknownSetting { name: name.clone(), nearest });
                }
            }
        }
        if !not_acted_on.is_empty() {
            self.warnings.push(Warning::NotActedOn { names: not_acted_on });
        }
        mirror_node_id(&mut self.given);
        let config = StaticConfig { given: self.given };
        if self.errors.is_empty() {
            self.errors.extend(crate::cross::check_static(&config).err());
        }
        if self.errors.is_empty() {
            Ok((config, self.warnings))
        } else {
            Err(ConfigErrors(self.errors))
        }
    }
}

/// `node.id` and its older name `broker.id` stand for each other.
fn mirror_node_id(given: &mut Overrides) {
    for (from, to) in [("node.id", "broker.id"), ("broker.id", "node.id")] {
        if let (Some(id), None) = (given.get(from).cloned(), given.get(to)) {
            given.insert(to.to_owned(), id);
        }
    }
}

/// Java reads properties as Latin-1 with `\u` escapes; people write UTF-8.
fn escape_non_ascii(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut units = [0_u16; 2];
    for c in text.chars() {
        if c.is_ascii() {
            escaped.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut units) {
            escaped.push_str(&format!("\\u{unit:04x}"));
        }
    }
    escaped
}
