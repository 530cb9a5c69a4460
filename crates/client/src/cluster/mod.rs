//! [`Client`]: a cluster as its clients see it, and who in it must be asked.

mod coordinators;
mod group_offsets;
mod offsets;
mod pool;
mod view;

use std::sync::Arc;
use std::time::Duration;

use highwater_types::{BrokerId, LeaderEpoch, PartitionIndex, TopicId, TopicPartition};
use highwater_wire::messages::metadata_request::MetadataRequestTopic;
use highwater_wire::messages::{MetadataRequest, MetadataResponse};
use highwater_wire::{ErrorCode, Request, Str};
use parking_lot::Mutex;
use tokio::time::Instant;

pub use coordinators::CoordinatorKind;
pub use group_offsets::{Committed, Committer};
pub(crate) use offsets::is_stale;
pub use offsets::{ListedOffset, OffsetQuery};
pub use pool::Purpose;
pub use view::{Broker, Partition, Topic};

use crate::retry::Retry;
use crate::{Backoff, ClientError, ConnectOptions, Connection};
use coordinators::Coordinators;
use pool::Pool;
use view::View;

/// How a [`Client`] finds its cluster, and how patient it is.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientOptions {
    /// Some brokers of the cluster, `host:port` each.
    pub bootstrap: Vec<String>,
    pub connect: ConnectOptions,
    /// Metadata older than this is asked for again.
    pub metadata_age_max: Duration,
    /// How long something is tried again and again.
    pub retry_for: Duration,
    /// How long a topic that nobody knows is asked for: it may just have been made.
    pub unknown_topic_for: Duration,
    pub backoff: Backoff,
    /// Asking for a topic may make it, if the broker has it so.
    pub auto_create_topics: bool,
}

impl Default for ClientOptions {
    fn default() -> Self {
        ClientOptions {
            bootstrap: vec!["127.0.0.1:9092".into()],
            connect: ConnectOptions::default(),
            metadata_age_max: Duration::from_secs(300),
            retry_for: Duration::from_secs(60),
            unknown_topic_for: Duration::from_secs(3),
            backoff: Backoff::default(),
            auto_create_topics: false,
        }
    }
}

impl ClientOptions {
    /// For a list as users write it: `host:port,host:port`. A port left out is 9092.
    pub fn at(bootstrap: &str) -> Self {
        let with_port = |text: &str| match text.rsplit_once(':') {
            Some((_, port)) if port.parse::<u16>().is_ok() => text.to_owned(),
            _ => format!("{text}:9092"),
        };
        let addresses = bootstrap.split(',').map(str::trim).filter(|text| !text.is_empty());
        let bootstrap = addresses.map(with_port).collect();
        ClientOptions { bootstrap, ..ClientOptions::default() }
    }

    pub fn with_client_id(mut self, client_id: &str) -> Self {
        self.connect.client_id = client_id.into();
        self
    }
}

/// A cluster. Clones share connections and what is known.
#[derive(Clone)]
pub struct Client(Arc<Shared>);

struct Shared {
    options: ClientOptions,
    pool: Pool,
    view: Mutex<View>,
    coordinators: Coordinators,
}

/// Who leads a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leader {
    pub id: BrokerId,
    /// `NONE` if the broker is too old to tell.
    pub epoch: LeaderEpoch,
}

impl Client {
    /// Asks the first bootstrap broker that answers who belongs to the cluster.
    ///
    /// # Errors
    /// `Connect` if the only address cannot be reached, `NoBroker` if none of several can.
    pub async fn connect(options: ClientOptions) -> Result<Client, ClientError> {
        let pool = Pool::new(options.connect.clone());
        let client = Client(Arc::new(Shared {
            options,
            pool,
            view: Mutex::default(),
            coordinators: Coordinators::default(),
        }));
        client.ask_metadata(Some(Vec::new())).await?;
        Ok(client)
    }

    /// A client that knows what this one knows, with connections of its own: for who makes a
    /// broker wait, since answers on one connection come in order.
    #[must_use]
    pub fn separate(&self) -> Client {
        Client(Arc::new(Shared {
            options: self.0.options.clone(),
            pool: Pool::new(self.0.options.connect.clone()),
            view: Mutex::new(self.0.view.lock().clone()),
            coordinators: Coordinators::default(),
        }))
    }

