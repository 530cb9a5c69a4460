//! What may name a topic. Knows nothing of which topics exist.

use highwater_types::limits::TOPIC_NAME_BYTES_MAX;
use highwater_wire::ErrorCode;

use crate::error::{ApiError, Outcome};
use crate::limits::NAME_SHOWN_BYTES_MAX;

/// Topic of the metadata log itself; no client may create it.
pub const CLUSTER_METADATA: &str = "__cluster_metadata";

/// Topics that coordinators keep their state in; clients may not produce to them by default.
pub const INTERNAL: [&str; 3] =
    ["__consumer_offsets", "__transaction_state", "__share_group_state"];

pub fn is_internal(name: &str) -> bool {
    INTERNAL.contains(&name)
}

/// 1 to 249 of `a-z A-Z 0-9 . _ -`, and not `.` or `..`, which are folders.
pub fn check_topic_name(name: &str) -> Outcome {
    let reason = if name.is_empty() {
        "it is empty".to_owned()
    } else if name == "." || name == ".." {
        format!("'{name}' names a folder")
    } else if name.len() > TOPIC_NAME_BYTES_MAX {
        let shown: String = name.chars().take(NAME_SHOWN_BYTES_MAX).collect();
        format!("'{shown}' has {} characters, at most {TOPIC_NAME_BYTES_MAX} fit", name.len())
    } else if let Some(odd) = name.chars().find(|c| !is_legal(*c)) {
        format!("'{name}' contains {odd:?}; only ASCII letters and digits, '.', '_' and '-' may")
    } else {
        return Ok(());
    };
    Err(ApiError::new(
        ErrorCode::INVALID_TOPIC_EXCEPTION,
        format!("This is not a valid topic name: {reason}."),
    ))
}

fn is_legal(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// Metrics write `.` as `_`, so two names that differ only there cannot coexist.
pub fn unified(name: &str) -> String {
    name.replace('.', "_")
}

pub fn may_collide(name: &str) -> bool {
    name.contains(['.', '_'])
}
