//! Topics: making them, writing, reading, asking for offsets.

use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use highwater_types::Uuid;
use highwater_wire::messages::create_topics_request::{CreatableTopic, CreatableTopicConfig};
use highwater_wire::messages::delete_records_request::{
    DeleteRecordsPartition, DeleteRecordsTopic,
};
use highwater_wire::messages::delete_records_response::DeleteRecordsPartitionResult;
use highwater_wire::messages::delete_topics_request::DeleteTopicState;
use highwater_wire::messages::fetch_request::{FetchPartition, FetchTopic};
use highwater_wire::messages::fetch_response::PartitionData;
use highwater_wire::messages::list_offsets_request::{ListOffsetsPartition, ListOffsetsTopic};
use highwater_wire::messages::list_offsets_response::ListOffsetsPartitionResponse;
use highwater_wire::messages::metadata_request::MetadataRequestTopic;
use highwater_wire::messages::metadata_response::MetadataResponseTopic;
use highwater_wire::messages::produce_request::{PartitionProduceData, TopicProduceData};
use highwater_wire::messages::produce_response::PartitionProduceResponse;
use highwater_wire::messages::{
    CreateTopicsRequest, DeleteRecordsRequest, DeleteTopicsRequest, FetchRequest,
    InitProducerIdRequest, ListOffsetsRequest, MetadataRequest, ProduceRequest,
};
use highwater_wire::{ErrorCode, Str};

use crate::batch::{self, ReadRecord};
use crate::{Wire, unique};

/// Kafka shows a topic before its partitions take requests.
const SETTLED_WITHIN: Duration = Duration::from_secs(20);
const EARLIEST: i64 = -2;
const LATEST: i64 = -1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    pub name: Str,
    pub id: Uuid,
}

/// A request for one topic, to be sent or changed first.
pub fn creation(name: &str, partitions: i32, settings: &[(&str, &str)]) -> CreatableTopic {
    let setting = |&(name, value): &(&str, &str)| CreatableTopicConfig {
        name: name.into(),
        value: Some(value.into()),
        ..Default::default()
    };
    CreatableTopic {
        name: name.into(),
        num_partitions: partitions,
        replication_factor: 1,
        configs: settings.iter().map(setting).collect(),
        ..Default::default()
    }
}

impl Topic {
    /// A request that writes one batch.
    pub fn produce(&self, version: i16, partition: i32, records: Option<Bytes>) -> ProduceRequest {
        let records = records.map(Into::into);
        let partition = PartitionProduceData { index: partition, records, ..Default::default() };
        let topic = TopicProduceData {
            // Up to version 12 a topic is told by its name, from then on by its id.
            name: if version <= 12 { self.name.clone() } else { Str::default() },
            topic_id: if version >= 13 { self.id } else { Uuid::ZERO },
            partition_data: vec![partition],
            ..Default::default()
        };
        ProduceRequest {
            acks: -1,
            timeout_ms: 10_000,
            topic_data: vec![topic],
            ..Default::default()
        }
    }

    /// A request that reads one partition, without a session and without waiting.
    pub fn fetch(&self, version: i16, partition: i32, offset: i64) -> FetchRequest {
        FetchRequest {
            max_wait_ms: 0,
            min_bytes: 0,
            max_bytes: 16 << 20,
            session_epoch: -1,
            topics: vec![self.fetch_topic(version, partition, offset)],
            ..Default::default()
        }
    }

    /// What a fetch asks of one partition.
    pub fn fetch_topic(&self, version: i16, partition: i32, offset: i64) -> FetchTopic {
        let partition = FetchPartition {
            partition,
            current_leader_epoch: -1,
            fetch_offset: offset,
            partition_max_bytes: 4 << 20,
            ..Default::default()
        };
        FetchTopic {
            topic: if version <= 12 { self.name.clone() } else { Str::default() },
            topic_id: if version >= 13 { self.id } else { Uuid::ZERO },
            partitions: vec![partition],
            ..Default::default()
        }
    }
}

impl Wire {
    /// A topic with a name of its own that takes requests.
    pub fn new_topic(&mut self, partitions: i32, settings: &[(&str, &str)]) -> Topic {
        self.create_topic(&unique("t"), partitions, settings)
    }

    /// Returns when the topic takes requests.
    pub fn create_topic(
        &mut self,
        name: &str,
        partitions: i32,
        settings: &[(&str, &str)],
    ) -> Topic {
        let topics = vec![creation(name, partitions, settings)];
        let request = CreateTopicsRequest { topics, timeout_ms: 30_000, ..Default::default() };
        let result = self.call(7, &request).topics.remove(0);
        assert_eq!(result.error_code, 0, "{name}: {:?}", result.error_message);
        let topic = Topic { name: name.into(), id: result.topic_id };
        self.wait_until_settled(&topic, partitions);
        topic
    }

    fn wait_until_settled(&mut self, topic: &Topic, partitions: i32) {
        let deadline = Instant::now() + SETTLED_WITHIN;
        for partition in 0..partitions {
            loop {
                let code = self.list_offset(topic, partition, LATEST).error_code;
                if code == 0 {
                    break;
                }
                assert!(Instant::now() < deadline, "{topic:?} answers {}", ErrorCode(code));
                thread::sleep(Duration::from_millis(20));
            }
        }
    }

