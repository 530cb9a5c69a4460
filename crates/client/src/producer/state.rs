//! [`State`]: all lanes of a producer, and the plan of what is to be sent next. No I/O.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use highwater_records::NewRecord;
use highwater_types::{BrokerId, PartitionIndex, TopicId, TopicPartition};
use tokio::time::Instant;

use super::batch::Identity;
use super::delivery::{Delivery, Outcome, Placed};
use super::lane::{Lane, Readiness, Taken};
use super::partitioner::Sticky;
use super::{ProducerOptions, ProducerRecord, partition_of_key};
use crate::{ClientError, Topic};

pub(super) struct State {
    topics: BTreeMap<Arc<str>, TopicLanes>,
    identity: Identity,
    /// Requests under way.
    in_flight: BTreeMap<BrokerId, usize>,
    pub(super) is_refreshing: bool,
    pub(super) is_identifying: bool,
    /// Brokers that are being connected to.
    pub(super) connecting: BTreeSet<BrokerId>,
    /// Leaders are not asked for before this, nor connected to.
    pub(super) ask_after: Option<Instant>,
    /// Set once; nothing is accepted any more.
    pub(super) closed: Option<ClientError>,
}

struct TopicLanes {
    lanes: BTreeMap<PartitionIndex, Lane>,
    sticky: Sticky,
}

/// A Produce request to be.
pub(super) struct Outgoing {
    pub(super) broker: BrokerId,
    pub(super) batches: Vec<OutgoingBatch>,
    size_bytes: usize,
}

pub(super) struct OutgoingBatch {
    pub(super) at: TopicPartition,
    pub(super) topic_id: TopicId,
    pub(super) batch: Taken,
}

/// The way to a partition's leader.
pub(super) enum Route {
    Open(BrokerId, TopicId),
    /// There is no connection.
    Closed(BrokerId),
    /// Nobody knows who leads.
    Unknown,
}

/// What to do now, and when to look again.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) requests: Vec<Outgoing>,
    /// Topics of which a leader is not known.
    pub(super) unknown: BTreeSet<Arc<str>>,
    /// Brokers to which there is no connection.
    pub(super) closed: BTreeSet<BrokerId>,
    pub(super) wants_identity: bool,
    pub(super) wake_at: Option<Instant>,
    /// Bytes of the buffer that have become free.
    pub(super) freed: usize,
}

impl Plan {
    fn wake_by(&mut self, at: Instant) {
        self.wake_at = Some(self.wake_at.map_or(at, |other| other.min(at)));
    }
}

impl State {
    pub(super) fn new(identity: Identity) -> Self {
        State {
            topics: BTreeMap::new(),
            identity,
            in_flight: BTreeMap::new(),
            is_refreshing: false,
            is_identifying: false,
            connecting: BTreeSet::new(),
            ask_after: None,
            closed: None,
        }
    }

    /// Puts a record into its lane. Says also whether the sender must look.
    pub(super) fn append(
        &mut self,
        topic: &Topic,
        record: &ProducerRecord,
        new: &NewRecord<'_>,
        room: usize,
        options: &ProducerOptions,
    ) -> Result<(Delivery, bool), ClientError> {
        if let Some(error) = &self.closed {
            return Err(error.clone());
        }
        let identity = self.identity;
        if !self.topics.contains_key(&record.topic) {
            let sticky = Sticky::new(RandomState::new().hash_one(&record.topic));
            let lanes = TopicLanes { lanes: BTreeMap::new(), sticky };
            self.topics.insert(record.topic.clone(), lanes);
        }
        let Some(lanes) = self.topics.get_mut(&record.topic) else {
            return Err(ClientError::invalid("the topic is gone"));
        };
        let partition = match (record.partition, &record.key) {
            (Some(partition), _) => partition,
            (None, Some(key)) => partition_of_key(key, topic.partitions.len()),
            (None, None) => lanes.choose(topic, room, options),
        };
        if topic.partition(partition).is_none() {
            let count = topic.partitions.len();
            let why = format!("topic {} has no partition {partition}; it has {count}", topic.name);
            return Err(ClientError::invalid(why));
        }
        let lane = lanes.lanes.entry(partition).or_insert_with(|| Lane::new(partition, identity));
        Ok(lane.append(new, room, options, Instant::now()))
    }

    /// Takes all that can be sent now, in the order in which it must be.
    pub(super) fn plan(
        &mut self,
        options: &ProducerOptions,
        now: Instant,
        route_to: impl Fn(&TopicPartition) -> Route,
    ) -> Plan {
        let mut plan = Plan::default();
        // A request has one batch of a partition at most: as many rounds as requests.
        loop {
            let taken = self.plan_round(options, now, &route_to, &mut plan);
            if taken.is_empty() {
                return plan;
            }
            for request in &taken {
                *self.in_flight.entry(request.broker).or_insert(0) += 1;
            }
            plan.requests.extend(taken);
        }
    }

