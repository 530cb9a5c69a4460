//! The controller as a [`Shard`]: dispatches requests to `decide`, replays records into the image,
//! and keeps the brokers' sessions. Hosted by the broker on the metadata log's driver.

use highwater_shard::{Decision, Input, Shard, TimerOp, Token, Unavailable};
use highwater_types::{BrokerId, LeaderEpoch, Offset};
use highwater_wire::ErrorCode;
use highwater_wire::messages::BrokerHeartbeatRequest;
use highwater_wire::metadata_frame::MetadataRecord;

use crate::bootstrap::bootstrap_records;
use crate::decide::{ControllerCx, Decided, broker_lifecycle};
use crate::decide::{
    allocate_producer_ids::decide_allocate_producer_ids,
    alter_configs::decide_alter_configs,
    alter_partition::decide_alter_partition,
    assign_replicas_to_dirs::decide_assign_replicas_to_dirs,
    broker_heartbeat::decide_broker_heartbeat,
    client_quotas::decide_alter_client_quotas,
    create_partitions::decide_create_partitions,
    create_topics::decide_create_topics,
    delete_topics::decide_delete_topics,
    elect_leaders::decide_elect_leaders,
    incremental_alter_configs::decide_incremental_alter_configs,
    reassignments::decide_alter_partition_reassignments,
    register_broker::decide_register_broker,
    scram::decide_alter_user_scram_credentials,
    sweeps::{decide_balance_leaders, decide_elect_unclean},
    unregister_broker::decide_unregister_broker,
    update_features::decide_update_features,
};
use crate::draft::Draft;
use crate::image::Image;
use crate::request::{ControllerReply as Reply, ControllerRequest as Request};
use crate::sessions::{Session, Sessions};
use crate::settings;
use crate::view::ControllerView;

/// The state machine of the metadata log.
#[derive(Clone, Debug, Default)]
pub struct Controller {
    image: Image,
    sessions: Sessions,
}

/// What the controller remembers beside the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ControllerSoft {
    /// A broker was heard of.
    Touched(BrokerId, Session),
    /// A broker keeps no session any more.
    Ended(BrokerId),
}

/// What the controller wakes up for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ControllerTimer {
    /// The session of a broker is over.
    Session(BrokerId),
    /// Leaders are to be moved back to where the assignment wants them.
    BalanceLeaders,
    /// Leaderless partitions that may lose records are to get a leader.
    ElectUnclean,
}

impl Controller {
    pub fn new() -> Controller {
        Controller::default()
    }

    /// The metadata with every record that was replayed so far, committed or not.
    pub fn image(&self) -> &Image {
        &self.image
    }

    fn on_request(
        &self,
        token: Token,
        request: Request,
        cx: &mut ControllerCx<'_>,
    ) -> Decision<Self> {
        let image = &self.image;
        match request {
            Request::CreateTopics(r) => {
                answer(token, decide_create_topics(image, &r, cx), Reply::CreateTopics)
            }
            Request::DeleteTopics { request: r, version } => {
                answer(token, decide_delete_topics(image, &r, version, cx), Reply::DeleteTopics)
            }
            Request::CreatePartitions(r) => {
                answer(token, decide_create_partitions(image, &r, cx), Reply::CreatePartitions)
            }
            Request::AlterConfigs { request: r, receiver } => {
                answer(token, decide_alter_configs(image, &r, receiver, cx), Reply::AlterConfigs)
            }
            Request::IncrementalAlterConfigs { request: r, receiver } => {
                let decided = decide_incremental_alter_configs(image, &r, receiver, cx);
                answer(token, decided, Reply::IncrementalAlterConfigs)
            }
            Request::AllocateProducerIds(r) => {
                answer(token, decide_allocate_producer_ids(image, &r), Reply::AllocateProducerIds)
            }
            Request::RegisterBroker { request: r, local } => {
                let id = BrokerId(r.broker_id);
                let alive = !local && self.sessions.is_alive(id, cx.mono);
                let decided = decide_register_broker(image, &r, alive, cx);
                let taken = decided.reply.error_code == ErrorCode::NONE.0;
                let decision = answer(token, decided, Reply::RegisterBroker);
                if taken && !local { touched(decision, id, 0, None, cx) } else { decision }
            }
            Request::BrokerHeartbeat(r) => self.on_heartbeat(token, &r, cx),
            Request::BrokerShutdown { broker, epoch } => self.on_shutdown(token, broker, epoch, cx),
            Request::UnregisterBroker(r) => {
                answer(token, decide_unregister_broker(image, &r, cx), Reply::UnregisterBroker)
            }
            Request::UpdateFeatures { request: r, version } => {
                answer(token, decide_update_features(image, &r, version, cx), Reply::UpdateFeatures)
            }
            Request::AlterClientQuotas(r) => {
                answer(token, decide_alter_client_quotas(image, &r), Reply::AlterClientQuotas)
            }
            Request::AlterUserScramCredentials(r) => {
                let decided = decide_alter_user_scram_credentials(image, &r);
                answer(token, decided, Reply::AlterUserScramCredentials)
            }
            Request::ElectLeaders(r) => {
                answer(token, decide_elect_leaders(image, &r, cx), Reply::ElectLeaders)
            }
            Request::AlterPartitionReassignments(r) => {
                let decided = decide_alter_partition_reassignments(image, &r, cx);
                answer(token, decided, Reply::AlterPartitionReassignments)
            }
            Request::AlterPartition(r) => {
                answer(token, decide_alter_partition(image, &r, cx), Reply::AlterPartition)
            }
            Request::AssignReplicasToDirs(r) => {
                let decided = decide_assign_replicas_to_dirs(image, &r, cx);
                answer(token, decided, Reply::AssignReplicasToDirs)
            }
        }
    }

