//! Produce: checks every batch on the network task, hands it to the partition's storage thread,
//! answers when the acknowledgement that was asked for is true.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use highwater_log::BatchOutcome;
use highwater_wire::ErrorCode;
use highwater_wire::messages::produce_request::{PartitionProduceData, TopicProduceData};
use highwater_wire::messages::produce_response::{
    BatchIndexAndErrorMessage, PartitionProduceResponse, TopicProduceResponse,
};
use highwater_wire::messages::{ProduceRequest, ProduceResponse};
use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::{Answer, Api, Call};
use crate::codes::Refused;
use crate::produce;
use crate::storage::AppendResult;
use crate::{Broker, codes};

pub struct Produce;

const ACKS_NONE: i16 = 0;
const ACKS_LEADER: i16 = 1;
const ACKS_ALL: i16 = -1;

impl Api for Produce {
    type Request = ProduceRequest;
    /// 0 to 2 are advertised and close the connection, as in Kafka: old librdkafka decides what
    /// the broker can do by the lowest version it sees.
    const VERSIONS: RangeInclusive<i16> = 3..=13;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: ProduceRequest,
    ) -> Answer<ProduceResponse> {
        let acks = request.acks;
        let answer = ProduceCall::start(broker, &call, request);
        if acks == ACKS_NONE {
            return Answer::Silent(Box::pin(async move {
                let failed = answer.wait().await.has_error();
                // The client cannot be told otherwise: it finds its connection closed.
                if failed { Err("a record sent with acks=0 was refused") } else { Ok(()) }
            }));
        }
        Answer::later(async move { answer.wait().await.0 })
    }
}

/// The answers of one request as they come in from several storage threads.
struct ProduceCall {
    topics: Mutex<Vec<TopicProduceResponse>>,
    /// Partitions not answered yet, and one for the request itself while it is being read.
    open: AtomicUsize,
    finished: Mutex<Option<oneshot::Sender<()>>>,
}

/// A response that knows whether it holds an error.
struct Finished(ProduceResponse);

impl Finished {
    fn has_error(&self) -> bool {
        self.0
            .responses
            .iter()
            .flat_map(|topic| &topic.partition_responses)
            .any(|p| p.error_code != 0)
    }
}

struct Waiting {
    call: Arc<ProduceCall>,
    finished: oneshot::Receiver<()>,
}

impl Waiting {
    async fn wait(self) -> Finished {
        // The sender lives in the call, which we hold.
        let _ = self.finished.await;
        let responses = std::mem::take(&mut *self.call.topics.lock());
        Finished(ProduceResponse { responses, ..ProduceResponse::default() })
    }
}

impl ProduceCall {
    fn start(broker: &Arc<Broker>, call: &Call, request: ProduceRequest) -> Waiting {
        let (sender, finished) = oneshot::channel();
        let produce = Arc::new(ProduceCall {
            topics: Mutex::new(request.topic_data.iter().map(unanswered).collect()),
            open: AtomicUsize::new(1),
            finished: Mutex::new(Some(sender)),
        });
        let acks = request.acks;
        let context = produce::Context {
            version: call.version,
            by_admin_client: call.client_id.as_deref() == Some(produce::ADMIN_CLIENT_ID),
            transactional: request.transactional_id.is_some(),
        };
        for (topic_index, topic) in request.topic_data.into_iter().enumerate() {
            let found = broker.find_topic_for(call.version >= 13, &topic.name, topic.topic_id);
            // An internal topic is refused as such, whether it exists yet or not.
            let found = if codes::is_internal_topic(&topic.name) && !context.by_admin_client {
                Err(ErrorCode::INVALID_TOPIC_EXCEPTION)
            } else {
                found
            };
            for (index, data) in topic.partition_data.into_iter().enumerate() {
                let slot = Slot { call: produce.clone(), topic: topic_index, partition: index };
                let accepted = check_acks(acks).and_then(|()| {
                    let topic_id = found.map_err(Refused::code)?;
                    produce::check(broker, topic_id, data, &context)
                });
                match accepted {
                    Ok((partition, batch)) => slot.append(&partition, batch, acks == ACKS_ALL),
                    Err(refused) => slot.refuse(&refused),
                }
            }
        }
        produce.one_done();
        Waiting { call: produce, finished }
    }

