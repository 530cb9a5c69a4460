//! A controller under its driver, with a log in memory that commits at once.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::sync::Arc;

use highwater_config::{Sources, StaticConfig};
use highwater_controller::{Controller, ControllerReply, ControllerRequest, ControllerView, Image};
use highwater_shard::{Cx, Driver, Effect, Event, Token};
use highwater_types::{BrokerId, LeaderEpoch, Mono, Offset, SplitMix, Timestamp, Uuid};
use highwater_wire::Str;
use highwater_wire::messages::broker_registration_request::{
    BrokerRegistrationRequest, Feature, Listener,
};
use highwater_wire::messages::create_topics_request::{
    CreatableReplicaAssignment, CreatableTopic, CreatableTopicConfig, CreateTopicsRequest,
};
use highwater_wire::messages::create_topics_response::CreateTopicsResponse;
use highwater_wire::messages::{BrokerHeartbeatRequest, BrokerHeartbeatResponse};
use highwater_wire::metadata_frame::MetadataRecord;

pub type Registration = BrokerRegistrationRequest;

pub const CLUSTER: &str = "zB1o5SzPQ0yPvTcn7nBxJw";

pub struct Cluster {
    pub driver: Driver<Controller>,
    pub view: ControllerView,
    pub entropy: SplitMix,
    pub mono: Mono,
    /// Every record that was appended, in order.
    pub log: Vec<MetadataRecord>,
    next_token: u64,
}

pub fn config(properties: &str) -> Arc<StaticConfig> {
    let sources = Sources { properties: Some(properties), ..Sources::default() };
    Arc::new(StaticConfig::load(&sources).unwrap().0)
}

impl Cluster {
    /// A new cluster without brokers.
    pub fn empty(properties: &str) -> Cluster {
        let view = ControllerView {
            node_id: BrokerId(1),
            cluster_id: CLUSTER.into(),
            static_config: config(properties),
        };
        let mut cluster = Cluster {
            driver: Driver::new(Controller::new()),
            view,
            entropy: SplitMix::new(42),
            mono: Mono(0),
            log: Vec::new(),
            next_token: 0,
        };
        cluster.lead();
        cluster
    }

    /// A new cluster with brokers 1 to `brokers`, all serving. Broker 1 is local.
    pub fn of(brokers: i32, properties: &str) -> Cluster {
        let mut cluster = Cluster::empty(properties);
        for id in 1..=brokers {
            cluster.start(id, 1);
        }
        cluster
    }

    /// A new single node with default settings.
    pub fn single() -> Cluster {
        Cluster::of(1, "")
    }

    pub fn image(&self) -> &Image {
        self.driver.shard().image()
    }

    pub fn lead(&mut self) {
        self.on(Event::Lead(LeaderEpoch(1)));
        for at in 0..self.log.len() {
            self.on(Event::Loaded(Offset(at as i64), self.log[at].clone()));
        }
        let end = Offset(self.log.len() as i64);
        self.on(Event::LoadEnded { log_end: end, committed: end });
    }

    /// Sends an event; appends are committed at once.
    pub fn on(&mut self, event: Event<Controller>) -> Vec<(Token, ControllerReply)> {
        let mut replies = Vec::new();
        let mut events = vec![event];
        while let Some(event) = events.pop() {
            let mut effects = Vec::new();
            let mut cx = Cx {
                now: Timestamp(1_764_547_200_000),
                mono: self.mono,
                entropy: &mut self.entropy,
                view: &self.view,
            };
            self.driver.on(event, &mut cx, &mut effects);
            for effect in effects {
                match effect {
                    Effect::Append { at, records, .. } => {
                        assert_eq!(at, Offset(self.log.len() as i64));
                        self.log.extend(records);
                        events.push(Event::CommittedTo(Offset(self.log.len() as i64)));
                    }
                    Effect::Reply(token, reply) => replies.push((token, reply)),
                    Effect::Load => {}
                }
            }
        }
        replies
    }

    pub fn ask(&mut self, request: ControllerRequest) -> ControllerReply {
        self.next_token += 1;
        let token = Token(self.next_token);
        let mut replies = self.on(Event::Request(token, request));
        assert_eq!(replies.len(), 1);
        let (of, reply) = replies.remove(0);
        assert_eq!(of, token);
        reply
    }