    fn on_heartbeat(
        &self,
        token: Token,
        request: &BrokerHeartbeatRequest,
        cx: &ControllerCx<'_>,
    ) -> Decision<Self> {
        let id = BrokerId(request.broker_id);
        let others = self.serving().filter(|other| *other != id && *other != cx.view.node_id);
        let end = self.image.next_offset().get();
        let stopping_at = self.sessions.get(id).and_then(|session| session.stopping_at);
        let caught_up = self.sessions.have_read(others, stopping_at.unwrap_or(end));
        let decided = decide_broker_heartbeat(&self.image, request, caught_up, cx);
        let taken = decided.reply.error_code == ErrorCode::NONE.0;
        let stopped = decided.reply.should_shut_down;
        let stopping_at = request
            .want_shut_down
            .then(|| stopping_at.unwrap_or(end + decided.records.len() as i64));
        let mut decision = answer(token, decided, Reply::BrokerHeartbeat);
        if stopped {
            decision.soft.push(ControllerSoft::Ended(id));
            decision.timers.push(TimerOp::Disarm(ControllerTimer::Session(id)));
        } else if taken {
            let read = request.current_metadata_offset;
            decision = touched(decision, id, read, stopping_at, cx);
        }
        decision
    }

    fn on_shutdown(
        &self,
        token: Token,
        broker: BrokerId,
        epoch: i64,
        cx: &ControllerCx<'_>,
    ) -> Decision<Self> {
        if let Err(error) = broker_lifecycle::check_epoch(&self.image, broker, epoch) {
            return Decision::reply(token, Reply::Refused(error.code, error.message));
        }
        let mut draft = Draft::new(&self.image);
        if broker_lifecycle::leads_any(&draft.image, broker) {
            broker_lifecycle::begin_shutdown(&mut draft, cx.view, broker);
        }
        if draft.image.broker(broker).is_some_and(|held| !held.fenced) {
            broker_lifecycle::fence(&mut draft, cx.view, broker);
        }
        let decided = Decided { records: draft.records, reply: Reply::Done };
        answer(token, decided, |reply| reply)
    }

    /// Brokers that serve.
    fn serving(&self) -> impl Iterator<Item = BrokerId> {
        self.image.brokers.unfenced().map(|broker| broker.id)
    }
}

/// Gives the broker a full session from now. The one in this process needs no watching.
fn touched(
    mut decision: Decision<Controller>,
    broker: BrokerId,
    metadata_offset: i64,
    stopping_at: Option<i64>,
    cx: &ControllerCx<'_>,
) -> Decision<Controller> {
    let until = cx.mono.plus_ms(session_ms(cx.view));
    let session = Session { until, metadata_offset, stopping_at };
    decision.soft.push(ControllerSoft::Touched(broker, session));
    if broker != cx.view.node_id {
        decision.timers.push(TimerOp::Arm(ControllerTimer::Session(broker), until));
    }
    decision
}

