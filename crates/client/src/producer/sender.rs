//! The producer's task: sends what is planned and brings back what the brokers answer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use highwater_types::{
    BrokerId, Offset, ProducerEpoch, ProducerId, Timestamp, TopicId, TopicPartition,
};
use highwater_wire::messages::produce_request::{PartitionProduceData, TopicProduceData};
use highwater_wire::messages::produce_response::PartitionProduceResponse;
use highwater_wire::messages::{InitProducerIdRequest, ProduceRequest, ProduceResponse};
use highwater_wire::{ErrorCode, Str};
use tokio::time::Instant;

use super::batch::Identity;
use super::delivery::Placed;
use super::state::{Outgoing, OutgoingBatch, Route};
use super::{Acks, Shared};
use crate::cluster::is_stale;
use crate::{Begun, Client, ClientError};

/// First version of Produce that names topics by id.
const TOPIC_IDS_FROM: i16 = 13;

/// An answer may take this much longer than the broker is told to wait for replicas.
const ANSWER_GRACE: Duration = Duration::from_secs(5);

/// Where a batch goes.
type Place = (TopicPartition, TopicId);

pub(super) async fn run(shared: Arc<Shared>) {
    loop {
        let wake_at = work(&shared);
        let sleep = async {
            match wake_at {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = shared.news.notified() => {}
            () = sleep => {}
        }
    }
}

/// Starts all that can be started now; says when there may be more.
fn work(shared: &Arc<Shared>) -> Option<Instant> {
    let now = Instant::now();
    let mut state = shared.state.lock();
    let mut plan = state.plan(&shared.options, now, |at| route_to(&shared.client, at));
    shared.room.add_permits(plan.freed);
    let may_ask = state.ask_after.is_none_or(|at| at <= now);
    let has_no_way = !plan.unknown.is_empty() || !plan.closed.is_empty();
    if has_no_way && !may_ask {
        plan.wake_at = plan.wake_at.into_iter().chain(state.ask_after).min();
    }
    if may_ask && !plan.unknown.is_empty() && !state.is_refreshing {
        state.is_refreshing = true;
        let topics = plan.unknown.iter().map(|topic| Str::from(&**topic)).collect();
        tokio::spawn(refresh(shared.clone(), topics));
    }
    for broker in plan.closed {
        if may_ask && state.connecting.insert(broker) {
            tokio::spawn(connect(shared.clone(), broker));
        }
    }
    if plan.wants_identity && !state.is_identifying {
        state.is_identifying = true;
        tokio::spawn(identify_again(shared.clone()));
    }
    drop(state);
    // Here, not in tasks of their own: batches of a partition go out in their order.
    for request in plan.requests {
        send(shared, request);
    }
    plan.wake_at
}

fn route_to(client: &Client, at: &TopicPartition) -> Route {
    match client.known_leader(at) {
        None => Route::Unknown,
        Some((broker, topic_id)) => match client.open_connection(broker) {
            Some(_) => Route::Open(broker, topic_id),
            None => Route::Closed(broker),
        },
    }
}

async fn connect(shared: Arc<Shared>, broker: BrokerId) {
    let connected = shared.client.broker(broker).await;
    let mut state = shared.state.lock();
    state.connecting.remove(&broker);
    if let Err(error) = connected {
        tracing::debug!(%broker, %error, "a leader cannot be reached");
        // Somebody else may lead now.
        state.topics().for_each(|topic| shared.client.forget_topic(topic));
        state.on_unreachable(&error);
        state.ask_after = Some(Instant::now() + shared.options.backoff.pause(2));
    }
    drop(state);
    shared.news.notify_one();
}

async fn refresh(shared: Arc<Shared>, topics: Vec<Str>) {
    let result = shared.client.refresh(Some(&topics)).await;
    let mut state = shared.state.lock();
    if let Err(error) = result {
        tracing::debug!(%error, "leaders are still unknown");
        state.on_unreachable(&error);
    }
    state.is_refreshing = false;
    state.ask_after = Some(Instant::now() + shared.options.backoff.pause(1));
    drop(state);
    shared.news.notify_one();
}

async fn identify_again(shared: Arc<Shared>) {
    let result = identify(&shared.client).await;
    let mut state = shared.state.lock();
    state.is_identifying = false;
    match result {
        Ok(identity) => state.on_identity(identity),
        // Without an identity nothing can be sent; it was tried long enough.
        Err(error) => state.fail_all(&error),
    }
    drop(state);
    shared.news.notify_one();
}

/// Asks for a producer id that nobody has used.
pub(super) async fn identify(client: &Client) -> Result<Identity, ClientError> {
    let request = InitProducerIdRequest {
        transactional_id: None,
        transaction_timeout_ms: i32::MAX,
        ..InitProducerIdRequest::default()
    };
    let mut retry = client.retry("asking for a producer id");
    loop {
        let answer = client.call(&request).await;
        let checked = answer.and_then(|answer| {
            ClientError::check("asking for a producer id", answer.error_code, None)?;
            Ok(answer)
        });
        match checked {
            Ok(answer) => {
                return Ok(Identity {
                    id: ProducerId(answer.producer_id),
                    epoch: ProducerEpoch(answer.producer_epoch),
                });
            }
            Err(error) => retry.again(error).await?,
        }
    }
}

/// Sends a request and leaves the wait for its answer to a task.
fn send(shared: &Arc<Shared>, request: Outgoing) {
    let broker = request.broker;
    let orders: Vec<u64> = request.batches.iter().map(|batch| batch.batch.order).collect();
    let places: Vec<Place> =
        request.batches.iter().map(|batch| (batch.at.clone(), batch.topic_id)).collect();
    let begun = begin(shared, broker, request.batches);
    let shared = shared.clone();
    tokio::spawn(async move {
        let result = match begun {
            Ok(Some(begun)) => {
                let timeout = shared.client.options().connect.request_timeout + ANSWER_GRACE;
                begun.wait(timeout).await.map(|answer| results_of(&answer, &places))
            }
            Ok(None) => {
                let unknown = Placed { base_offset: None, append_time: None };
                Ok(places.iter().map(|(at, _)| (at.clone(), Ok(unknown))).collect())
            }
            Err(error) => Err(error),
        };
        finish(&shared, broker, places.into_iter().map(|(at, _)| at).zip(orders), result);
    });
}

fn finish(
    shared: &Shared,
    broker: BrokerId,
    batches: impl Iterator<Item = (TopicPartition, u64)>,
    result: Result<Results, ClientError>,
) {
    let mut state = shared.state.lock();
    state.on_request_over(broker);
    for (at, order) in batches {
        let result = match &result {
            Ok(results) => results.get(&at).cloned().unwrap_or_else(|| {
                Err(ClientError::invalid(format!("the answer does not mention {at}")))
            }),
            Err(error) => Err(error.clone()),
        };
        if matches!(&result, Err(error) if is_stale(error)) {
            shared.client.forget_topic(&at.topic);
        }
        state.on_result(&at, order, result, &shared.options);
    }
    drop(state);
    shared.news.notify_one();
}

type Results = BTreeMap<TopicPartition, Result<Placed, ClientError>>;

/// `None` if no answer comes.
fn begin(
    shared: &Shared,
    broker: BrokerId,
    batches: Vec<OutgoingBatch>,
) -> Result<Option<Begun<ProduceRequest>>, ClientError> {
    let Some(connection) = shared.client.open_connection(broker) else {
        // It was open a moment ago.
        return Err(ClientError::NoBroker([].into()));
    };
    let mut version = connection.version_of::<ProduceRequest>()?;
    if batches.iter().any(|batch| batch.topic_id == TopicId::ZERO) {
        version = version.min(TOPIC_IDS_FROM - 1);
    }
    let timeout = shared.client.options().connect.request_timeout;
    let request = ProduceRequest {
        transactional_id: None,
        acks: shared.options.acks as i16,
        timeout_ms: i32::try_from(timeout.as_millis()).unwrap_or(i32::MAX),
        topic_data: topics_of(batches),
        ..ProduceRequest::default()
    };
    if shared.options.acks == Acks::None {
        return connection.send_only_version(&request, version).map(|()| None);
    }
    connection.begin(&request, version).map(Some)
}

fn topics_of(batches: Vec<OutgoingBatch>) -> Vec<TopicProduceData> {
    let mut topics: Vec<TopicProduceData> = Vec::new();
    // They come sorted by topic.
    for OutgoingBatch { at, topic_id, batch } in batches {
        let partition = PartitionProduceData {
            index: at.partition.get(),
            records: Some(batch.records),
            ..PartitionProduceData::default()
        };
        match topics.last_mut().filter(|topic| *topic.name == *at.topic) {
            Some(topic) => topic.partition_data.push(partition),
            None => topics.push(TopicProduceData {
                name: Str::from(&*at.topic),
                topic_id: topic_id.0,
                partition_data: vec![partition],
                ..TopicProduceData::default()
            }),
        }
    }
    topics
}

fn results_of(answer: &ProduceResponse, places: &[Place]) -> Results {
    let mut results = Results::new();
    for topic in &answer.responses {
        for partition in &topic.partition_responses {
            let place = places.iter().find(|(at, id)| {
                let is_topic = if topic.name.is_empty() {
                    id.0 == topic.topic_id
                } else {
                    *topic.name == *at.topic
                };
                is_topic && at.partition.get() == partition.index
            });
            if let Some((at, _)) = place {
                results.insert(at.clone(), result_of(at, partition));
            }
        }
    }
    results
}

fn result_of(
    at: &TopicPartition,
    answer: &PartitionProduceResponse,
) -> Result<Placed, ClientError> {
    if ErrorCode(answer.error_code) == ErrorCode::DUPLICATE_SEQUENCE_NUMBER {
        // It is in the log, but the broker does not remember where.
        return Ok(Placed { base_offset: None, append_time: None });
    }
    let message = answer.record_errors.first().and_then(|e| e.batch_index_error_message.as_deref());
    let message = answer.error_message.as_deref().or(message);
    ClientError::check(format!("producing to {at}"), answer.error_code, message)?;
    Ok(Placed {
        base_offset: (answer.base_offset >= 0).then_some(Offset(answer.base_offset)),
        append_time: (answer.log_append_time_ms >= 0)
            .then_some(Timestamp(answer.log_append_time_ms)),
    })
}
