//! Fetch: looks up the session inline, reads, and if there is too little waits for more.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use highwater_types::{LeaderEpoch, Offset, PartitionIndex, TopicId};
use highwater_wire::messages::fetch_request::FetchTopic;
use highwater_wire::messages::fetch_response::{
    EpochEndOffset, FetchableTopicResponse, LeaderIdAndEpoch, PartitionData,
};
use highwater_wire::messages::{FetchRequest, FetchResponse};
use highwater_wire::{ErrorCode, Records};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::{Answer, Api, Call, TopicRef};
use crate::fetch::{FetchWait, Lookup, Session, SessionError, SessionPartition, Told};
use crate::limits::FETCH_WAIT_MS_MAX;
use crate::partition::{Partition, ReadAnswer, ReadRefusal, ReadRequest};
use crate::{Broker, codes};

pub struct Fetch;

/// Version from which topics are named by id.
const IDS_FROM: i16 = 13;
/// Version from which an answer may name the partition's leader.
const LEADERS_FROM: i16 = 12;

impl Api for Fetch {
    type Request = FetchRequest;
    const VERSIONS: RangeInclusive<i16> = 4..=18;

    fn handle(broker: &Arc<Broker>, call: Call, request: FetchRequest) -> Answer<FetchResponse> {
        let by_ids = call.version >= IDS_FROM;
        let refused = |code: ErrorCode| {
            Answer::Now(FetchResponse { error_code: code.0, ..FetchResponse::default() })
        };
        if !matches!(request.isolation_level, 0 | 1) {
            return refused(ErrorCode::INVALID_REQUEST);
        }
        let follower = request.replica_state.replica_id.max(request.replica_id) >= 0;
        let lookup = broker.sessions.lookup(
            request.session_id,
            request.session_epoch,
            by_ids,
            asked_partitions(by_ids, &request.topics),
            &forgotten_partitions(by_ids, &request),
            broker.clock.mono(),
        );
        let (session, incremental, partitions) = match lookup {
            Ok(Lookup::Sessionless(partitions)) => (None, false, partitions),
            Ok(Lookup::Full(session)) => {
                let partitions = partitions_of(broker, &session);
                (Some(session), false, partitions)
            }
            Ok(Lookup::Incremental(session)) => {
                let partitions = partitions_of(broker, &session);
                (Some(session), true, partitions)
            }
            Err(SessionError::NotFound) => return refused(ErrorCode::FETCH_SESSION_ID_NOT_FOUND),
            Err(SessionError::WrongEpoch) => {
                return refused(ErrorCode::INVALID_FETCH_SESSION_EPOCH);
            }
            Err(SessionError::NamesAndIds) => {
                return refused(ErrorCode::FETCH_SESSION_TOPIC_ID_ERROR);
            }
        };
        let config = broker.config.load();
        let job = FetchJob {
            broker: broker.clone(),
            session,
            incremental,
            partitions,
            follower,
            names_leaders: call.version >= LEADERS_FROM,
            read_committed: request.isolation_level == 1,
            bytes_min: u64::try_from(request.min_bytes).unwrap_or(0),
            bytes_max: usize::try_from(
                request
                    .max_bytes
                    .min(i32::try_from(config.fetch.response_bytes_max).unwrap_or(i32::MAX)),
            )
            .unwrap_or(0),
        };
        let wait_ms = u64::try_from(request.max_wait_ms).unwrap_or(0).min(FETCH_WAIT_MS_MAX);
        let first = job.read_all();
        if job.is_enough(&first) || wait_ms == 0 {
            return Answer::Now(job.answer(first));
        }
        let deadline = Instant::now() + Duration::from_millis(wait_ms);
        Answer::later(async move { job.wait(first, deadline).await })
    }
}

fn topic_ref(by_ids: bool, topic: &FetchTopic) -> TopicRef {
    if by_ids { TopicRef::Id(topic.topic_id) } else { TopicRef::Name(topic.topic.clone()) }
}

fn asked_partitions(by_ids: bool, topics: &[FetchTopic]) -> Vec<SessionPartition> {
    topics
        .iter()
        .flat_map(|topic| topic.partitions.iter().map(move |partition| (topic, partition)))
        .map(|(topic, partition)| SessionPartition {
            topic: topic_ref(by_ids, topic),
            name: None,
            partition: PartitionIndex(partition.partition),
            fetch_offset: Offset(partition.fetch_offset),
            bytes_max: partition.partition_max_bytes,
            current_leader_epoch: partition.current_leader_epoch,
            last_fetched_epoch: partition.last_fetched_epoch,
            told: None,
        })
        .collect()
}

