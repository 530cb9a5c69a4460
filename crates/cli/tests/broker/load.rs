//! Many producers at once, each with requests in flight, on few partitions.

use std::collections::BTreeSet;
use std::thread;

use highwater_testkit::{BrokerProcess, Topic, batch, now_ms};

const PARTITIONS: i32 = 2;
const PRODUCERS: i32 = 6;
const ROUNDS: i64 = 40;
const IN_FLIGHT: usize = 10;
const RECORD_BYTES: usize = 50_000;

/// Acknowledged by all in-sync replicas: each record once, offsets without a gap, and whatever is
/// acknowledged is readable at once.
#[test]
fn acknowledged_records_are_there_once_and_readable() {
    let broker = crate::shared::broker();
    let topic = broker.connect().new_topic(PARTITIONS, &[]);
    let all: Vec<(i32, i64)> = thread::scope(|scope| {
        let (broker, topic) = (&*broker, &topic);
        let producers: Vec<_> = (0..PRODUCERS)
            .map(|number| scope.spawn(move || produce(broker, topic, number)))
            .collect();
        producers.into_iter().flat_map(|producer| producer.join().unwrap()).collect()
    });
    let sent = i64::from(PRODUCERS) * ROUNDS * IN_FLIGHT as i64;
    assert_eq!(all.len() as i64, sent);
    assert_eq!(BTreeSet::from_iter(&all).len() as i64, sent, "an offset was given twice");
    let mut wire = broker.connect();
    for partition in 0..PARTITIONS {
        let here = all.iter().filter(|(at, _)| *at == partition).count() as i64;
        assert_eq!(wire.offsets(&topic, partition), (0, here));
        assert_eq!(wire.read_all(&topic, partition, 0).len() as i64, here);
    }
}

/// Where each record landed.
fn produce(broker: &BrokerProcess, topic: &Topic, number: i32) -> Vec<(i32, i64)> {
    let mut wire = broker.connect();
    // Large, so that a flush begins while the next is being appended.
    let record = batch::of_size(RECORD_BYTES, now_ms());
    let mut landed = Vec::new();
    for round in 0..ROUNDS {
        let partition = (number + round as i32) % PARTITIONS;
        let request = topic.produce(12, partition, Some(record.clone()));
        let sent: Vec<_> = (0..IN_FLIGHT).map(|_| wire.send(12, &request)).collect();
        for sent in sent {
            let answer = wire.receive(sent).responses.remove(0).partition_responses.remove(0);
            assert_eq!(answer.error_code, 0);
            landed.push((partition, answer.base_offset));
        }
        let (_, last) = *landed.last().expect("sent");
        assert!(wire.offsets(topic, partition).1 > last, "acknowledged and not readable");
    }
    landed
}
