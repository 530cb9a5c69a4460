//! A broker's refusal in words that say what to do.

use highwater_client::ClientError;
use highwater_wire::{ErrorCode, Str};

use crate::failure::{Failure, Outcome};

/// `Ok` if the code is none, else a failure that says what was wanted, what the broker said and
/// what helps.
pub fn refused(what: impl Into<String>, code: i16, message: Option<&Str>) -> Outcome {
    let what: String = what.into();
    Ok(ClientError::check(what.as_str(), code, message.map(Str::as_str))?)
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Failure {
        let advice = error.code().map_or("", advice);
        match error {
            ClientError::Connect { .. } | ClientError::NoBroker(_) => Failure::unreachable(error),
            _ => Failure::new(format!("{error}{advice}")),
        }
    }
}

fn advice(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::UNKNOWN_TOPIC_OR_PARTITION | ErrorCode::UNKNOWN_TOPIC_ID => {
            " (`highwater topic list` shows what there is)"
        }
        ErrorCode::GROUP_ID_NOT_FOUND => " (`highwater group list` shows what there is)",
        ErrorCode::NON_EMPTY_GROUP => " (stop its members first)",
        ErrorCode::TOPIC_ALREADY_EXISTS => " (--if-not-exists accepts it)",
        ErrorCode::INVALID_REPLICATION_FACTOR => {
            " (there cannot be more replicas than brokers; `highwater cluster` shows those)"
        }
        ErrorCode::CLUSTER_AUTHORIZATION_FAILED
        | ErrorCode::TOPIC_AUTHORIZATION_FAILED
        | ErrorCode::GROUP_AUTHORIZATION_FAILED => " (this client is not allowed to)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_say_what_helps() {
        let code = ErrorCode::UNKNOWN_TOPIC_OR_PARTITION.0;
        let failure = refused("describing topic a", code, None).unwrap_err().to_string();
        assert!(failure.starts_with("describing topic a: UNKNOWN_TOPIC_OR_PARTITION"), "{failure}");
        assert!(failure.contains("topic list"), "{failure}");
        assert_eq!(refused("x", 0, None), Ok(()));
    }
}
