//! The producer against a broker that loses connections, answers late, refuses and forgets, with
//! Kafka's rules for sequences: whatever is acknowledged is in the log once and in order.

mod fake;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fake::{FakeBroker, ready, reply, versions};
use highwater_client::{
    Backoff, Client, ClientOptions, Delivery, Producer, ProducerOptions, ProducerRecord,
};
use highwater_net::{Reply, Stage};
use highwater_records::{BatchView, Scratch};
use highwater_types::{Entropy, SplitMix};
use highwater_wire::header::RequestHeader;
use highwater_wire::messages::metadata_response::{
    MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic,
};
use highwater_wire::messages::produce_response::{PartitionProduceResponse, TopicProduceResponse};
use highwater_wire::messages::{
    InitProducerIdResponse, MetadataResponse, ProduceRequest, ProduceResponse,
};
use highwater_wire::{ApiKey, ErrorCode, Message, Reader};

const PARTITIONS: i32 = 3;
const RECORDS: i32 = 600;
/// A value that no log takes.
const POISON: &str = "poison";

const APIS: &[(ApiKey, i16, i16)] = &[
    (ApiKey::API_VERSIONS, 0, 5),
    (ApiKey::METADATA, 0, 12),
    (ApiKey::INIT_PRODUCER_ID, 0, 5),
    (ApiKey::PRODUCE, 3, 11),
];

/// One partition's log, and of each producer its epoch and last batches.
#[derive(Default)]
struct Log {
    values: Vec<String>,
    producers: BTreeMap<i64, (i16, VecDeque<Taken>)>,
}

/// Base sequence, the next one, base offset.
type Taken = (i32, i32, i64);

struct Scene {
    port: u16,
    random: SplitMix,
    /// Of 100 requests so many meet with an accident.
    accidents: u64,
    last_producer_id: i64,
    logs: BTreeMap<i32, Log>,
}

impl Log {
    /// Kafka's rules: a known producer goes on where it was or begins a new epoch at 0, an unknown
    /// one begins anywhere.
    fn append(&mut self, bytes: &[u8]) -> Result<i64, ErrorCode> {
        let batch = BatchView::parse(bytes).unwrap();
        batch.verify_crc().unwrap();
        let header = *batch.header();
        let values = values(&batch);
        if values.iter().any(|value| value == POISON) {
            return Err(ErrorCode::MESSAGE_TOO_LARGE);
        }
        let base_offset = self.values.len() as i64;
        let next = header.base_sequence + header.record_count;
        let (epoch, recent) = self
            .producers
            .entry(header.producer_id)
            .or_insert_with(|| (header.producer_epoch, VecDeque::new()));
        if header.producer_epoch < *epoch {
            return Err(ErrorCode::INVALID_PRODUCER_EPOCH);
        }
        if header.producer_epoch > *epoch {
            if header.base_sequence != 0 {
                return Err(ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER);
            }
            *epoch = header.producer_epoch;
            recent.clear();
        }
        if let Some(known) = recent.iter().find(|known| known.0 == header.base_sequence) {
            assert_eq!(known.1, next, "a batch was repeated with other records");
            return Ok(known.2);
        }
        if recent.back().is_some_and(|last| last.1 != header.base_sequence) {
            return Err(ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER);
        }
        recent.push_back((header.base_sequence, next, base_offset));
        if recent.len() > 5 {
            recent.pop_front();
        }
        self.values.extend(values);
        Ok(base_offset)
    }
}

fn values(batch: &BatchView<'_>) -> Vec<String> {
    let mut scratch = Scratch::new();
    let records = batch.records(&mut scratch).unwrap();
    let text = |value: &[u8]| std::str::from_utf8(value).unwrap().to_owned();
    records.map(|record| text(record.unwrap().value.unwrap())).collect()
}

impl Scene {
    fn roll(&mut self, of: u64) -> u64 {
        self.random.next_u64() % of
    }

    fn produce(&mut self, header: &RequestHeader, request: &ProduceRequest) -> Stage {
        let is_accident = self.roll(100) < self.accidents;
        let accident = if is_accident { self.roll(5) } else { 5 };
        if accident == 0 {
            return Stage::Close("lost before it was written");
        }
        let mut responses = Vec::new();
        for topic in &request.topic_data {
            let mut partition_responses = Vec::new();
            for partition in &topic.partition_data {
                let bytes = partition.records.as_ref().unwrap().to_bytes().unwrap();
                let log = self.logs.entry(partition.index).or_default();
                let mut answer =
                    PartitionProduceResponse { index: partition.index, ..Default::default() };
                let result = match accident {
                    1 => Err(ErrorCode::NOT_LEADER_OR_FOLLOWER),
                    2 => log.append(&bytes).and(Err(ErrorCode::REQUEST_TIMED_OUT)),
                    _ => log.append(&bytes),
                };
                match result {
                    Ok(base_offset) => answer.base_offset = base_offset,
                    Err(code) => answer.error_code = code.0,
                }
                partition_responses.push(answer);
            }
            let name = topic.name.clone();
            responses.push(TopicProduceResponse {
                name,
                partition_responses,
                ..Default::default()
            });
        }
        let answer = ProduceResponse { responses, ..Default::default() };
        match accident {
            3 => Stage::Close("lost after it was written"),
            4 => {
                let reply = reply(header, &answer);
                let pause = Duration::from_millis(self.roll(20));
                Stage::Pending(Box::pin(async move {
                    tokio::time::sleep(pause).await;
                    reply
                }))
            }
            _ => ready(header, &answer),
        }
    }

