//! Every setting there is, as data: one table per area, rows of
//! `"name": Kind = "default", check, importance mode; "what it does, with the unit"`.
//!
//! Owns look-up by level and name. Refuses meaning: typed values are in `topic`, `broker`, `group`.

mod acted_on;
mod broker_controller;
mod broker_group;
mod broker_group_modern;
mod broker_log;
mod broker_metrics;
mod broker_network;
mod broker_remote;
mod broker_replication;
mod broker_sasl;
mod broker_security;
mod broker_transaction;
mod client_metrics;
mod group;
mod topic;

pub(crate) use acted_on::acted_on;

use std::sync::LazyLock;

use crate::setting::{Importance, Level, Mode, Setting};

/// Rows to a `static SETTINGS` of the module. A row without `per_broker` or `cluster_wide` is
/// read-only on the broker level; on other levels the mode has no meaning.
macro_rules! settings {
    ($level:ident $(
        $name:literal : $kind:ident = $default:tt, $check:expr, $($flag:ident)+ ; $doc:literal
    )*) => {
        pub(super) const SETTINGS: &[$crate::setting::Setting] = &[$(
            $crate::registry::row(
                $crate::setting::Level::$level,
                $name,
                $crate::setting::Kind::$kind,
                $crate::registry::settings!(@default $default),
                $check,
                $doc,
            )$(.$flag())+,
        )*];
    };
    (@default none) => { None };
    (@default $text:literal) => { Some($text) };
}
use settings;

const fn row(
    level: Level,
    name: &'static str,
    kind: crate::setting::Kind,
    default: Option<&'static str>,
    check: crate::check::Check,
    doc: &'static str,
) -> Setting {
    Setting {
        name,
        kind,
        default,
        level,
        mode: Mode::ReadOnly,
        importance: Importance::Medium,
        check,
        doc,
        hidden: false,
    }
}

impl Setting {
    const fn high(self) -> Setting {
        Setting { importance: Importance::High, ..self }
    }

    const fn medium(self) -> Setting {
        Setting { importance: Importance::Medium, ..self }
    }

    const fn low(self) -> Setting {
        Setting { importance: Importance::Low, ..self }
    }

    const fn per_broker(self) -> Setting {
        Setting { mode: Mode::PerBroker, ..self }
    }

    const fn cluster_wide(self) -> Setting {
        Setting { mode: Mode::ClusterWide, ..self }
    }

    const fn hidden(self) -> Setting {
        Setting { hidden: true, ..self }
    }
}

/// Sorted by level, then name.
static REGISTRY: LazyLock<Vec<Setting>> = LazyLock::new(|| {
    let mut all: Vec<Setting> = [
        broker_controller::SETTINGS,
        broker_group::SETTINGS,
        broker_group_modern::SETTINGS,
        broker_log::SETTINGS,
        broker_metrics::SETTINGS,
        broker_network::SETTINGS,
        broker_remote::SETTINGS,
        broker_replication::SETTINGS,
        broker_sasl::SETTINGS,
        broker_security::SETTINGS,
        broker_transaction::SETTINGS,
        client_metrics::SETTINGS,
        group::SETTINGS,
        topic::SETTINGS,
    ]
    .concat();
    all.sort_by_key(|s| (s.level, s.name));
    all
});

/// Every setting, sorted by level, then name.
pub fn registry() -> &'static [Setting] {
    &REGISTRY
}

/// The settings of one level, sorted by name.
pub fn settings_of(level: Level) -> &'static [Setting] {
    let start = REGISTRY.partition_point(|s| s.level < level);
    let end = REGISTRY.partition_point(|s| s.level <= level);
    &REGISTRY[start..end]
}

/// The setting of that exact name.
pub fn lookup(level: Level, name: &str) -> Option<&'static Setting> {
    let settings = settings_of(level);
    settings.binary_search_by(|s| s.name.cmp(name)).ok().map(|i| &settings[i])
}

/// The known name closest to a mistyped one.
pub fn nearest(level: Level, name: &str) -> Option<&'static str> {
    crate::nearest::nearest(name, settings_of(level).iter().map(|s| s.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_per_level() {
        for pair in registry().windows(2) {
            assert!(
                (pair[0].level, pair[0].name) < (pair[1].level, pair[1].name),
                "{}",
                pair[0].name
            );
        }
    }

    #[test]
    fn every_default_passes_its_own_check() {
        for setting in registry() {
            if let Some(text) = setting.default {
                let value = setting.parse(text).unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(value.to_text(), text, "{}", setting.name);
            }
        }
    }

    #[test]
    fn every_setting_says_what_it_does() {
        for setting in registry() {
            assert!(setting.doc.len() > 10 && setting.doc.ends_with('.'), "{}", setting.name);
        }
    }

    #[test]
    fn lookup_knows_levels_apart() {
        assert!(lookup(Level::Topic, "retention.ms").is_some());
        assert!(lookup(Level::Broker, "retention.ms").is_none());
        assert_eq!(nearest(Level::Topic, "retension.ms"), Some("retention.ms"));
    }
}