fn session_ms(view: &ControllerView) -> u64 {
    let value = settings::static_value(view, "broker.session.timeout.ms");
    value.and_then(|value| value.as_i64()?.try_into().ok()).unwrap_or(9_000)
}

/// When all partitions are looked at next.
fn sweep_timer(timer: ControllerTimer, cx: &ControllerCx<'_>) -> TimerOp<ControllerTimer> {
    let (name, unit_ms) = match timer {
        ControllerTimer::BalanceLeaders => ("leader.imbalance.check.interval.seconds", 1_000),
        _ => ("unclean.leader.election.interval.ms", 1),
    };
    let value = settings::static_value(cx.view, name).and_then(|value| value.as_i64());
    let interval_ms =
        value.and_then(|n| u64::try_from(n).ok()).unwrap_or(300_000 / unit_ms) * unit_ms;
    TimerOp::Arm(timer, cx.mono.plus_ms(interval_ms.max(1)))
}

fn answer<R>(
    token: Token,
    decided: Decided<R>,
    wrap: impl FnOnce(R) -> Reply,
) -> Decision<Controller> {
    Decision {
        records: decided.records,
        replies: vec![(token, wrap(decided.reply))],
        ..Decision::default()
    }
}

impl Shard for Controller {
    type Request = Request;
    type Record = MetadataRecord;
    type Reply = Reply;
    type Soft = ControllerSoft;
    type Timer = ControllerTimer;
    type View = ControllerView;

    fn decide(&self, input: Input<Self>, cx: &mut ControllerCx<'_>) -> Decision<Self> {
        let timer = match input {
            Input::Request(token, request) => return self.on_request(token, request, cx),
            Input::Timer(timer) => timer,
        };
        let mut decision = Decision::default();
        match timer {
            ControllerTimer::Session(broker) => {
                let mut draft = Draft::new(&self.image);
                if self.image.broker(broker).is_some_and(|held| !held.fenced) {
                    broker_lifecycle::fence(&mut draft, cx.view, broker);
                }
                decision.records = draft.records;
                decision.soft.push(ControllerSoft::Ended(broker));
            }
            ControllerTimer::BalanceLeaders => {
                decision.records = decide_balance_leaders(&self.image, cx);
                decision.timers.push(sweep_timer(timer, cx));
            }
            ControllerTimer::ElectUnclean => {
                decision.records = decide_elect_unclean(&self.image, cx);
                decision.timers.push(sweep_timer(timer, cx));
            }
        }
        decision
    }

    fn replay(&mut self, offset: Offset, record: &MetadataRecord) {
        self.image.replay_at(offset, record);
    }

    fn on_soft(&mut self, event: ControllerSoft) {
        match event {
            ControllerSoft::Touched(broker, session) => self.sessions.touch(broker, session),
            ControllerSoft::Ended(broker) => self.sessions.end(broker),
        }
    }

    /// A new log gets its first records; brokers elsewhere get a full session to show up again.
    fn on_lead(&self, _epoch: LeaderEpoch, cx: &mut ControllerCx<'_>) -> Decision<Self> {
        let mut decision = Decision::default();
        if self.image.features.is_empty() {
            decision.records = bootstrap_records(cx.view);
        }
        for broker in self.serving().filter(|broker| *broker != cx.view.node_id) {
            decision = touched(decision, broker, 0, None, cx);
        }
        decision.timers.push(sweep_timer(ControllerTimer::BalanceLeaders, cx));
        decision.timers.push(sweep_timer(ControllerTimer::ElectUnclean, cx));
        decision
    }

    fn unavailable(_request: Option<&Request>, why: Unavailable) -> Reply {
        let code = match why {
            Unavailable::Loading | Unavailable::NotLeader => ErrorCode::NOT_CONTROLLER,
            // Clients come again, and find out whether it was done after all.
            Unavailable::AppendFailed => ErrorCode::REQUEST_TIMED_OUT,
        };
        Reply::Refused(code, None)
    }

    fn emptied(&self) -> Self {
        Controller::new()
    }
}