    pub fn options(&self) -> &ClientOptions {
        &self.0.options
    }

    /// As the last metadata answer told.
    pub fn brokers(&self) -> Vec<Broker> {
        self.0.view.lock().brokers.values().cloned().collect()
    }

    pub fn cluster_id(&self) -> Option<Str> {
        self.0.view.lock().cluster_id.clone()
    }

    pub(crate) fn retry(&self, what: impl Into<Arc<str>>) -> Retry {
        Retry::new(what, self.0.options.retry_for, self.0.options.backoff)
    }

    /// A connection to any broker.
    ///
    /// # Errors
    /// As [`Client::connect`].
    pub async fn any(&self) -> Result<Connection, ClientError> {
        if let Some(open) = self.0.pool.any_open() {
            return Ok(open);
        }
        let mut errors = Vec::new();
        for broker in self.brokers() {
            match self.0.pool.get(broker.id, Purpose::Requests, &broker.address).await {
                Ok(connection) => return Ok(connection),
                Err(error) => errors.push(error),
            }
        }
        // The brokers may all have moved; whoever is known by address is asked again.
        for address in &self.0.options.bootstrap {
            match self.0.pool.open(address).await {
                Ok(connection) => return Ok(connection),
                Err(error) if !errors.contains(&error) => errors.push(error),
                Err(_) => {}
            }
        }
        match errors.as_slice() {
            [only] => Err(only.clone()),
            _ => Err(ClientError::NoBroker(errors.into())),
        }
    }

    /// The connection to a broker for short requests.
    ///
    /// # Errors
    /// `Invalid` if the cluster has no such broker; as [`Connection::connect`].
    pub async fn broker(&self, id: BrokerId) -> Result<Connection, ClientError> {
        self.broker_for(id, Purpose::Requests).await
    }

    /// The connection to a broker for a purpose.
    ///
    /// # Errors
    /// As [`Client::broker`].
    pub async fn broker_for(
        &self,
        id: BrokerId,
        purpose: Purpose,
    ) -> Result<Connection, ClientError> {
        let address = self.0.view.lock().brokers.get(&id).map(|broker| broker.address.clone());
        let Some(address) = address else {
            return Err(ClientError::Broker {
                what: format!("broker {id}").into(),
                code: ErrorCode::BROKER_NOT_AVAILABLE,
                message: Some("the cluster does not list it".into()),
            });
        };
        let connection = self.0.pool.get(id, purpose, &address).await;
        if connection.is_err() {
            // It may have moved; the next one to ask learns where to.
            let _ = self.ask_metadata(Some(Vec::new())).await;
        }
        connection
    }

    /// The connection to a broker for short requests, if it is open.
    pub(crate) fn open_connection(&self, id: BrokerId) -> Option<Connection> {
        self.0.pool.peek(id, Purpose::Requests)
    }

    /// The connection to whom requests for the controller go.
    ///
    /// # Errors
    /// As [`Client::broker`].
    pub async fn controller(&self) -> Result<Connection, ClientError> {
        let id = self.0.view.lock().controller_id;
        match id {
            Some(id) => self.broker(id).await,
            None => self.any().await,
        }
    }

    /// Asks any broker.
    ///
    /// # Errors
    /// As [`Client::any`] and [`Connection::call`].
    pub async fn call<R: Request>(&self, request: &R) -> Result<R::Response, ClientError> {
        self.any().await?.call(request).await
    }

    /// Asks whoever the controller's requests go to.
    ///
    /// # Errors
    /// As [`Client::controller`] and [`Connection::call`].
    pub async fn call_controller<R: Request>(
        &self,
        request: &R,
    ) -> Result<R::Response, ClientError> {
        self.controller().await?.call(request).await
    }

    async fn ask_metadata(
        &self,
        topics: Option<Vec<Str>>,
    ) -> Result<MetadataResponse, ClientError> {
        let by_name = |name: Str| MetadataRequestTopic { name: Some(name), ..Default::default() };
        let request = MetadataRequest {
            topics: topics.map(|topics| topics.into_iter().map(by_name).collect()),
            allow_auto_topic_creation: self.0.options.auto_create_topics,
            ..MetadataRequest::default()
        };
        let answer = self.any().await?.call(&request).await?;
        ClientError::check("metadata", answer.error_code, None)?;
        self.0.view.lock().update(&answer, Instant::now());
        Ok(answer)
    }