    fn plan_round(
        &mut self,
        options: &ProducerOptions,
        now: Instant,
        route_to: &impl Fn(&TopicPartition) -> Route,
        plan: &mut Plan,
    ) -> Vec<Outgoing> {
        let mut requests: BTreeMap<BrokerId, Outgoing> = BTreeMap::new();
        for (topic, lanes) in &mut self.topics {
            for (&partition, lane) in &mut lanes.lanes {
                lane.expire(options, now);
                plan.freed += lane.take_freed();
                plan.wants_identity |= lane.wants_identity();
                lane.expires_at(options).into_iter().for_each(|at| plan.wake_by(at));
                match lane.readiness(options, now) {
                    Readiness::Idle => continue,
                    Readiness::At(at) => {
                        plan.wake_by(at);
                        continue;
                    }
                    Readiness::Now => {}
                }
                let at = TopicPartition { topic: topic.clone(), partition };
                let (broker, topic_id) = match route_to(&at) {
                    Route::Open(broker, topic_id) => (broker, topic_id),
                    Route::Closed(broker) => {
                        plan.closed.insert(broker);
                        continue;
                    }
                    Route::Unknown => {
                        plan.unknown.insert(topic.clone());
                        continue;
                    }
                };
                if self.in_flight.get(&broker).is_some_and(|n| *n >= options.in_flight_max) {
                    continue;
                }
                let request = requests.entry(broker).or_insert_with(|| Outgoing::new(broker));
                if request.has_room(lane.size_of_next(), options)
                    && let Some(batch) = lane.take()
                {
                    request.push(OutgoingBatch { at, topic_id, batch });
                }
            }
        }
        requests.into_values().filter(|request| !request.batches.is_empty()).collect()
    }

    /// A request is over, whatever came of it.
    pub(super) fn on_request_over(&mut self, broker: BrokerId) {
        if let Some(count) = self.in_flight.get_mut(&broker) {
            *count = count.saturating_sub(1);
        }
    }

    pub(super) fn on_result(
        &mut self,
        at: &TopicPartition,
        order: u64,
        result: Result<Placed, ClientError>,
        options: &ProducerOptions,
    ) {
        let lanes = self.topics.get_mut(&at.topic);
        let Some(lane) = lanes.and_then(|lanes| lanes.lanes.get_mut(&at.partition)) else { return };
        match result {
            Ok(placed) => lane.on_success(order, placed),
            Err(error) => lane.on_failure(order, error, options, Instant::now()),
        }
    }

    /// Nothing can be sent at the moment.
    pub(super) fn on_unreachable(&mut self, error: &ClientError) {
        self.lanes().for_each(|lane| lane.note_error(error));
    }

    /// All topics that were ever sent to.
    pub(super) fn topics(&self) -> impl Iterator<Item = &Arc<str>> {
        self.topics.keys()
    }

    pub(super) fn on_identity(&mut self, identity: Identity) {
        self.identity = identity;
        self.lanes().for_each(|lane| lane.adopt(identity));
    }

    /// Closes what is open, so that it goes out now; gives what there is to wait for.
    pub(super) fn flush(&mut self) -> Vec<Arc<Outcome>> {
        let mut outcomes = Vec::new();
        for lane in self.lanes() {
            lane.close();
            outcomes.extend(lane.outcomes());
        }
        outcomes
    }

    /// Fails all that is not delivered.
    pub(super) fn fail_all(&mut self, error: &ClientError) {
        self.closed.get_or_insert_with(|| error.clone());
        self.lanes().for_each(|lane| lane.fail_all(error));
    }

    fn lanes(&mut self) -> impl Iterator<Item = &mut Lane> {
        self.topics.values_mut().flat_map(|topic| topic.lanes.values_mut())
    }
}

impl TopicLanes {
    fn choose(&mut self, topic: &Topic, room: usize, options: &ProducerOptions) -> PartitionIndex {
        let available = || {
            let led = topic.partitions.iter().filter(|p| p.leader.is_some());
            led.map(|p| p.index).collect()
        };
        self.sticky.choose(available, topic.partitions.len(), room, options.batch_bytes)
    }
}

impl Outgoing {
    fn new(broker: BrokerId) -> Self {
        Outgoing { broker, batches: Vec::new(), size_bytes: 0 }
    }

    /// One batch always has.
    fn has_room(&self, size_bytes: usize, options: &ProducerOptions) -> bool {
        self.batches.is_empty() || self.size_bytes + size_bytes <= options.request_bytes_max
    }

    fn push(&mut self, batch: OutgoingBatch) {
        self.size_bytes += batch.batch.size_bytes;
        self.batches.push(batch);
    }
}
