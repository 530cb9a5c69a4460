//! The consumer's task: finds where to begin, and keeps fetching what there is room for.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use highwater_types::{BrokerId, Offset, TopicId, TopicPartition};
use highwater_wire::messages::fetch_request::{FetchPartition, FetchTopic};
use highwater_wire::messages::fetch_response::PartitionData;
use highwater_wire::messages::{FetchRequest, FetchResponse};
use highwater_wire::{ErrorCode, Str};
use tokio::time::Instant;

use super::chunk::Chunk;
use super::slots::Errand;
use super::{ConsumerOptions, Reset, Shared, Start};
use crate::cluster::is_stale;
use crate::{Client, ClientError, OffsetQuery, Purpose};

/// First version of Fetch that names topics by id.
const TOPIC_IDS_FROM: i16 = 13;

/// An answer may take this much longer than the broker is told to wait.
const ANSWER_GRACE: Duration = Duration::from_secs(30);

type Fetches = BTreeMap<BrokerId, Vec<(Errand, TopicId)>>;

pub(super) async fn run(shared: Arc<Shared>) {
    loop {
        let retry_at = work(&shared);
        let sleep = async {
            match retry_at {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = shared.fetchable.notified() => {}
            () = sleep => {}
        }
    }
}

fn work(shared: &Arc<Shared>) -> Option<Instant> {
    let now = Instant::now();
    let mut state = shared.state.lock();
    let unplaced = state.slots.take_unplaced(now);
    let mut fetches = Fetches::new();
    let mut leaderless = Vec::new();
    let state = &mut *state;
    let fetching = &mut state.fetching;
    state.slots.take_fetchable(now, |errand| match shared.client.known_leader(&errand.at) {
        Some((leader, topic_id)) if !fetching.contains(&leader) => {
            fetches.entry(leader).or_default().push((errand, topic_id));
            true
        }
        // It is fetched from when the answer that is under way has come.
        Some(_) => false,
        None => {
            leaderless.push(errand);
            true
        }
    });
    fetching.extend(fetches.keys());
    let retry_at = state.slots.retry_at().filter(|at| *at > now);
    if !unplaced.is_empty() {
        tokio::spawn(place(shared.clone(), unplaced));
    }
    if !leaderless.is_empty() {
        tokio::spawn(find_leaders(shared.clone(), leaderless));
    }
    for (leader, errands) in fetches {
        tokio::spawn(fetch(shared.clone(), leader, errands));
    }
    retry_at
}

/// Finds where to begin.
async fn place(shared: Arc<Shared>, unplaced: Vec<(Errand, Start)>) {
    let mut results: BTreeMap<TopicPartition, Result<Offset, ClientError>> = BTreeMap::new();
    let mut queries = BTreeMap::new();
    let committed = committed(&shared, &unplaced).await;
    for (errand, start) in &unplaced {
        let at = &errand.at;
        let start = match (start, &committed) {
            (Start::Committed, Ok(committed)) => match committed.get(at) {
                Some(offset) => Start::Offset(*offset),
                None => match reset(at, &shared.options) {
                    Ok(start) => start,
                    Err(error) => {
                        results.insert(at.clone(), Err(error));
                        continue;
                    }
                },
            },
            (Start::Committed, Err(error)) => {
                results.insert(at.clone(), Err(error.clone()));
                continue;
            }
            (start, _) => *start,
        };
        match start {
            Start::Offset(offset) => {
                results.insert(at.clone(), Ok(offset));
            }
            Start::Earliest => {
                queries.insert(at.clone(), OffsetQuery::Earliest);
            }
            Start::Latest | Start::Committed => {
                queries.insert(at.clone(), OffsetQuery::Latest);
            }
        }
    }
    let listed = shared.client.list_offsets(&queries, shared.options.is_read_committed).await;
    results.extend(listed.into_iter().map(|(at, listed)| {
        let offset = listed.map(|listed| listed.offset.unwrap_or(Offset::ZERO));
        (at, offset)
    }));
    let mut state = shared.state.lock();
    for (errand, _) in unplaced {
        match results.remove(&errand.at) {
            Some(Ok(offset)) => state.slots.on_placed(&errand, offset),
            Some(Err(error)) => fail(&shared, &mut state, &errand, error),
            None => {}
        }
    }
    drop(state);
    shared.wake();
}

async fn committed(
    shared: &Shared,
    unplaced: &[(Errand, Start)],
) -> Result<BTreeMap<TopicPartition, Offset>, ClientError> {
    let wanted: Vec<TopicPartition> = unplaced
        .iter()
        .filter(|(_, start)| *start == Start::Committed)
        .map(|(errand, _)| errand.at.clone())
        .collect();
    if wanted.is_empty() || shared.options.group_id.is_none() {
        return Ok(BTreeMap::new());
    }
    let group = shared.options.group()?;
    let is_stable = shared.options.is_read_committed;
    let found = shared.client.committed_offsets(group, Some(&wanted), is_stable).await?;
    Ok(found.into_iter().map(|(at, committed)| (at, committed.offset)).collect())
}

/// Where to begin where nothing says where.
fn reset(at: &TopicPartition, options: &ConsumerOptions) -> Result<Start, ClientError> {
    match options.reset {
        Reset::Earliest => Ok(Start::Earliest),
        Reset::Latest => Ok(Start::Latest),
        Reset::None => Err(ClientError::invalid(format!(
            "nothing says where to begin in {at}: the group has committed no offset there that can be read, and auto.offset.reset is none"
        ))),
    }
}

fn fail(shared: &Shared, state: &mut super::State, errand: &Errand, error: ClientError) {
    tracing::debug!(at = %errand.at, %error, "fetching failed");
    if is_stale(&error) {
        shared.client.forget_topic(&errand.at.topic);
    }
    state.slots.on_failure(errand, error, &shared.client.options().backoff, Instant::now());
}

async fn find_leaders(shared: Arc<Shared>, errands: Vec<Errand>) {
    let mut topics: Vec<Str> = errands.iter().map(|errand| Str::from(&*errand.at.topic)).collect();
    topics.dedup();
    let refreshed = shared.client.refresh(Some(&topics)).await;
    let mut state = shared.state.lock();
    for errand in errands {
        let error = match (&refreshed, shared.client.known_leader(&errand.at)) {
            (Ok(_), Some(_)) => {
                state.slots.on_mended(&errand);
                continue;
            }
            (Ok(answer), None) => {
                let topic = answer.topics.iter().find(|topic| {
                    topic.name.as_deref().is_some_and(|name| name == &*errand.at.topic)
                });
                let code = topic.map_or(0, |topic| topic.error_code);
                let code = if code == 0 { ErrorCode::LEADER_NOT_AVAILABLE.0 } else { code };
                match ClientError::check(format!("leader of {}", errand.at), code, None) {
                    Err(error) => error,
                    Ok(()) => continue,
                }
            }
            (Err(error), _) => error.clone(),
        };
        fail(&shared, &mut state, &errand, error);
    }
    drop(state);
    shared.wake();
}

async fn fetch(shared: Arc<Shared>, leader: BrokerId, errands: Vec<(Errand, TopicId)>) {
    let result = ask(&shared.client, &shared.options, leader, &errands).await;
    let mut state = shared.state.lock();
    state.fetching.remove(&leader);
    let mut data = result.map(|answer| by_partition(answer, &errands));
    for (errand, _) in &errands {
        match &mut data {
            Ok(data) => match data.remove(&errand.at) {
                Some(partition) => on_partition(&shared, &mut state, errand, partition),
                None => {
                    let backoff = &shared.client.options().backoff;
                    state.slots.on_postponed(errand, backoff, Instant::now());
                }
            },
            Err(error) => fail(&shared, &mut state, errand, error.clone()),
        }
    }
    drop(state);
    shared.wake();
}

fn on_partition(
    shared: &Shared,
    state: &mut super::State,
    errand: &Errand,
    partition: PartitionData,
) {
    let at = &errand.at;
    if ErrorCode(partition.error_code) == ErrorCode::OFFSET_OUT_OF_RANGE {
        tracing::debug!(%at, offset = %errand.offset, "the offset is not there");
        match reset(at, &shared.options) {
            Ok(start) => {
                if !state.slots.on_out_of_range(errand, start) {
                    let backoff = &shared.client.options().backoff;
                    state.slots.on_postponed(errand, backoff, Instant::now());
                }
            }
            Err(error) => fail(shared, state, errand, error),
        }
        return;
    }
    if let Err(error) = ClientError::check(format!("fetching {at}"), partition.error_code, None) {
        return fail(shared, state, errand, error);
    }
    let bytes = partition.records.and_then(|records| records.to_bytes()).unwrap_or_default();
    let is_read_committed = shared.options.is_read_committed;
    let aborted = partition.aborted_transactions.unwrap_or_default();
    let has_bytes = !bytes.is_empty();
    let chunk = Chunk::new(bytes, aborted, is_read_committed, shared.options.checks_crcs);
    if has_bytes && chunk.next_offset().is_none() {
        let why = format!("the batch of {at} at {} is not whole", errand.offset);
        return fail(shared, state, errand, ClientError::invalid(why));
    }
    state.slots.on_fetched(errand, chunk, Offset(partition.high_watermark));
}

async fn ask(
    client: &Client,
    options: &ConsumerOptions,
    leader: BrokerId,
    errands: &[(Errand, TopicId)],
) -> Result<FetchResponse, ClientError> {
    let connection = client.broker_for(leader, Purpose::Fetch).await?;
    let mut version = connection.version_of::<FetchRequest>()?;
    if errands.iter().any(|(_, topic_id)| *topic_id == TopicId::ZERO) {
        version = version.min(TOPIC_IDS_FROM - 1);
    }
    let int = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
    let request = FetchRequest {
        max_wait_ms: int(options.wait_max.as_millis() as usize),
        min_bytes: int(options.bytes_min),
        max_bytes: int(options.bytes_max),
        isolation_level: options.is_read_committed.into(),
        topics: topics_of(client, options, errands),
        ..FetchRequest::default()
    };
    let timeout = options.wait_max + ANSWER_GRACE;
    let answer = connection.call_version_within(&request, version, timeout).await?;
    ClientError::check("fetching", answer.error_code, None)?;
    Ok(answer)
}

fn topics_of(
    client: &Client,
    options: &ConsumerOptions,
    errands: &[(Errand, TopicId)],
) -> Vec<FetchTopic> {
    let mut topics: Vec<FetchTopic> = Vec::new();
    // They come sorted by topic.
    for (Errand { at, offset, .. }, topic_id) in errands {
        let partition = FetchPartition {
            partition: at.partition.get(),
            current_leader_epoch: client.known_epoch(at).get(),
            fetch_offset: offset.get(),
            partition_max_bytes: i32::try_from(options.partition_bytes_max).unwrap_or(i32::MAX),
            ..FetchPartition::default()
        };
        match topics.last_mut().filter(|topic| *topic.topic == *at.topic) {
            Some(topic) => topic.partitions.push(partition),
            None => topics.push(FetchTopic {
                topic: Str::from(&*at.topic),
                topic_id: topic_id.0,
                partitions: vec![partition],
                ..FetchTopic::default()
            }),
        }
    }
    topics
}

fn by_partition(
    answer: FetchResponse,
    errands: &[(Errand, TopicId)],
) -> BTreeMap<TopicPartition, PartitionData> {
    let mut found = BTreeMap::new();
    for topic in answer.responses {
        for partition in topic.partitions {
            let errand = errands.iter().find(|(errand, id)| {
                let is_topic = match topic.topic.is_empty() {
                    true => id.0 == topic.topic_id,
                    false => *topic.topic == *errand.at.topic,
                };
                is_topic && errand.at.partition.get() == partition.partition_index
            });
            if let Some((errand, _)) = errand {
                found.insert(errand.at.clone(), partition);
            }
        }
    }
    found
}
