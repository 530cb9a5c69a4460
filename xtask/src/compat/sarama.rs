//! The service of `compat/sarama`: an idempotent producer keyed by order, and consumer groups that
//! commit by hand.

use crate::compat::context::Context;
use crate::compat::foreign::{MINUTE, finish, run};
use crate::compat::reports::read_checks;
use crate::compat::verdict::Case;
use std::process::Command;

pub fn run_suite(context: &Context<'_>) -> Result<Vec<Case>, String> {
    let program = context.cache.go("sarama", None)?;
    let broker = context.broker("broker", &[])?;
    let ran = run(context, Command::new(program).arg(broker.address()), 4 * MINUTE)?;
    finish(context, broker, read_checks(&ran.output), &ran)
}
