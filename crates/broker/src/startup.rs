//! Start and stop of a node: in which order things come to life, and are put to rest.
//!
//! ```text
//! lock, identity -> metadata log -> controller -> registration -> partitions -> listeners
//! ```

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use arc_swap::{ArcSwap, ArcSwapOption};
use highwater_config::{BrokerConfig, ConfigError, Listener, SecurityProtocol, StaticConfig};
use highwater_controller::image::Image;
use highwater_controller::{ControllerReply, ControllerRequest, ControllerView};
use highwater_log::{FdCache, LogDir, LogError, MetaProperties, OsDisk};
use highwater_net::Server;
use highwater_types::{BrokerId, Uuid};
use highwater_wire::ErrorCode;
use highwater_wire::messages::broker_registration_request;
use highwater_wire::messages::{BrokerHeartbeatRequest, BrokerRegistrationRequest};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::LogLevels;
use crate::clock::{self, Clock};
use crate::fetch::SessionCache;
use crate::hosting::{GroupHosts, MetadataHost};
use crate::limits::{OPEN_FILES_MAX, SESSION_EVICTABLE_AFTER_MS, STORAGE_THREADS_MAX};
use crate::node::NodeIdentity;
use crate::opening::Opening;
use crate::partition::PartitionDirectory;
use crate::producer_ids::ProducerIdBlock;
use crate::service::KafkaService;
use crate::storage::StorageThreads;
use crate::{Broker, background, metadata_applier, metadata_log, network};

/// Stands for "no earlier registration, or one that ended badly".
const NO_EPOCH: i64 = -1;

/// What a start needs: settings, already read and checked.
pub struct StartOptions {
    pub settings: StaticConfig,
    pub log_levels: LogLevels,
}

/// Why a node did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("{0}")]
    Config(#[from] ConfigError),
    #[error("{0}")]
    Log(#[from] LogError),
    #[error(
        "HW0008: cannot listen on {address}: {error}; is another broker running there? --listen chooses another address"
    )]
    Listen { address: String, error: std::io::Error },
    #[error(
        "HW0009: log.dirs names {count} directories, but this version keeps its data in one; name one, or use --data-dir"
    )]
    SeveralDirectories { count: usize },
    #[error(
        "HW0002: the data directory {path} belongs to node {found}, but node.id is {configured}; set node.id={found} or choose another directory with --data-dir"
    )]
    OtherNode { path: PathBuf, found: BrokerId, configured: BrokerId },
    #[error("the controller refused this node: {code}{}", .message.as_deref().map(|m| format!(": {m}")).unwrap_or_default())]
    Registration { code: &'static str, message: Option<String> },
    #[error(
        "HW0011: the metadata in {path} cannot be read, see the error before; restore the directory \
         from a copy, or choose another with --data-dir"
    )]
    Metadata { path: PathBuf },
    #[error("the operating system gave no thread: {0}")]
    Thread(std::io::Error),
    #[error("the node stopped while it was starting")]
    Stopped,
}

/// A node that serves.
pub struct RunningBroker {
    broker: Arc<Broker>,
    server: Server,
    storage: StorageThreads,
    background: Vec<tokio::task::JoinHandle<()>>,
    broker_epoch: i64,
    addresses: Vec<(Listener, SocketAddr)>,
}

/// Starts a node and returns when it serves.
///
/// # Errors
/// See [`StartError`]; nothing runs on then.
pub async fn start(options: StartOptions) -> Result<RunningBroker, StartError> {
    let clock = Clock;
    let config = BrokerConfig::from_static(&options.settings)?;
    let dir = open_directory(&config)?;
    let identity = identify(&dir, &config)?;
    let listening = listen(&config)?;
    let was_clean = dir.take_clean_shutdown()?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let storage = StorageThreads::start(threads.min(STORAGE_THREADS_MAX), dir.clone(), clock)
        .map_err(StartError::Thread)?;
    let opening = Opening::new(dir.clone(), FdCache::new(OPEN_FILES_MAX), was_clean)?;
    let log = metadata_log::open(&opening, &identity, &storage, clock)?;

    let settings = Arc::new(options.settings);
    let (committed, changes) = mpsc::unbounded_channel();
    let view = ControllerView {
        node_id: identity.id,
        cluster_id: identity.cluster_id.clone(),
        static_config: settings.clone(),
    };
    let controller = MetadataHost::start(log.partition.clone(), view, clock, committed);
    let sessions = SessionCache::new(
        config.fetch.incremental_session_cache_slots as usize,
        SESSION_EVICTABLE_AFTER_MS,
        clock::entropy(),
    );
    let broker = Arc::new(Broker {
        node: identity,
        clock,
        settings,
        config: ArcSwap::from_pointee(config),
        image: ArcSwap::from_pointee(Image::empty()),
        metadata_offset: AtomicI64::new(-1),
        partitions: PartitionDirectory::default(),
        controller,
        metadata_log: log.partition,
        groups: GroupHosts::default(),
        sessions,
        producer_ids: ProducerIdBlock::default(),
        opening,
        is_stopping: AtomicBool::new(false),
        queues: storage.queues(),
        admission: ArcSwapOption::empty(),
        log_levels: options.log_levels,
    });
    let applier = tokio::spawn(metadata_applier::run(broker.clone(), changes));
    broker.controller.lead(log.epoch);
    let addresses: Vec<_> =
        listening.iter().map(|(listener, _, at)| (listener.clone(), *at)).collect();
    let broker_epoch = register(&broker, &addresses).await?;
    let service = Arc::new(KafkaService::new(broker.clone()));
    let server = Server::start(
        listening.into_iter().map(|(listener, socket, _)| (listener.name, socket)).collect(),
        service,
        network::net_config(&broker.config.load()).await,
    );
    broker.admission.store(Some(server.admission()));
    broker.limit_connections().await;
    let mut tasks = background::start(&broker);
    tasks.push(applier);
    Ok(RunningBroker { broker, server, storage, background: tasks, broker_epoch, addresses })
}

