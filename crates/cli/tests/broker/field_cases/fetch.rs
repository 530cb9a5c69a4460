//! What a fetch gives: whole batches, and never another topic's records.

use std::time::{Duration, Instant};

use highwater_testkit::batch::{self, CODECS, record};
use highwater_testkit::topics::fetched_bytes;
use highwater_testkit::{Topic, Wire, now_ms, unique};
use highwater_wire::ErrorCode;
use highwater_wire::messages::fetch_response::PartitionData;
use highwater_wire::messages::{FetchRequest, FetchResponse};

use crate::shared;

/// A fetch in the middle of a batch gives the whole stored batch, whatever its limit: clients
/// skip what they did not ask for. A batch that is cut or rebased is lost to them.
#[test]
fn batches_come_whole() {
    let broker = shared::broker();
    let mut wire = broker.connect();
    for codec in CODECS {
        let topic = wire.new_topic(1, &[]);
        let records: Vec<_> =
            (0..100).map(|_| record(Some("k"), Some("value"), now_ms())).collect();
        let sent = batch::compressed(codec, &records);
        assert_eq!(wire.must_produce(&topic, 0, &sent), 0);
        let stored = batch::forged(&sent, |header| header.partition_leader_epoch = 0);
        for version in [4, 11, 12, 18] {
            for offset in [1, 50, 99] {
                for limit in [1, 1 << 20] {
                    let mut request = topic.fetch(version, 0, offset);
                    request.topics[0].partitions[0].partition_max_bytes = limit;
                    let data = wire.fetch_as(version, &request);
                    assert_eq!(data.error_code, 0);
                    let what = format!("{codec:?}, version {version}, {offset}, {limit}");
                    assert_eq!(fetched_bytes(&data), stored, "{what}");
                }
            }
        }
    }
}

/// The answers of a session, by topic id.
struct Session {
    wire: Wire,
    id: i32,
    epoch: i32,
}

impl Session {
    fn open(wire: Wire, topics: &[&Topic]) -> Session {
        Session::begin(wire, topics).0
    }

    /// A new session, and its first answer.
    fn begin(mut wire: Wire, topics: &[&Topic]) -> (Session, FetchResponse) {
        let topics = topics.iter().map(|topic| topic.fetch_topic(13, 0, 0));
        let request = FetchRequest { topics: topics.collect(), ..request(0, 0) };
        let answer = wire.call(13, &request);
        assert_eq!(answer.error_code, 0);
        assert_ne!(answer.session_id, 0);
        (Session { wire, id: answer.session_id, epoch: 0 }, answer)
    }

    fn next(&mut self) -> FetchResponse {
        self.epoch += 1;
        self.wire.call(13, &request(self.id, self.epoch))
    }
}

/// Waits three seconds for a byte.
fn request(session_id: i32, session_epoch: i32) -> FetchRequest {
    FetchRequest {
        max_wait_ms: 3_000,
        min_bytes: if session_epoch == 0 { 0 } else { 1 },
        max_bytes: 1 << 20,
        session_id,
        session_epoch,
        ..Default::default()
    }
}

fn of<'a>(answer: &'a FetchResponse, topic: &Topic) -> Option<&'a PartitionData> {
    let found = answer.responses.iter().find(|response| response.topic_id == topic.id);
    found.map(|response| &response.partitions[0])
}

/// A session that outlives its topic: the old id is an error in every answer, even when a new
/// topic has the name, and the session's other topics flow on.
#[test]
fn a_session_over_a_topic_that_is_created_anew() {
    let broker = shared::broker();
    let mut wire = broker.connect();
    let name = unique("renewed");
    let (old, other) = (wire.create_topic(&name, 1, &[]), wire.new_topic(1, &[]));
    wire.must_produce(&old, 0, &batch::one(now_ms()));
    let mut session = Session::open(broker.connect(), &[&old, &other]);

    wire.delete_topic(&old);
    wait_until_gone(&mut wire, &name);
    // Before anything has the name again, too.
    for _ in 0..2 {
        check_gone(&session.next(), &old, ErrorCode::UNKNOWN_TOPIC_OR_PARTITION);
    }
    let new = wire.create_topic(&name, 1, &[]);
    for topic in [&new, &other] {
        wire.must_produce(topic, 0, &batch::one(now_ms()));
    }
    let first = session.next();
    assert_eq!(of(&first, &other).map(|data| data.high_watermark), Some(1));
    for answer in [first, session.next(), session.next()] {
        check_gone(&answer, &old, ErrorCode::INCONSISTENT_TOPIC_ID);
        assert!(of(&answer, &new).is_none());
    }
    // An error does not wait for bytes.
    let begun = Instant::now();
    session.next();
    assert!(begun.elapsed() < Duration::from_secs(2));

    let (_, answer) = Session::begin(broker.connect(), &[&new, &other]);
    for topic in [&new, &other] {
        let data = of(&answer, topic).expect("in the answer");
        assert_eq!((data.error_code, data.high_watermark), (0, 1));
        assert_eq!(batch::records(&fetched_bytes(data)).len(), 1);
    }
}

/// The topic of a session was deleted: its error comes with each answer, and nothing else.
/// Clients ask for fresh metadata after any of its codes.
#[track_caller]
fn check_gone(answer: &FetchResponse, topic: &Topic, expected: ErrorCode) {
    let data = of(answer, topic).expect("the error comes each time");
    assert_eq!(ErrorCode(data.error_code), expected);
    assert!(fetched_bytes(data).is_empty());
}

/// A session that began with ids cannot go on with names, nor the other way round.
#[test]
fn a_session_keeps_to_ids_or_names() {
    let broker = shared::broker();
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[]);
    let mut session = Session::open(broker.connect(), &[&topic]);
    let by_name =
        FetchRequest { topics: vec![topic.fetch_topic(12, 0, 0)], ..request(session.id, 1) };
    let answer = session.wire.call(12, &by_name);
    assert_eq!(ErrorCode(answer.error_code), ErrorCode::FETCH_SESSION_TOPIC_ID_ERROR);
}

/// Kafka's broker lets go of a topic some moments after the deletion was answered.
fn wait_until_gone(wire: &mut Wire, name: &str) {
    while wire.describe_topic(name).error_code == 0 {
        std::thread::sleep(Duration::from_millis(20));
    }
}
