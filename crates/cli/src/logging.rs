//! The broker's log lines: which are written, and how that changes while it runs.

use std::io::{self, IsTerminal};

use highwater_broker::LogLevels;
use highwater_config::{LOGGERS, LogLevel};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{fmt, reload};

use crate::failure::{Failure, Outcome};

pub const VARIABLE: &str = "HIGHWATER_LOG";
const DEFAULT: &str = "warn,highwater=info";
const ROOT: &str = "root";

/// Name and level, as the broker knows them.
type Levels = std::collections::BTreeMap<String, String>;

/// Begins to log to standard error; gives what sets the levels.
pub fn start() -> Outcome<LogLevels> {
    let wanted = std::env::var(VARIABLE).unwrap_or_default();
    let wanted = if wanted.is_empty() { DEFAULT } else { wanted.as_str() };
    let given: Targets =
        wanted.parse().map_err(|error| Failure::usage(format!("{VARIABLE}={wanted}: {error}")))?;
    let (filter, handle) = reload::Layer::new(given.clone());
    let lines = fmt::layer().with_writer(io::stderr).with_ansi(io::stderr().is_terminal());
    tracing_subscriber::registry().with(filter).with(lines).init();
    Ok(LogLevels::new(levels_of(&given), move |levels| {
        // It fails only where nobody logs any more.
        let _ = handle.reload(targets_of(&given, levels));
    }))
}

/// Levels of the loggers that clients can name.
fn levels_of(given: &Targets) -> Levels {
    let of = |target: &str| {
        let tells = |level: &LevelFilter| {
            level.into_level().is_some_and(|level| given.would_enable(target, &level))
        };
        [LevelFilter::TRACE, LevelFilter::DEBUG, LevelFilter::INFO, LevelFilter::WARN]
            .into_iter()
            .chain([LevelFilter::ERROR])
            .find(tells)
            .unwrap_or(LevelFilter::OFF)
    };
    let root = given.default_level().unwrap_or(LevelFilter::OFF);
    let level = |name: &&str| if **name == *ROOT { root } else { of(name) };
    LOGGERS.iter().map(|name| ((*name).to_owned(), name_of(level(name)).to_owned())).collect()
}

/// What was given at the start, with the levels of now.
fn targets_of(given: &Targets, levels: &Levels) -> Targets {
    let of = |name: &str| levels.get(name).and_then(|level| LogLevel::from_name(level));
    let root = of(ROOT).unwrap_or_default();
    let mut targets = given.clone().with_default(filter_of(root));
    for name in LOGGERS.iter().filter(|name| **name != ROOT) {
        targets = targets.with_target(*name, filter_of(of(name).unwrap_or(root)));
    }
    targets
}

fn name_of(filter: LevelFilter) -> &'static str {
    let level = match filter {
        LevelFilter::TRACE => LogLevel::Trace,
        LevelFilter::DEBUG => LogLevel::Debug,
        LevelFilter::INFO => LogLevel::Info,
        LevelFilter::WARN => LogLevel::Warn,
        LevelFilter::ERROR => LogLevel::Error,
        _ => LogLevel::Fatal,
    };
    level.name()
}

fn filter_of(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Trace => LevelFilter::TRACE,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Error => LevelFilter::ERROR,
        // No line of ours is above an error.
        LogLevel::Fatal => LevelFilter::OFF,
    }
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    fn levels(given: &str) -> Levels {
        levels_of(&given.parse().expect("a filter"))
    }

    #[test]
    fn levels_at_the_start() {
        let of_default = levels(DEFAULT);
        assert_eq!((&*of_default[ROOT], &*of_default["highwater_log"]), ("WARN", "INFO"));
        let all = levels("debug");
        assert!(all.values().all(|level| level == "DEBUG"), "{all:?}");
        let one = levels("highwater_net=trace");
        assert_eq!((&*one[ROOT], &*one["highwater_net"]), ("FATAL", "TRACE"));
    }

    #[test]
    fn levels_of_now() {
        let given: Targets = "warn,highwater=info,highwater_net::task=trace".parse().unwrap();
        let mut levels = levels_of(&given);
        levels.insert("highwater_log".into(), "DEBUG".into());
        levels.insert("highwater_group".into(), "FATAL".into());
        levels.remove("highwater_broker");
        let targets = targets_of(&given, &levels);
        let check = |target: &str, level: Level, expected: bool| {
            assert_eq!(targets.would_enable(target, &level), expected, "{target} {level}");
        };
        check("highwater_log::append", Level::DEBUG, true);
        check("highwater_group", Level::ERROR, false);
        // Follows root.
        check("highwater_broker", Level::INFO, false);
        check("highwater_broker", Level::WARN, true);
        // As it was.
        check("highwater_net", Level::INFO, true);
        check("highwater_net", Level::DEBUG, false);
        check("highwater_net::task", Level::TRACE, true);
        check("highwater::commands", Level::INFO, true);
        check("other", Level::INFO, false);
    }
}