    /// Time passes, timers fire.
    pub fn advance(&mut self, ms: u64) {
        self.mono = self.mono.plus_ms(ms);
        self.on(Event::Tick);
    }

    /// Registers and unfences a broker as process number `life`; gives its epoch.
    pub fn start(&mut self, id: i32, life: u8) -> i64 {
        let epoch = self.register(id, life, -1).unwrap();
        let reply = self.heartbeat(id, epoch, false, false);
        assert!(!reply.is_fenced);
        epoch
    }

    pub fn register(&mut self, id: i32, life: u8, previous_epoch: i64) -> Result<i64, i16> {
        let request = BrokerRegistrationRequest {
            previous_broker_epoch: previous_epoch,
            ..registration(id, life)
        };
        match self.ask(ControllerRequest::RegisterBroker { request, local: id == 1 }) {
            ControllerReply::RegisterBroker(r) if r.error_code == 0 => Ok(r.broker_epoch),
            ControllerReply::RegisterBroker(r) => Err(r.error_code),
            other => panic!("{other:?}"),
        }
    }

    pub fn heartbeat(
        &mut self,
        id: i32,
        epoch: i64,
        want_fence: bool,
        want_shut_down: bool,
    ) -> BrokerHeartbeatResponse {
        let request = BrokerHeartbeatRequest {
            broker_id: id,
            broker_epoch: epoch,
            current_metadata_offset: self.log.len() as i64,
            want_fence,
            want_shut_down,
            ..BrokerHeartbeatRequest::default()
        };
        match self.ask(ControllerRequest::BrokerHeartbeat(request)) {
            ControllerReply::BrokerHeartbeat(reply) => reply,
            other => panic!("{other:?}"),
        }
    }

    pub fn create(
        &mut self,
        topics: Vec<CreatableTopic>,
        validate_only: bool,
    ) -> CreateTopicsResponse {
        let request =
            CreateTopicsRequest { topics, validate_only, ..CreateTopicsRequest::default() };
        match self.ask(ControllerRequest::CreateTopics(request)) {
            ControllerReply::CreateTopics(reply) => reply,
            other => panic!("{other:?}"),
        }
    }

    /// Creates a topic that must be creatable.
    pub fn created(&mut self, topic: CreatableTopic) {
        let reply = self.create(vec![topic], false);
        assert_eq!(reply.topics[0].error_code, 0, "{:?}", reply.topics[0].error_message);
    }
}

pub fn registration(id: i32, life: u8) -> BrokerRegistrationRequest {
    let features = highwater_controller::features::SUPPORTED.iter().map(|feature| Feature {
        name: Str::from(feature.name),
        min_supported_version: feature.min,
        max_supported_version: feature.max,
        ..Feature::default()
    });
    BrokerRegistrationRequest {
        broker_id: id,
        cluster_id: Str::from(CLUSTER),
        incarnation_id: Uuid([life; 16]),
        listeners: vec![Listener {
            name: Str::from("PLAINTEXT"),
            host: Str::from("127.0.0.1"),
            port: 9092,
            ..Listener::default()
        }],
        features: features.collect(),
        log_dirs: vec![Uuid([100 + id as u8; 16])],
        previous_broker_epoch: -1,
        ..BrokerRegistrationRequest::default()
    }
}

pub fn topic(name: &str, partitions: i32, replication_factor: i16) -> CreatableTopic {
    CreatableTopic {
        name: Str::from(name),
        num_partitions: partitions,
        replication_factor,
        ..CreatableTopic::default()
    }
}

pub fn with_config(topic: CreatableTopic, name: &str, value: Option<&str>) -> CreatableTopic {
    let config = CreatableTopicConfig {
        name: Str::from(name),
        value: value.map(Str::from),
        ..CreatableTopicConfig::default()
    };
    CreatableTopic { configs: [topic.configs, vec![config]].concat(), ..topic }
}

pub fn assigned(name: &str, assignments: &[(i32, &[i32])]) -> CreatableTopic {
    let assignments = assignments.iter().map(|(index, brokers)| CreatableReplicaAssignment {
        partition_index: *index,
        broker_ids: brokers.to_vec(),
        ..CreatableReplicaAssignment::default()
    });
    CreatableTopic { assignments: assignments.collect(), ..topic(name, -1, -1) }
}
