//! Levels of the broker's loggers, as clients list and set them (resource type BROKER_LOGGER).
//!
//! Owns which are in force. Refuses to keep them: a start begins anew, as Kafka's does. Who writes
//! the log is told of each change; that is the binary.

use highwater_config::{
    ChangeError, Edit, Entry, Op, Overrides, decide_logger_edits, describe_loggers,
};
use highwater_wire::ErrorCode;
use highwater_wire::messages::{IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse};
use parking_lot::Mutex;

/// BROKER_LOGGER
pub(crate) const RESOURCE_TYPE: i8 = 8;

type Apply = Box<dyn Fn(&Overrides) + Send + Sync>;

/// What each logger lets through.
pub struct LogLevels {
    /// Names of `highwater_config::LOGGERS`, those that do not follow `root`.
    set: Mutex<Overrides>,
    apply: Apply,
}

impl LogLevels {
    /// `set`: what is in force at the start. `apply` is given all that are set, after each change.
    pub fn new(set: Overrides, apply: impl Fn(&Overrides) + Send + Sync + 'static) -> Self {
        LogLevels { set: Mutex::new(set), apply: Box::new(apply) }
    }

    /// For who has no log.
    pub fn none() -> Self {
        LogLevels::new(Overrides::new(), |_| {})
    }

    pub(crate) fn describe(&self) -> Vec<Entry> {
        describe_loggers(&self.set.lock())
    }

    fn edit(&self, edits: &[Edit<'_>]) -> Result<(), ChangeError> {
        let mut set = self.set.lock();
        let after = decide_logger_edits(&set, edits)?;
        (self.apply)(&after);
        *set = after;
        Ok(())
    }

    /// Takes those changes of a request that the controller found good.
    pub(crate) fn take(
        &self,
        request: &IncrementalAlterConfigsRequest,
        answer: &IncrementalAlterConfigsResponse,
    ) {
        if request.validate_only {
            return;
        }
        for (resource, result) in request.resources.iter().zip(&answer.responses) {
            if resource.resource_type != RESOURCE_TYPE || result.error_code != ErrorCode::NONE.0 {
                continue;
            }
            let edits: Option<Vec<_>> = resource
                .configs
                .iter()
                .map(|config| {
                    let op = Op::from_code(config.config_operation)?;
                    Some(Edit { name: &config.name, op, value: config.value.as_deref() })
                })
                .collect();
            match edits.map(|edits| self.edit(&edits)) {
                Some(Ok(())) => {}
                // The controller's check is the same.
                other => tracing::error!(?other, "log levels were found good, and are not"),
            }
        }
    }
}
