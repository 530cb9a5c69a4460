//! Rules that span two settings.
//!
//! Owns them for start-up and for changes. Refuses rules on one value (`check`).

use crate::error::ConfigError;
use crate::static_config::StaticConfig;

pub(crate) fn check_static(_config: &StaticConfig) -> Vec<ConfigError> {
    Vec::new()
}
