//! Names and levels of the loggers that tools may list and set.
//!
//! Owns the words. Refuses to log: the binary applies the levels.

/// What may be named: `root` for all, or one part of the broker.
pub const LOGGERS: &[&str] = &[
    "highwater_broker",
    "highwater_client",
    "highwater_controller",
    "highwater_group",
    "highwater_log",
    "highwater_net",
    "highwater_replication",
    "root",
];

/// How much a logger tells, most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum LogLevel {
    Fatal,
    Error,
    Warn,
    #[default]
    Info,
    Debug,
    Trace,
}

impl LogLevel {
    const ALL: [LogLevel; 6] = [
        LogLevel::Fatal,
        LogLevel::Error,
        LogLevel::Warn,
        LogLevel::Info,
        LogLevel::Debug,
        LogLevel::Trace,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            LogLevel::Fatal => "FATAL",
            LogLevel::Error => "ERROR",
            LogLevel::Warn => "WARN",
            LogLevel::Info => "INFO",
            LogLevel::Debug => "DEBUG",
            LogLevel::Trace => "TRACE",
        }
    }

    /// Only capitals are known, as in Kafka.
    pub fn from_name(name: &str) -> Option<LogLevel> {
        LogLevel::ALL.into_iter().find(|level| level.name() == name)
    }
}
