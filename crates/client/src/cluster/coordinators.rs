//! Who coordinates a group or a transactional id.

use std::collections::BTreeMap;
use std::time::Duration;

use highwater_types::BrokerId;
use highwater_wire::messages::{FindCoordinatorRequest, FindCoordinatorResponse};
use highwater_wire::{ErrorCode, Request, Str};
use parking_lot::Mutex;

use super::{Client, Purpose};
use crate::{ClientError, Connection};

/// What is coordinated. The number is the request's `key_type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i8)]
pub enum CoordinatorKind {
    Group = 0,
    Transaction = 1,
    Share = 2,
}

#[derive(Default)]
pub(crate) struct Coordinators(Mutex<BTreeMap<(CoordinatorKind, Str), BrokerId>>);

/// First version of FindCoordinator that takes several keys in a field of its own.
const SEVERAL_KEYS_FROM: i16 = 4;

impl Client {
    /// The connection to a key's coordinator, which is looked up until there is one.
    ///
    /// # Errors
    /// `Broker` (not authorized, invalid group id), `GaveUp`; as [`Connection::call`].
    pub async fn coordinator(
        &self,
        kind: CoordinatorKind,
        key: &str,
    ) -> Result<Connection, ClientError> {
        let mut retry = self.retry(format!("finding the coordinator of {key}"));
        loop {
            match self.coordinator_once(kind, key).await {
                Ok(connection) => return Ok(connection),
                Err(error) => {
                    self.forget_coordinator(kind, key);
                    retry.again(error).await?;
                }
            }
        }
    }

    async fn coordinator_once(
        &self,
        kind: CoordinatorKind,
        key: &str,
    ) -> Result<Connection, ClientError> {
        let known = self.0.coordinators.0.lock().get(&(kind, Str::from(key))).copied();
        let id = match known {
            Some(id) => id,
            None => self.find_coordinator(kind, key).await?,
        };
        let connection = self.broker_for(id, Purpose::Coordinator).await?;
        self.0.coordinators.0.lock().insert((kind, key.into()), id);
        Ok(connection)
    }

    async fn find_coordinator(
        &self,
        kind: CoordinatorKind,
        key: &str,
    ) -> Result<BrokerId, ClientError> {
        let connection = self.any().await?;
        let mut request =
            FindCoordinatorRequest { key_type: kind as i8, ..FindCoordinatorRequest::default() };
        if connection.version_of::<FindCoordinatorRequest>()? >= SEVERAL_KEYS_FROM {
            request.coordinator_keys = vec![key.into()];
        } else {
            request.key = key.into();
        }
        let answer = connection.call(&request).await?;
        let (id, code, message) = first_of(&answer);
        ClientError::check(format!("coordinator of {key}"), code, message)?;
        if !self.brokers().iter().any(|broker| broker.id == id) {
            self.refresh(Some(&[])).await?;
        }
        Ok(id)
    }

    /// Looks a key's coordinator up again next time.
    pub fn forget_coordinator(&self, kind: CoordinatorKind, key: &str) {
        self.0.coordinators.0.lock().remove(&(kind, Str::from(key)));
    }

    /// Asks a key's coordinator. `code` says what the answer's error is; where that means that the
    /// coordinator has moved or is not ready, or where the connection broke, it is asked again.
    ///
    /// # Errors
    /// As [`Client::coordinator`]. Other error codes are left in the answer.
    pub async fn call_coordinator<R: Request>(
        &self,
        kind: CoordinatorKind,
        key: &str,
        request: &R,
        code: impl Fn(&R::Response) -> i16,
    ) -> Result<R::Response, ClientError> {
        let timeout = self.options().connect.request_timeout;
        self.call_coordinator_within(kind, key, request, timeout, code).await
    }

    /// As [`Client::call_coordinator`], with a timeout of its own for each attempt.
    ///
    /// # Errors
    /// As [`Client::call_coordinator`].
    pub async fn call_coordinator_within<R: Request>(
        &self,
        kind: CoordinatorKind,
        key: &str,
        request: &R,
        timeout: Duration,
        code: impl Fn(&R::Response) -> i16,
    ) -> Result<R::Response, ClientError> {
        let mut retry = self.retry(format!("{} for {key}", R::KEY.name()));
        loop {
            let answer = match self.coordinator(kind, key).await {
                Ok(connection) => connection.call_within(request, timeout).await,
                Err(error) => return Err(error),
            };
            let error = match answer {
                Ok(answer) if is_elsewhere(ErrorCode(code(&answer))) => {
                    let what = format!("{} for {key}", R::KEY.name());
                    match ClientError::check(what, code(&answer), None) {
                        Err(error) => error,
                        Ok(()) => return Ok(answer),
                    }
                }
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            self.forget_coordinator(kind, key);
            retry.again(error).await?;
        }
    }
}

/// The coordinator moved, or has not read its log yet.
pub(crate) fn is_elsewhere(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::NOT_COORDINATOR
            | ErrorCode::COORDINATOR_NOT_AVAILABLE
            | ErrorCode::COORDINATOR_LOAD_IN_PROGRESS
    )
}

fn first_of(answer: &FindCoordinatorResponse) -> (BrokerId, i16, Option<&str>) {
    match answer.coordinators.first() {
        Some(found) => (BrokerId(found.node_id), found.error_code, found.error_message.as_deref()),
        None => (BrokerId(answer.node_id), answer.error_code, answer.error_message.as_deref()),
    }
}