    pub fn delete_topic(&mut self, topic: &Topic) {
        let state = DeleteTopicState { topic_id: topic.id, ..Default::default() };
        let request = DeleteTopicsRequest {
            topics: vec![DeleteTopicState { name: None, ..state }],
            timeout_ms: 30_000,
            ..Default::default()
        };
        let result = self.call(6, &request).responses.remove(0);
        assert_eq!(result.error_code, 0, "{:?}", result.error_message);
    }

    pub fn cluster_id(&mut self) -> Str {
        let request = MetadataRequest { topics: Some(vec![]), ..Default::default() };
        self.call(12, &request).cluster_id.expect("an id")
    }

    /// What Metadata says of a topic; it is not created.
    pub fn describe_topic(&mut self, name: &str) -> MetadataResponseTopic {
        let topic = MetadataRequestTopic { name: Some(name.into()), ..Default::default() };
        let request = MetadataRequest {
            topics: Some(vec![topic]),
            allow_auto_topic_creation: false,
            ..Default::default()
        };
        self.call(13, &request).topics.remove(0)
    }

    /// Writes a batch with `acks=all`.
    pub fn produce(
        &mut self,
        topic: &Topic,
        partition: i32,
        batch: &Bytes,
    ) -> PartitionProduceResponse {
        self.produce_as(11, &topic.produce(11, partition, Some(batch.clone())))
    }

    /// Writes a batch with `acks=all`, and returns its base offset.
    #[track_caller]
    pub fn must_produce(&mut self, topic: &Topic, partition: i32, batch: &Bytes) -> i64 {
        let answer = self.produce(topic, partition, batch);
        let code = ErrorCode(answer.error_code);
        assert_eq!(code, ErrorCode::NONE, "{:?}", answer.error_message);
        answer.base_offset
    }

    /// Sends a request for one partition.
    pub fn produce_as(
        &mut self,
        version: i16,
        request: &ProduceRequest,
    ) -> PartitionProduceResponse {
        self.call(version, request).responses.remove(0).partition_responses.remove(0)
    }

    /// What is there now, from the offset on.
    pub fn fetch(&mut self, topic: &Topic, partition: i32, offset: i64) -> PartitionData {
        self.fetch_as(13, &topic.fetch(13, partition, offset))
    }

    /// Sends a request for one partition.
    pub fn fetch_as(&mut self, version: i16, request: &FetchRequest) -> PartitionData {
        let mut answer = self.call(version, request);
        assert_eq!(answer.error_code, 0, "{}", ErrorCode(answer.error_code));
        answer.responses.remove(0).partitions.remove(0)
    }

    /// All records from the offset up to the high watermark of now.
    pub fn read_all(&mut self, topic: &Topic, partition: i32, from: i64) -> Vec<ReadRecord> {
        let (mut next, mut read) = (from, Vec::new());
        loop {
            let data = self.fetch(topic, partition, next);
            assert_eq!(data.error_code, 0, "{}", ErrorCode(data.error_code));
            let bytes = fetched_bytes(&data);
            let Some(last) = batch::headers(&bytes).last().copied() else {
                assert_eq!(next, data.high_watermark, "nothing more comes");
                return read;
            };
            read.extend(batch::records(&bytes).into_iter().filter(|r| r.offset >= next));
            next = last.next_offset();
        }
    }

    pub fn list_offset(
        &mut self,
        topic: &Topic,
        partition: i32,
        timestamp: i64,
    ) -> ListOffsetsPartitionResponse {
        let partition = ListOffsetsPartition {
            partition_index: partition,
            current_leader_epoch: -1,
            timestamp,
            ..Default::default()
        };
        let topic = ListOffsetsTopic {
            name: topic.name.clone(),
            partitions: vec![partition],
            ..Default::default()
        };
        let request = ListOffsetsRequest {
            replica_id: -1,
            topics: vec![topic],
            timeout_ms: 10_000,
            ..Default::default()
        };
        self.call(11, &request).topics.remove(0).partitions.remove(0)
    }

    /// The first and the next offset.
    pub fn offsets(&mut self, topic: &Topic, partition: i32) -> (i64, i64) {
        let earliest = self.list_offset(topic, partition, EARLIEST).offset;
        (earliest, self.list_offset(topic, partition, LATEST).offset)
    }

    pub fn delete_records(
        &mut self,
        topic: &Topic,
        partition: i32,
        offset: i64,
    ) -> DeleteRecordsPartitionResult {
        let partition =
            DeleteRecordsPartition { partition_index: partition, offset, ..Default::default() };
        let topic = DeleteRecordsTopic {
            name: topic.name.clone(),
            partitions: vec![partition],
            ..Default::default()
        };
        let request =
            DeleteRecordsRequest { topics: vec![topic], timeout_ms: 10_000, ..Default::default() };
        self.call(2, &request).topics.remove(0).partitions.remove(0)
    }

    /// Id and epoch for an idempotent producer.
    pub fn new_producer(&mut self) -> (i64, i16) {
        let request = InitProducerIdRequest {
            transactional_id: None,
            transaction_timeout_ms: 60_000,
            ..Default::default()
        };
        let deadline = Instant::now() + SETTLED_WITHIN;
        loop {
            let answer = self.call(4, &request);
            match ErrorCode(answer.error_code) {
                ErrorCode::NONE => return (answer.producer_id, answer.producer_epoch),
                code => assert!(code.is_retriable() && Instant::now() < deadline, "{code}"),
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The bytes of the batches that came.
pub fn fetched_bytes(data: &PartitionData) -> Bytes {
    let records = data.records.as_ref();
    records.map(|r| r.to_bytes().expect("bytes, not files")).unwrap_or_default()
}
