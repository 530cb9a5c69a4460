//! What a setting is: its name, kind, default, level, when it may change and what it accepts.
//!
//! Owns the description and the typed value. Refuses to know any particular setting (that is
//! `registry`) and who reads it. Called by everything else in this crate.

use crate::check::Check;
use crate::error::ConfigError;
use crate::parse::parse_value;

/// Type of a setting's value; the discriminant is the type code of DescribeConfigs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i8)]
pub enum Kind {
    Bool = 1,
    String = 2,
    Int = 3,
    Short = 4,
    Long = 5,
    Double = 6,
    List = 7,
    Class = 8,
    Password = 9,
}

impl Kind {
    /// The type code DescribeConfigs sends.
    pub const fn code(self) -> i8 {
        self as i8
    }

    pub const fn name(self) -> &'static str {
        match self {
            Kind::Bool => "boolean",
            Kind::String => "string",
            Kind::Int => "int",
            Kind::Short => "short",
            Kind::Long => "long",
            Kind::Double => "double",
            Kind::List => "list",
            Kind::Class => "class",
            Kind::Password => "password",
        }
    }
}

/// What a setting belongs to. The same name may exist on several levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Broker,
    Topic,
    Group,
    ClientMetrics,
}

impl Level {
    pub const ALL: [Level; 4] = [Level::Broker, Level::Topic, Level::Group, Level::ClientMetrics];

    pub const fn name(self) -> &'static str {
        match self {
            Level::Broker => "broker",
            Level::Topic => "topic",
            Level::Group => "group",
            Level::ClientMetrics => "client metrics",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Importance {
    High,
    Medium,
    Low,
}

/// When a broker setting may change. Settings of the other levels always may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Only at start.
    ReadOnly,
    /// For one broker, not as the default of all.
    PerBroker,
    /// For one broker or as the default of all.
    ClusterWide,
}

/// One entry of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub name: &'static str,
    pub kind: Kind,
    /// Text of the default, `None` where there is none (null on the wire).
    pub default: Option<&'static str>,
    pub level: Level,
    pub mode: Mode,
    pub importance: Importance,
    pub check: Check,
    /// One sentence in our own words, with the unit.
    pub doc: &'static str,
    /// Accepted, but never shown by DescribeConfigs.
    pub hidden: bool,
}

impl Setting {
    /// Reads and checks a value.
    pub fn parse(&self, text: &str) -> Result<Value, ConfigError> {
        let value = parse_value(self, text)?;
        self.check.run(self, &value, text)?;
        Ok(value)
    }

    /// The default as a value; `None` where the default is null.
    pub fn default_value(&self) -> Option<Value> {
        self.default.and_then(|text| parse_value(self, text).ok())
    }

    /// Its value is never shown: passwords.
    pub const fn is_sensitive(&self) -> bool {
        matches!(self.kind, Kind::Password)
    }

    /// May not change while the broker runs.
    pub fn is_read_only(&self) -> bool {
        self.level == Level::Broker && self.mode == Mode::ReadOnly
    }

    /// Highwater does something with it; else it is only accepted and shown.
    pub fn acted_on(&self) -> bool {
        crate::registry::acted_on(self.level, self.name)
    }
}

/// A parsed value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bool(bool),
    Int(i32),
    Short(i16),
    Long(i64),
    Double(f64),
    /// Strings, classes and passwords.
    Text(String),
    List(Vec<String>),
}

impl Value {
    /// Whole numbers of every width.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Value::Int(n) => Some(i64::from(*n)),
            Value::Short(n) => Some(i64::from(*n)),
            Value::Long(n) => Some(*n),
            _ => None,
        }
    }

    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Double(n) => Some(*n),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Text(s) => Some(s),
            _ => None,
        }
    }

    pub fn as_list(&self) -> Option<&[String]> {
        match self {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// The canonical text, as DescribeConfigs shows it.
    pub fn to_text(&self) -> String {
        match self {
            Value::Bool(b) => b.to_string(),
            Value::Int(n) => n.to_string(),
            Value::Short(n) => n.to_string(),
            Value::Long(n) => n.to_string(),
            Value::Double(n) => crate::parse::java_double(*n),
            Value::Text(s) => s.clone(),
            Value::List(items) => items.join(","),
        }
    }
}
