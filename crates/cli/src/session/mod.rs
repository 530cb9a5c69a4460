//! A command's way to the brokers: the client library with the patience and the words of a tool.
//!
//! Knows nothing of how answers are shown. Every client command opens one.

mod offsets;
mod refusal;
mod topics;

use std::future::Future;
use std::time::{Duration, Instant};

use highwater_client::{Client, ClientError, ClientOptions, Connection, CoordinatorKind};
use highwater_types::BrokerId;
use highwater_wire::ErrorCode;

pub use self::refusal::refused;
pub use self::topics::{PartitionInfo, TopicInfo};
use crate::cli::ConnectArgs;
use crate::failure::{Failure, Outcome};

/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(150);
/// What a broker may take longer to answer than it was given to do the work.
const ANSWER_GRACE: Duration = Duration::from_secs(5);

/// A partition by its topic's name.
pub type Place = (String, i32);

pub struct Session {
    client: Client,
    /// A broker that has answered.
    first: Connection,
    timeout: Duration,
}

impl Session {
    /// Connects to the first broker of the list that answers, and learns of the others.
    pub async fn open(args: &ConnectArgs) -> Outcome<Session> {
        let timeout = Duration::from_secs(args.timeout);
        let client = Client::connect(options(args)).await.map_err(|error| {
            let failure = Failure::from(error);
            match failure.is_unreachable() {
                true => Failure::unreachable(format!("{failure} (-b names another address)")),
                false => failure,
            }
        })?;
        let first = client.any().await?;
        Ok(Session { client, first, timeout })
    }

    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Any broker.
    pub fn any(&self) -> &Connection {
        &self.first
    }

    /// All brokers there are.
    pub fn broker_ids(&self) -> Vec<i32> {
        self.client.brokers().iter().map(|broker| broker.id.get()).collect()
    }

    /// For the requests that carry a timeout.
    pub fn timeout_ms(&self) -> i32 {
        i32::try_from(self.timeout.as_millis()).unwrap_or(i32::MAX)
    }

    pub async fn broker(&self, id: i32) -> Outcome<Connection> {
        let known = self.broker_ids();
        if !known.contains(&id) {
            return Err(Failure::new(format!("there is no broker {id}; there are {known:?}")));
        }
        Ok(self.client.broker(BrokerId(id)).await?)
    }

    /// The broker that metadata names as controller: in KRaft clusters any does, for it forwards.
    pub async fn controller(&self) -> Outcome<Connection> {
        Ok(self.client.controller().await?)
    }

    /// The broker that coordinates a consumer group, waiting until there is one.
    pub async fn coordinator(&self, group: &str) -> Outcome<Connection> {
        Ok(self.client.coordinator(CoordinatorKind::Group, group).await?)
    }

    /// Asks again while the answer is a refusal that passes, for as long as the user has patience.
    pub async fn patiently<T, F>(&self, attempt: impl Fn() -> F) -> Outcome<T>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let begun = Instant::now();
        loop {
            match attempt().await {
                Ok(answer) => return Ok(answer),
                Err(error) if passes(&error) && begun.elapsed() < self.timeout => {
                    tokio::time::sleep(PAUSE).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// How the client library is to behave for these arguments.
pub fn options(args: &ConnectArgs) -> ClientOptions {
    let timeout = Duration::from_secs(args.timeout);
    let mut options = ClientOptions::at(&args.bootstrap.join(",")).with_client_id("highwater-cli");
    options.connect.connect_timeout = timeout;
    options.connect.request_timeout = timeout + ANSWER_GRACE;
    options.retry_for = timeout;
    options
}

/// Refusals of a broker pass; what went wrong on the way is told at once.
fn passes(error: &ClientError) -> bool {
    error.code().is_some_and(ErrorCode::is_retriable)
}
