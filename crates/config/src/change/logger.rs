//! Changes of logger levels.

use crate::layers::Overrides;
use crate::loggers::{LOGGERS, LogLevel};
use crate::nearest::nearest;

use super::{ChangeError, Edit, Op, check_form};

/// Applies edits to the levels that were set; names not among them follow `root`.
pub fn decide_logger_edits(
    levels: &Overrides,
    edits: &[Edit<'_>],
) -> Result<Overrides, ChangeError> {
    check_form(edits)?;
    let mut after = levels.clone();
    for edit in edits {
        if !LOGGERS.contains(&edit.name) {
            let near = nearest(edit.name, LOGGERS.iter().copied());
            let hint = near.map_or_else(String::new, |n| format!("; did you mean {n}?"));
            return Err(ChangeError::config(format!("no logger {:?}{hint}", edit.name)));
        }
        match (edit.op, edit.value) {
            (Op::Set, Some(level)) if LogLevel::from_name(level).is_some() => {
                after.insert(edit.name.to_owned(), level.to_owned());
            }
            (Op::Set, level) => {
                let level = level.unwrap_or_default();
                let message = format!(
                    "{}: {level:?} is not one of FATAL, ERROR, WARN, INFO, DEBUG, TRACE",
                    edit.name
                );
                return Err(ChangeError::config(message));
            }
            (Op::Delete, _) if edit.name == "root" => {
                return Err(ChangeError::config("root: it can be set, not removed"));
            }
            (Op::Delete, _) => {
                after.remove(edit.name);
            }
            (Op::Append | Op::Subtract, _) => {
                let message = format!("{}: a level is not a list", edit.name);
                return Err(ChangeError::request(message));
            }
        }
    }
    Ok(after)
}