    fn metadata(&self) -> MetadataResponse {
        let partition = |index| MetadataResponsePartition {
            partition_index: index,
            leader_id: 1,
            ..Default::default()
        };
        let topic = MetadataResponseTopic {
            name: Some("t".into()),
            partitions: (0..PARTITIONS).map(partition).collect(),
            ..Default::default()
        };
        let broker = MetadataResponseBroker {
            node_id: 1,
            host: "127.0.0.1".into(),
            port: self.port.into(),
            ..Default::default()
        };
        MetadataResponse { brokers: vec![broker], topics: vec![topic], ..Default::default() }
    }

    fn answer(&mut self, header: RequestHeader, mut body: Reader) -> Stage {
        match header.api_key {
            ApiKey::API_VERSIONS => versions(&header, APIS),
            ApiKey::METADATA => ready(&header, &self.metadata()),
            ApiKey::INIT_PRODUCER_ID => {
                self.last_producer_id += 1;
                let producer_id = self.last_producer_id;
                ready(&header, &InitProducerIdResponse { producer_id, ..Default::default() })
            }
            ApiKey::PRODUCE => {
                let request = ProduceRequest::decode(&mut body, header.api_version).unwrap();
                self.produce(&header, &request)
            }
            _ => Stage::Ready(Reply::Close("not in this scene")),
        }
    }
}

fn scene(seed: u64, accidents: u64) -> (Arc<Mutex<Scene>>, FakeBroker) {
    let scene = Arc::new(Mutex::new(Scene {
        port: 0,
        random: SplitMix::new(seed),
        accidents,
        last_producer_id: 0,
        logs: BTreeMap::new(),
    }));
    let shared = scene.clone();
    let broker = FakeBroker::start(move |header, body| shared.lock().unwrap().answer(header, body));
    scene.lock().unwrap().port = broker.address.port();
    (scene, broker)
}

async fn check_chaos(seed: u64, accidents: u64, poison_every: i32) {
    let (scene, broker) = scene(seed, accidents);
    let backoff = Backoff { first: Duration::from_millis(1), max: Duration::from_millis(5) };
    let options = ClientOptions { backoff, ..ClientOptions::at(&broker.address()) };
    let client = Client::connect(options).await.unwrap();
    let options = ProducerOptions {
        batch_bytes: 200,
        linger: Duration::ZERO,
        backoff,
        ..ProducerOptions::default()
    };
    let producer = Producer::new(client, options).await.unwrap();
    let mut sent: BTreeMap<i32, Vec<(String, Delivery)>> = BTreeMap::new();
    for number in 0..RECORDS {
        let partition = number % PARTITIONS;
        let is_poison = poison_every > 0 && number % poison_every == 7;
        let value = if is_poison { POISON.to_owned() } else { number.to_string() };
        let record = ProducerRecord::new("t", value.clone()).with_partition(partition);
        let delivery = producer.send(record).await.unwrap();
        sent.entry(partition).or_default().push((value, delivery));
        if number % 50 == 49 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    let flushed = tokio::time::timeout(Duration::from_secs(60), producer.flush()).await.unwrap();
    assert!(flushed.is_ok() || poison_every > 0, "{flushed:?}");
    let scene = scene.lock().unwrap();
    for (partition, sent) in sent {
        let mut delivered = Vec::new();
        for (value, delivery) in &sent {
            match delivery.result().unwrap() {
                Ok(at) => delivered.push((value.clone(), at.offset.unwrap().get())),
                Err(error) => assert_eq!(error.code(), Some(ErrorCode::MESSAGE_TOO_LARGE)),
            }
        }
        let values: Vec<_> = delivered.iter().map(|(value, _)| value.clone()).collect();
        check_same(&scene.logs[&partition].values, &values, seed);
        let offsets: Vec<i64> = delivered.iter().map(|(_, offset)| *offset).collect();
        assert_eq!(offsets, (0..values.len() as i64).collect::<Vec<_>>(), "seed {seed}");
    }
}

fn check_same(log: &[String], delivered: &[String], seed: u64) {
    let differs = (0..log.len().max(delivered.len())).find(|i| log.get(*i) != delivered.get(*i));
    if let Some(at) = differs {
        let (log, delivered) = [log, delivered]
            .map(|values| values.iter().skip(at.saturating_sub(3)).take(9).collect::<Vec<_>>())
            .into();
        panic!("seed {seed}, at {at}: the log has {log:?}, delivered are {delivered:?}");
    }
}

#[tokio::test]
async fn without_accidents() {
    check_chaos(0, 0, 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_accidents_every_record_is_there_once_and_in_order() {
    for seed in 1..=10 {
        check_chaos(seed, 30, 0).await;
    }
}

#[tokio::test]
async fn records_that_nobody_takes_do_not_harm_the_others() {
    for seed in 11..=20 {
        check_chaos(seed, 20, 101).await;
    }
}