impl RunningBroker {
    #[cfg(test)]
    pub(crate) fn broker(&self) -> &Arc<Broker> {
        &self.broker
    }

    /// Where clients connect: the listener and the address it is bound to.
    pub fn addresses(&self) -> &[(Listener, SocketAddr)] {
        &self.addresses
    }

    pub fn cluster_id(&self) -> &str {
        &self.broker.node.cluster_id
    }

    pub fn node_id(&self) -> BrokerId {
        self.broker.node.id
    }

    pub fn data_dir(&self) -> &Path {
        self.broker.opening.dir().path()
    }

    /// Topics that are not internal.
    pub fn topic_count(&self) -> usize {
        let image = self.broker.image.load();
        image.topics.by_name().filter(|topic| !crate::codes::is_internal_topic(&topic.name)).count()
    }

    /// Stops in order: no new requests, answers out, leadership given up, logs closed. Afterwards
    /// a start has nothing to recover.
    pub async fn stop(self) {
        self.server.stop(Duration::from_millis(300)).await;
        let shutdown = ControllerRequest::BrokerShutdown {
            broker: self.broker.node.id,
            epoch: self.broker_epoch,
        };
        self.broker.controller.request(shutdown).await;
        self.broker.is_stopping.store(true, Ordering::Release);
        for task in &self.background {
            task.abort();
        }
        let broker = self.broker.clone();
        let epoch = self.broker_epoch;
        // Closing writes files: on a blocking thread.
        let closed = tokio::task::spawn_blocking(move || broker.close_all(epoch)).await;
        if let Err(error) = closed {
            tracing::error!(%error, "closing the logs failed; the next start recovers them");
        }
        let storage = self.storage;
        let _ = tokio::task::spawn_blocking(move || storage.stop()).await;
    }
}

fn open_directory(config: &BrokerConfig) -> Result<Arc<LogDir>, StartError> {
    match config.node.log_dirs.as_slice() {
        [one] => Ok(Arc::new(LogDir::open(Arc::new(OsDisk), Path::new(one))?)),
        several => Err(StartError::SeveralDirectories { count: several.len() }),
    }
}

/// Reads `meta.properties`, or gives a new directory its identity.
fn identify(dir: &LogDir, config: &BrokerConfig) -> Result<NodeIdentity, StartError> {
    let mut entropy = clock::entropy();
    let meta = match dir.meta_properties()? {
        Some(meta) => meta,
        None => {
            let meta = MetaProperties {
                cluster_id: Uuid::random(&mut entropy).to_string(),
                node_id: config.node.node_id,
                directory_id: Uuid::random(&mut entropy),
            };
            dir.write_meta_properties(&meta, "written by Highwater")?;
            meta
        }
    };
    if meta.node_id != config.node.node_id {
        return Err(StartError::OtherNode {
            path: dir.path().to_path_buf(),
            found: meta.node_id,
            configured: config.node.node_id,
        });
    }
    Ok(NodeIdentity {
        id: meta.node_id,
        cluster_id: meta.cluster_id.into(),
        directory_id: meta.directory_id,
        incarnation: Uuid::random(&mut entropy),
        listener: config.network.inter_broker_listener_name.as_str().into(),
    })
}

type Listening = Vec<(Listener, TcpListener, SocketAddr)>;

