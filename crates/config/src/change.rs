//! Changes of settings while running: what may be changed where, and what comes out.
//!
//! Owns the rules of IncrementalAlterConfigs and AlterConfigs, and those on the settings in a
//! CreateTopics request. Refuses to store anything and to know whether the resource exists.
//! Called by the controller; [`Refusal`] maps to one protocol code each.

mod broker;
mod client_metrics;
mod logger;

pub use logger::decide_logger_edits;

use std::fmt;

use crate::cross;
use crate::error::ConfigError;
use crate::layers::{Layers, Overrides};
use crate::names::broker_setting;
use crate::registry::{lookup, nearest};
use crate::setting::{Kind, Level, Setting};

/// Longest value that is stored (Kafka: a 16-bit length).
pub const VALUE_BYTES_MAX: usize = 32_767;

/// Whose settings change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Topic,
    /// One broker.
    Broker,
    /// The default of all brokers.
    AllBrokers,
    Group,
    ClientMetrics,
}

impl Target {
    pub const fn level(self) -> Level {
        match self {
            Target::Topic => Level::Topic,
            Target::Broker | Target::AllBrokers => Level::Broker,
            Target::Group => Level::Group,
            Target::ClientMetrics => Level::ClientMetrics,
        }
    }
}

/// What one edit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Set,
    Delete,
    /// Adds items to a list.
    Append,
    /// Takes items off a list.
    Subtract,
}

impl Op {
    /// From the number in IncrementalAlterConfigs.
    pub const fn from_code(code: i8) -> Option<Op> {
        match code {
            0 => Some(Op::Set),
            1 => Some(Op::Delete),
            2 => Some(Op::Append),
            3 => Some(Op::Subtract),
            _ => None,
        }
    }
}

/// One line of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit<'a> {
    pub name: &'a str,
    pub op: Op,
    pub value: Option<&'a str>,
}

/// What the refusal of a change is on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// INVALID_CONFIG (40)
    InvalidConfig,
    /// INVALID_REQUEST (42)
    InvalidRequest,
}

/// A refused change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeError {
    pub refusal: Refusal,
    /// For people.
    pub message: String,
}

impl fmt::Display for ChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ChangeError {}

impl ChangeError {
    fn config(message: impl ToString) -> ChangeError {
        ChangeError { refusal: Refusal::InvalidConfig, message: message.to_string() }
    }

    fn request(message: impl ToString) -> ChangeError {
        ChangeError { refusal: Refusal::InvalidRequest, message: message.to_string() }
    }
}