fn partitions_of(broker: &Broker, session: &Mutex<Session>) -> Vec<SessionPartition> {
    let image = broker.image.load();
    let mut session = session.lock();
    session.name_topics(|topic| match topic {
        TopicRef::Name(name) => Some(name.clone()),
        TopicRef::Id(id) => image.topic_by_id(TopicId(*id)).map(|topic| topic.name.clone()),
    });
    session.partitions()
}

fn forgotten_partitions(by_ids: bool, request: &FetchRequest) -> Vec<(TopicRef, PartitionIndex)> {
    let mut forgotten = Vec::new();
    for topic in &request.forgotten_topics_data {
        for partition in &topic.partitions {
            let topic = if by_ids {
                TopicRef::Id(topic.topic_id)
            } else {
                TopicRef::Name(topic.topic.clone())
            };
            forgotten.push((topic, PartitionIndex(*partition)));
        }
    }
    forgotten
}

/// One fetch, from the session's partitions to the answer.
struct FetchJob {
    broker: Arc<Broker>,
    session: Option<Arc<Mutex<Session>>>,
    incremental: bool,
    partitions: Vec<SessionPartition>,
    follower: bool,
    /// The version has a place for where to go instead.
    names_leaders: bool,
    read_committed: bool,
    bytes_min: u64,
    bytes_max: usize,
}

/// What one pass over the partitions found, in their order.
struct Found {
    results: Vec<Result<(Arc<Partition>, ReadAnswer), ErrorCode>>,
    bytes: u64,
}

impl FetchJob {
    fn read_all(&self) -> Found {
        let mut found = Found { results: Vec::with_capacity(self.partitions.len()), bytes: 0 };
        for asked in &self.partitions {
            let left = self.bytes_max.saturating_sub(usize::try_from(found.bytes).unwrap_or(0));
            let result = self.read(asked, left, found.bytes == 0);
            if let Ok((_, answer)) = &result {
                found.bytes += answer.records.len() as u64;
            }
            found.results.push(result);
        }
        found
    }

    fn read(
        &self,
        asked: &SessionPartition,
        left: usize,
        first: bool,
    ) -> Result<(Arc<Partition>, ReadAnswer), ErrorCode> {
        let partition = self.broker.partition_for(&asked.topic, asked.partition);
        let partition = partition.map_err(|code| self.code_in_session(asked, code))?;
        if self.follower {
            // No other broker replicates from this one.
            return Err(ErrorCode::NOT_LEADER_OR_FOLLOWER);
        }
        let epoch = |epoch: i32| (epoch >= 0).then_some(LeaderEpoch(epoch));
        let bytes_max = usize::try_from(asked.bytes_max).unwrap_or(0).min(left);
        let request = ReadRequest {
            from: asked.fetch_offset,
            // A full request still checks its other partitions, it reads nothing from them.
            bytes_max,
            at_least_one_batch: first,
            read_committed: self.read_committed,
            current_epoch: epoch(asked.current_leader_epoch),
            last_fetched_epoch: epoch(asked.last_fetched_epoch),
        };
        let answer = partition.read(&request).map_err(|refusal| match refusal {
            ReadRefusal::NotLeader => ErrorCode::NOT_LEADER_OR_FOLLOWER,
            ReadRefusal::FencedEpoch => ErrorCode::FENCED_LEADER_EPOCH,
            ReadRefusal::UnknownEpoch => ErrorCode::UNKNOWN_LEADER_EPOCH,
            ReadRefusal::OutOfRange => ErrorCode::OFFSET_OUT_OF_RANGE,
            ReadRefusal::Log(error) => codes::of_read_error(&error, partition.name()),
        })?;
        Ok((partition, answer))
    }

    /// A session remembers the name of a topic that is gone by its id: that it is known no more,
    /// or belongs to another topic, is what its client is told.
    fn code_in_session(&self, asked: &SessionPartition, code: ErrorCode) -> ErrorCode {
        match &asked.name {
            Some(name) if code == ErrorCode::UNKNOWN_TOPIC_ID => {
                match self.broker.image.load().topic(name) {
                    Some(_) => ErrorCode::INCONSISTENT_TOPIC_ID,
                    None => ErrorCode::UNKNOWN_TOPIC_OR_PARTITION,
                }
            }
            _ => code,
        }
    }

    fn is_enough(&self, found: &Found) -> bool {
        found.bytes >= self.bytes_min
            || self.partitions.is_empty()
            || found.results.iter().any(|result| match result {
                Ok((_, answer)) => answer.diverging.is_some(),
                Err(_) => true,
            })
    }

    async fn wait(self, mut found: Found, deadline: Instant) -> FetchResponse {
        let wait = Arc::new(FetchWait::default());
        loop {
            let Some(registered) = self.register(&found, &wait) else {
                found = self.read_all();
                if self.is_enough(&found) {
                    break;
                }
                continue;
            };
            let woken = tokio::time::timeout_at(deadline, wait.woken()).await;
            for (partition, waiter) in registered {
                partition.stop_waiting(waiter);
            }
            found = self.read_all();
            if woken.is_err() || self.is_enough(&found) {
                break;
            }
        }
        self.answer(found)
    }