    fn one_done(&self) {
        if self.open.fetch_sub(1, Ordering::AcqRel) == 1
            && let Some(finished) = self.finished.lock().take()
        {
            // The connection may be gone; nobody waits then.
            let _ = finished.send(());
        }
    }
}

fn check_acks(acks: i16) -> Result<(), Refused> {
    match acks {
        ACKS_NONE | ACKS_LEADER | ACKS_ALL => Ok(()),
        _ => Err(Refused::code(ErrorCode::INVALID_REQUIRED_ACKS)),
    }
}

fn unanswered(topic: &TopicProduceData) -> TopicProduceResponse {
    let partition = |data: &PartitionProduceData| PartitionProduceResponse {
        index: data.index,
        base_offset: -1,
        log_append_time_ms: -1,
        log_start_offset: -1,
        ..PartitionProduceResponse::default()
    };
    TopicProduceResponse {
        name: topic.name.clone(),
        topic_id: topic.topic_id,
        partition_responses: topic.partition_data.iter().map(partition).collect(),
        ..TopicProduceResponse::default()
    }
}

/// The place of one partition in the response.
struct Slot {
    call: Arc<ProduceCall>,
    topic: usize,
    partition: usize,
}

impl Slot {
    fn write(&self, write: impl FnOnce(&mut PartitionProduceResponse)) {
        let mut topics = self.call.topics.lock();
        if let Some(response) = topics
            .get_mut(self.topic)
            .and_then(|topic| topic.partition_responses.get_mut(self.partition))
        {
            write(response);
        }
    }

    fn refuse(&self, refused: &Refused) {
        self.write(|response| {
            response.error_code = refused.code.0;
            response.error_message = refused.message.clone().map(Into::into);
            response.record_errors = refused
                .records
                .iter()
                .map(|(index, message)| BatchIndexAndErrorMessage {
                    batch_index: *index,
                    batch_index_error_message: Some(message.clone().into()),
                    ..BatchIndexAndErrorMessage::default()
                })
                .collect();
        });
    }

    fn append(
        self,
        partition: &Arc<crate::partition::Partition>,
        batch: highwater_log::PendingBatch,
        wait_for_commit: bool,
    ) {
        self.call.open.fetch_add(1, Ordering::AcqRel);
        let log_start = partition.reader().log_start().get();
        let done = move |result: AppendResult| {
            match result.map(|outcomes| outcomes.into_iter().next()) {
                Ok(Some(outcome)) => self.appended(&outcome, log_start),
                Ok(None) => self.refuse(&Refused::code(ErrorCode::UNKNOWN_SERVER_ERROR)),
                Err(error) => self.refuse(&codes::of_append_error(&error)),
            }
            self.call.one_done();
        };
        partition.append_in_turn(vec![batch], wait_for_commit, Box::new(done));
    }

    fn appended(&self, outcome: &BatchOutcome, log_start: i64) {
        match outcome {
            BatchOutcome::Appended { base_offset, log_append_time, .. } => self.write(|response| {
                response.base_offset = base_offset.get();
                response.log_append_time_ms = log_append_time.map_or(-1, |time| time.get());
                response.log_start_offset = log_start;
            }),
            BatchOutcome::Duplicate { base_offset, .. } => self.write(|response| {
                response.base_offset = base_offset.get();
                response.log_start_offset = log_start;
            }),
            BatchOutcome::Refused(refusal) => self.refuse(&codes::of_producer_refusal(refusal)),
            BatchOutcome::TooLarge { size, segment_bytes } => self.refuse(&Refused::because(
                ErrorCode::RECORD_LIST_TOO_LARGE,
                format!("the batch has {size} bytes, a segment holds {segment_bytes}"),
            )),
            BatchOutcome::OutOfPlace { .. } => {
                self.refuse(&Refused::code(ErrorCode::UNKNOWN_SERVER_ERROR));
            }
        }
    }
}