/// Applies the edits of IncrementalAlterConfigs to the stored settings of a resource and checks
/// what comes out. `layers` are those of the broker that answers; for [`Target::Broker`] and
/// [`Target::AllBrokers`] its dynamic layers hold what is stored now.
pub fn decide_edits(
    target: Target,
    stored: &Overrides,
    edits: &[Edit<'_>],
    layers: &Layers<'_>,
) -> Result<Overrides, ChangeError> {
    check_form(edits)?;
    let mut after = stored.clone();
    for edit in edits {
        apply(target, &mut after, edit)?;
    }
    check_overrides(target, &after, layers)?;
    for edit in edits {
        broker::check_min_insync(target, edit.name, edit.op == Op::Delete)?;
    }
    Ok(after)
}

/// What AlterConfigs puts in place of all stored settings. Null values are refused.
pub fn decide_replacement(
    target: Target,
    stored: &Overrides,
    settings: &[(&str, Option<&str>)],
    layers: &Layers<'_>,
) -> Result<Overrides, ChangeError> {
    let edits: Vec<Edit<'_>> =
        settings.iter().map(|(name, value)| Edit { name, op: Op::Set, value: *value }).collect();
    let after = decide_edits(target, &Overrides::new(), &edits, layers)?;
    for gone in stored.keys().filter(|name| !after.contains_key(*name)) {
        broker::check_min_insync(target, gone, true)?;
    }
    Ok(after)
}

/// The settings of a topic as CreateTopics gives them. Of a name given twice the later counts.
pub fn decide_new_topic(
    settings: &[(&str, Option<&str>)],
    layers: &Layers<'_>,
) -> Result<Overrides, ChangeError> {
    let mut topic = Overrides::new();
    for (name, value) in settings {
        if value.is_none() {
            return Err(ChangeError::config(format!("{name} has no value")));
        }
        apply(Target::Topic, &mut topic, &Edit { name, op: Op::Set, value: *value })?;
    }
    check_overrides(Target::Topic, &topic, layers)?;
    Ok(topic)
}

/// Checks all settings of a resource together.
pub fn check_overrides(
    target: Target,
    overrides: &Overrides,
    layers: &Layers<'_>,
) -> Result<(), ChangeError> {
    match target {
        Target::Topic => {
            check_values(Level::Topic, overrides).map_err(ChangeError::config)?;
            cross::check_topic(overrides, layers).map_err(ChangeError::config)
        }
        Target::Group => {
            check_values(Level::Group, overrides).map_err(ChangeError::config)?;
            cross::check_group(overrides, layers).map_err(ChangeError::config)
        }
        Target::ClientMetrics => client_metrics::check(overrides),
        Target::Broker | Target::AllBrokers => broker::check(target, overrides, layers),
    }
}

/// A name stands once, and what is set has a value.
fn check_form(edits: &[Edit<'_>]) -> Result<(), ChangeError> {
    for (i, edit) in edits.iter().enumerate() {
        if edits[..i].iter().any(|earlier| earlier.name == edit.name) {
            return Err(ChangeError::request(format!("{} stands there twice", edit.name)));
        }
    }
    match edits.iter().find(|e| e.op != Op::Delete && e.value.is_none()) {
        Some(edit) => Err(ChangeError::request(format!("{} has no value", edit.name))),
        None => Ok(()),
    }
}

fn apply(target: Target, stored: &mut Overrides, edit: &Edit<'_>) -> Result<(), ChangeError> {
    let value = edit.value.unwrap_or_default();
    let changed = match edit.op {
        Op::Delete => {
            stored.remove(edit.name);
            return Ok(());
        }
        Op::Set => value.to_owned(),
        Op::Append | Op::Subtract => {
            let setting = list_setting(target, edit)?;
            let now = stored.get(edit.name).map(String::as_str).or(setting.default);
            edit_list(now.unwrap_or_default(), edit.op, value)
        }
    };
    if changed.len() > VALUE_BYTES_MAX {
        let message = format!("{}: a value has at most {VALUE_BYTES_MAX} bytes", edit.name);
        return Err(ChangeError::config(message));
    }
    stored.insert(edit.name.to_owned(), changed);
    Ok(())
}

fn list_setting(target: Target, edit: &Edit<'_>) -> Result<&'static Setting, ChangeError> {
    let setting = match target.level() {
        Level::Broker => broker_setting(edit.name),
        level => lookup(level, edit.name),
    };
    match setting {
        Some(setting) if setting.kind == Kind::List => Ok(setting),
        Some(setting) => {
            let kind = setting.kind.name();
            let message = format!("{}: only a list has items, this is a {kind}", edit.name);
            Err(match target.level() {
                Level::Broker => ChangeError::request(message),
                _ => ChangeError::config(message),
            })
        }
        None => Err(unknown(target.level(), edit.name)),
    }
}

/// Items are compared as they stand between the commas.
fn edit_list(now: &str, op: Op, value: &str) -> String {
    let split = |text: &str| -> Vec<String> {
        text.split(',').filter(|item| !item.is_empty()).map(str::to_owned).collect()
    };
    let mut items = split(now);
    for item in split(value) {
        match op {
            Op::Append if !items.contains(&item) => items.push(item),
            Op::Subtract => items.retain(|i| *i != item),
            _ => {}
        }
    }
    items.join(",")
}

fn check_values(level: Level, overrides: &Overrides) -> Result<(), ConfigError> {
    for name in overrides.keys() {
        if lookup(level, name).is_none() {
            return Err(unknown_name(level, name));
        }
    }
    for (name, text) in overrides {
        if let Some(setting) = lookup(level, name) {
            setting.parse(text)?;
        }
    }
    Ok(())
}

fn unknown_name(level: Level, name: &str) -> ConfigError {
    let nearest = nearest(level, name).map(str::to_owned);
    ConfigError::Unknown { level, name: name.to_owned(), nearest }
}

fn unknown(level: Level, name: &str) -> ChangeError {
    ChangeError::config(unknown_name(level, name))
}