/// Binds early, so that a port in use is told before anything is changed on disk.
fn listen(config: &BrokerConfig) -> Result<Listening, StartError> {
    let mut bound = Vec::new();
    for listener in &config.network.listeners {
        if config.network.controller_listener_names.contains(&listener.name) {
            // The controller is in this process; nobody connects to it.
            continue;
        }
        let host = if listener.host.is_empty() { "0.0.0.0" } else { &listener.host };
        let address = format!("{host}:{}", listener.port);
        let fail = |error| StartError::Listen { address: address.clone(), error };
        let backlog = config.network.socket_listen_backlog_size;
        let socket = highwater_net::bind(&address, backlog).map_err(fail)?;
        let at = socket.local_addr().map_err(fail)?;
        bound.push((listener.clone(), socket, at));
    }
    Ok(bound)
}

/// Tells the controller that this broker is here; gives its epoch.
async fn register(
    broker: &Arc<Broker>,
    bound: &[(Listener, SocketAddr)],
) -> Result<i64, StartError> {
    let config = broker.config.load_full();
    let listeners = config
        .network
        .advertised_listeners
        .iter()
        .map(|advertised| {
            let at = bound.iter().find(|(listener, _)| listener.name == advertised.name);
            let port = match (advertised.port, at) {
                // Port 0 lets the operating system choose; clients are told what it chose.
                (0, Some((_, at))) => at.port(),
                (port, _) => port,
            };
            broker_registration_request::Listener {
                name: advertised.name.as_str().into(),
                host: advertised.host.as_str().into(),
                port,
                security_protocol: protocol_code(advertised.protocol),
                ..Default::default()
            }
        })
        .collect();
    let features = highwater_controller::features::SUPPORTED
        .iter()
        .map(|feature| broker_registration_request::Feature {
            name: feature.name.into(),
            min_supported_version: feature.min,
            max_supported_version: feature.max,
            ..Default::default()
        })
        .collect();
    let request = BrokerRegistrationRequest {
        broker_id: broker.node.id.get(),
        cluster_id: broker.node.cluster_id.as_ref().into(),
        incarnation_id: broker.node.incarnation,
        listeners,
        features,
        rack: config.node.rack.as_deref().map(Into::into),
        log_dirs: vec![broker.node.directory_id],
        ..BrokerRegistrationRequest::default()
    };
    // The controller reads its log first, and says so while it does.
    loop {
        // After a clean stop the controller need not suspect what this broker held.
        let known = broker.image.load().broker(broker.node.id).map(|known| known.epoch);
        let previous_broker_epoch =
            known.filter(|_| broker.opening.was_clean()).unwrap_or(NO_EPOCH);
        let request = BrokerRegistrationRequest { previous_broker_epoch, ..request.clone() };
        let request = ControllerRequest::RegisterBroker { request, local: true };
        match broker.controller.request(request).await {
            ControllerReply::RegisterBroker(response) if response.error_code == 0 => {
                return unfence(broker, response.broker_epoch).await;
            }
            ControllerReply::RegisterBroker(response) => {
                let code = ErrorCode(response.error_code).name();
                return Err(StartError::Registration { code, message: None });
            }
            ControllerReply::Refused(ErrorCode::NOT_CONTROLLER, _) => {
                if broker.metadata_log.leader_epoch().is_none() {
                    return Err(StartError::Metadata { path: broker.metadata_log.dir() });
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            ControllerReply::Refused(code, message) => {
                let message = message.map(|text| text.to_string());
                return Err(StartError::Registration { code: code.name(), message });
            }
            _ => return Err(StartError::Stopped),
        }
    }
}

/// Says that this broker serves: it may lead from now on.
async fn unfence(broker: &Arc<Broker>, broker_epoch: i64) -> Result<i64, StartError> {
    let request = BrokerHeartbeatRequest {
        broker_id: broker.node.id.get(),
        broker_epoch,
        current_metadata_offset: i64::MAX,
        ..BrokerHeartbeatRequest::default()
    };
    match broker.controller.request(ControllerRequest::BrokerHeartbeat(request)).await {
        ControllerReply::BrokerHeartbeat(response) if response.error_code == 0 => Ok(broker_epoch),
        ControllerReply::BrokerHeartbeat(response) => Err(StartError::Registration {
            code: ErrorCode(response.error_code).name(),
            message: None,
        }),
        _ => Err(StartError::Stopped),
    }
}

/// The number of a security protocol on the wire.
fn protocol_code(protocol: SecurityProtocol) -> i16 {
    match protocol {
        SecurityProtocol::Plaintext => 0,
        SecurityProtocol::Ssl => 1,
        SecurityProtocol::SaslPlaintext => 2,
        SecurityProtocol::SaslSsl => 3,
    }
}