    /// Asks again for some topics, or for all (`None`), and gives the broker's answer.
    ///
    /// # Errors
    /// As [`Connection::call`].
    pub async fn refresh(&self, topics: Option<&[Str]>) -> Result<MetadataResponse, ClientError> {
        self.ask_metadata(topics.map(<[Str]>::to_vec)).await
    }

    /// Forgets a topic, because what is known of it has proved wrong.
    pub fn forget_topic(&self, name: &str) {
        if let Some(known) = self.0.view.lock().topics.get_mut(name) {
            known.since = None;
        }
    }

    fn cached_topic(&self, name: &str) -> Option<Arc<Topic>> {
        let view = self.0.view.lock();
        let known = view.topics.get(name)?;
        let age_max = self.0.options.metadata_age_max;
        let is_fresh = known.since.is_some_and(|since| since.elapsed() < age_max);
        is_fresh.then(|| known.topic.clone())
    }

    /// A topic, from what is known or asked for. A topic that is not there, or not yet, is asked
    /// for again for [`ClientOptions::unknown_topic_for`].
    ///
    /// # Errors
    /// `Broker`, `GaveUp`; as [`Connection::call`].
    pub async fn topic(&self, name: &str) -> Result<Arc<Topic>, ClientError> {
        if let Some(topic) = self.cached_topic(name) {
            return Ok(topic);
        }
        let options = &self.0.options;
        let what = format!("topic {name}");
        let mut unknown = Retry::new(what.as_str(), options.unknown_topic_for, options.backoff);
        let mut other = self.retry(what.as_str());
        loop {
            let error = match self.ask_topic(name).await {
                Ok(topic) => return Ok(topic),
                Err(error) => error,
            };
            if error.code() == Some(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION) {
                unknown.again(error.clone()).await.map_err(|_| error)?;
            } else {
                other.again(error).await?;
            }
        }
    }

    async fn ask_topic(&self, name: &str) -> Result<Arc<Topic>, ClientError> {
        let answer = self.ask_metadata(Some(vec![name.into()])).await?;
        let code = answer.topics.first().map_or(0, |topic| topic.error_code);
        ClientError::check(format!("topic {name}"), code, None)?;
        self.cached_topic(name).ok_or_else(|| ClientError::Broker {
            what: format!("topic {name}").into(),
            code: ErrorCode::UNKNOWN_TOPIC_OR_PARTITION,
            message: None,
        })
    }

    /// Who leads a partition, and the topic's id, if they are known and have not proved wrong.
    pub(crate) fn known_leader(&self, at: &TopicPartition) -> Option<(BrokerId, TopicId)> {
        let view = self.0.view.lock();
        let known = view.topics.get(&at.topic).filter(|known| known.since.is_some())?;
        Some((known.topic.partition(at.partition)?.leader?, known.topic.id))
    }

    /// The leader's epoch, if it is known.
    pub(crate) fn known_epoch(&self, at: &TopicPartition) -> LeaderEpoch {
        let view = self.0.view.lock();
        let known =
            view.topics.get(&at.topic).and_then(|known| known.topic.partition(at.partition));
        known.map_or(LeaderEpoch::NONE, |partition| partition.leader_epoch)
    }

    /// Who leads a partition, as far as is known.
    ///
    /// # Errors
    /// As [`Client::topic`]; `Broker` with LEADER_NOT_AVAILABLE while there is none.
    pub async fn leader(
        &self,
        topic: &str,
        partition: PartitionIndex,
    ) -> Result<Leader, ClientError> {
        let known = self.topic(topic).await?;
        let what = || format!("{topic}-{partition}");
        let Some(found) = known.partition(partition) else {
            return Err(ClientError::invalid(format!(
                "topic {topic} has no partition {partition}; it has {}",
                known.partitions.len()
            )));
        };
        found.leader.map(|id| Leader { id, epoch: found.leader_epoch }).ok_or_else(|| {
            self.forget_topic(topic);
            ClientError::Broker {
                what: what().into(),
                code: ErrorCode::LEADER_NOT_AVAILABLE,
                message: None,
            }
        })
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("bootstrap", &self.0.options.bootstrap).finish()
    }
}