    /// Registers with every partition; `None` if one of them moved since it was read.
    fn register(&self, found: &Found, wait: &Arc<FetchWait>) -> Option<Vec<(Arc<Partition>, u64)>> {
        // If the partitions together gain what is missing, one of them gains at least its share.
        let missing = self.bytes_min.saturating_sub(found.bytes).max(1);
        let share = missing.div_ceil(found.results.len().max(1) as u64);
        let mut registered: Vec<(Arc<Partition>, u64)> = Vec::with_capacity(found.results.len());
        for (partition, answer) in found.results.iter().flatten() {
            match partition.wait_for_data(answer.seen, share, wait) {
                Some(waiter) => registered.push((partition.clone(), waiter)),
                None => {
                    for (partition, waiter) in registered {
                        partition.stop_waiting(waiter);
                    }
                    return None;
                }
            }
        }
        Some(registered)
    }

    fn answer(self, found: Found) -> FetchResponse {
        let mut session = self.session.as_ref().map(|session| session.lock());
        let mut response = FetchResponse {
            session_id: session.as_ref().map_or(0, |session| session.id()),
            ..FetchResponse::default()
        };
        for (asked, result) in self.partitions.iter().zip(found.results) {
            let data = self.partition_data(asked, result);
            let told = Told {
                high_watermark: data.high_watermark,
                log_start_offset: data.log_start_offset,
                error: data.error_code,
            };
            let has_records = data.records.as_ref().is_some_and(|records| !records.is_empty());
            let must = session.as_mut().is_none_or(|session| {
                session.tell(&asked.topic, asked.partition, told, has_records)
            });
            if must || !self.incremental || data.diverging_epoch != EpochEndOffset::default() {
                push(&mut response.responses, &asked.topic, data);
            }
        }
        response
    }

    fn partition_data(
        &self,
        asked: &SessionPartition,
        result: Result<(Arc<Partition>, ReadAnswer), ErrorCode>,
    ) -> PartitionData {
        let mut data = PartitionData {
            partition_index: asked.partition.get(),
            high_watermark: -1,
            last_stable_offset: -1,
            log_start_offset: -1,
            aborted_transactions: None,
            records: Some(Records::default()),
            ..PartitionData::default()
        };
        match result {
            Ok((_, answer)) => {
                data.high_watermark = answer.seen.high_watermark.get();
                data.last_stable_offset = answer.last_stable_offset.get();
                data.log_start_offset = answer.seen.log_start.get();
                if self.read_committed {
                    data.aborted_transactions = Some(Vec::new());
                }
                if let Some((epoch, end)) = answer.diverging {
                    data.diverging_epoch = EpochEndOffset {
                        epoch: epoch.get(),
                        end_offset: end.get(),
                        ..EpochEndOffset::default()
                    };
                }
                data.records = Some(answer.records);
            }
            Err(code) => {
                data.error_code = code.0;
                self.name_leader(asked, code, &mut data);
            }
        }
        data
    }

    /// Where the client should go instead (KIP-951).
    fn name_leader(&self, asked: &SessionPartition, code: ErrorCode, data: &mut PartitionData) {
        if !self.names_leaders
            || !matches!(code, ErrorCode::NOT_LEADER_OR_FOLLOWER | ErrorCode::FENCED_LEADER_EPOCH)
        {
            return;
        }
        if let Ok(partition) = self.broker.partition_for(&asked.topic, asked.partition)
            && let Some(epoch) = partition.leader_epoch()
        {
            data.current_leader = LeaderIdAndEpoch {
                leader_id: self.broker.node.id.get(),
                leader_epoch: epoch.get(),
                ..LeaderIdAndEpoch::default()
            };
        }
    }
}

/// Adds a partition to the answer, to its topic's entry if that is the last one.
fn push(responses: &mut Vec<FetchableTopicResponse>, topic: &TopicRef, data: PartitionData) {
    let is_same = |last: &FetchableTopicResponse| match topic {
        TopicRef::Name(name) => last.topic == *name,
        TopicRef::Id(id) => last.topic_id == *id,
    };
    if let Some(last) = responses.last_mut().filter(|last| is_same(last)) {
        last.partitions.push(data);
        return;
    }
    let mut entry = FetchableTopicResponse { partitions: vec![data], ..Default::default() };
    match topic {
        TopicRef::Name(name) => entry.topic = name.clone(),
        TopicRef::Id(id) => entry.topic_id = *id,
    }
    responses.push(entry);
}
