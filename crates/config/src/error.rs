//! Why a setting was refused. Every message names the setting and what would be accepted.
//!
//! Owns the words; refuses to know protocol codes (`ConfigError::kind` says enough to map one).

use crate::setting::Level;

/// A refused setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error("{name}: {value:?} is not a {kind}: {expected}")]
    NotA { name: String, value: String, kind: &'static str, expected: &'static str },
    #[error("{name}: {value} is out of range, {accepted}")]
    OutOfRange { name: String, value: String, accepted: String },
    #[error("{name}: {value:?} is not one of {}{}", accepted.join(", "), did_you_mean(.nearest.as_deref()))]
    NotOneOf { name: String, value: String, accepted: Vec<&'static str>, nearest: Option<String> },
    #[error("{name}: {value:?} is not valid: {reason}")]
    Invalid { name: String, value: String, reason: String },
    /// Two settings that do not go together.
    #[error("{name}: {reason}")]
    Conflict { name: String, reason: String },
    #[error("unknown {} setting {name:?}{}", level.name(), did_you_mean(.nearest.as_deref()))]
    Unknown { level: Level, name: String, nearest: Option<String> },
    #[error("line {line} of the properties file cannot be read: {reason}")]
    Unreadable { line: usize, reason: String },
    #[error("{text:?} is not of the form name=value")]
    NotAssignment { text: String },
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean {name}?"))
}
