//! What survives the broker's end: `kill -9`, and a stop that was asked for.
//!
//! Short: one end each. The long run under load is a compat case.

use std::thread;
use std::time::{Duration, Instant};

use highwater_testkit::batch::{self, plain, record};
use highwater_testkit::groups::simple_commit;
use highwater_testkit::topics::creation;
use highwater_testkit::{BrokerOptions, BrokerProcess, Topic, Wire, now_ms, unique};
use highwater_wire::ErrorCode;
use highwater_wire::messages::{CreateTopicsRequest, InitProducerIdRequest};

const DELETED: &str = "deleted";
const PRINTED_WITHIN: Duration = Duration::from_secs(10);

/// A broker of this test's own; `None` where somebody else runs the only one.
fn own_broker() -> Option<BrokerProcess> {
    let broker = BrokerProcess::start();
    broker.is_ours().then_some(broker)
}

/// Ends the broker in one of the two ways, and starts it again.
fn restart(broker: &mut BrokerProcess, is_clean: bool) {
    if is_clean {
        broker.terminate();
    } else {
        broker.kill();
    }
    broker.run();
}

/// Waits until the partition takes requests; Kafka needs a moment after its start.
fn settle(broker: &BrokerProcess, topic: &Topic) -> Wire {
    let mut wire = broker.connect();
    while wire.list_offset(topic, 0, -1).error_code != 0 {
        thread::sleep(Duration::from_millis(50));
    }
    wire
}

fn values(wire: &mut Wire, topic: &Topic) -> Vec<(i64, String)> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let records = wire.read_all(topic, 0, 0);
    records.iter().map(|r| (r.offset, text(r.value.as_deref().unwrap_or_default()))).collect()
}

fn check_acknowledged_records_survive(is_clean: bool) {
    let Some(mut broker) = own_broker() else { return };
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[]);
    let mut expected = Vec::new();
    for round in 0..3 {
        for number in 0..20 {
            let value = format!("{round}-{number}");
            let batch = plain(&[record(Some("k"), Some(&value), now_ms())]);
            expected.push((wire.must_produce(&topic, 0, &batch), value));
        }
        restart(&mut broker, is_clean);
        wire = settle(&broker, &topic);
        assert_eq!(values(&mut wire, &topic), expected, "round {round}");
    }
    assert_eq!(expected.last().map(|(offset, _)| *offset), Some(59));
}

#[test]
fn acknowledged_records_survive_a_kill() {
    check_acknowledged_records_survive(false);
}

#[test]
fn acknowledged_records_survive_a_stop() {
    check_acknowledged_records_survive(true);
}

fn check_groups_topics_and_settings_survive(is_clean: bool) {
    let Some(mut broker) = own_broker() else { return };
    let mut wire = broker.connect();
    wire.wait_for_coordinator("g");
    let topic = wire.create_topic("kept", 2, &[("retention.ms", "86400000")]);
    let gone = wire.create_topic(DELETED, 1, &[]);
    wire.must_produce(&gone, 0, &batch::one(now_ms()));
    wire.delete_topic(&gone);
    let described = wire.describe_topic("kept");
    for (group, offset) in [("g", 7), ("other", 9)] {
        let code = wire.commit(&simple_commit(group, &topic.name, 1, offset));
        assert_eq!(code, ErrorCode::NONE);
    }

    restart(&mut broker, is_clean);
    let mut wire = settle(&broker, &topic);
    wire.wait_for_coordinator("g");
    wire.wait_for_coordinator("other");
    assert_eq!(wire.committed("g", &topic, 1), 7);
    assert_eq!(wire.committed("other", &topic, 1), 9);
    assert_eq!(wire.committed("g", &topic, 0), -1);
    let after = wire.describe_topic("kept");
    assert_eq!(after.topic_id, described.topic_id);
    assert_eq!(after.partitions.len(), 2);
    let gone = wire.describe_topic(DELETED);
    assert_eq!(ErrorCode(gone.error_code), ErrorCode::UNKNOWN_TOPIC_OR_PARTITION);
    // The name is free, and nothing of the old topic comes back with it.
    let again = wire.create_topic(DELETED, 1, &[]);
    assert_eq!(wire.offsets(&again, 0), (0, 0));
}

#[test]
fn groups_and_topics_survive_a_kill() {
    check_groups_topics_and_settings_survive(false);
}

#[test]
fn groups_and_topics_survive_a_stop() {
    check_groups_topics_and_settings_survive(true);
}

/// What is answered is in force: no client has to try again.
#[test]
fn a_topic_takes_records_as_soon_as_it_is_created() {
    let broker = crate::shared::broker();
    if broker.is_kafka() {
        // Kafka answers NOT_LEADER_OR_FOLLOWER for some milliseconds.
        return;
    }
    for _ in 0..10 {
        let (mut first, mut second) = (broker.connect(), broker.connect());
        let name = unique("at-once");
        let topics = vec![creation(&name, 3, &[])];
        let request = CreateTopicsRequest { topics, timeout_ms: 10_000, ..Default::default() };
        let created = first.call(7, &request).topics.remove(0);
        assert_eq!(created.error_code, 0);
        let topic = Topic { name: name.as_str().into(), id: created.topic_id };
        // On another connection too.
        for partition in 0..3 {
            assert_eq!(second.must_produce(&topic, partition, &batch::one(now_ms())), 0);
        }
    }
}

#[test]
fn producer_ids_are_never_given_twice() {
    let Some(mut broker) = own_broker() else { return };
    let mut given = Vec::new();
    for is_clean in [false, true, false] {
        let mut wire = broker.connect();
        given.extend((0..5).map(|_| wire.new_producer().0));
        restart(&mut broker, is_clean);
    }
    let mut wire = broker.connect();
    given.extend((0..5).map(|_| wire.new_producer().0));
    let distinct = std::collections::BTreeSet::from_iter(&given);
    assert_eq!(distinct.len(), 20, "{given:?}");
}

/// A stop that was asked for takes the leader's epoch up twice: once when the partition loses its
/// leader, once when it finds one again. After a kill nobody had time for the first.
#[test]
fn the_leader_epoch_rises_with_each_start() {
    let Some(mut broker) = own_broker() else { return };
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[]);
    wire.must_produce(&topic, 0, &batch::one(now_ms()));
    assert_eq!(epoch(&mut wire, &topic), 0);

    restart(&mut broker, true);
    let mut wire = settle(&broker, &topic);
    assert_eq!(epoch(&mut wire, &topic), 2);
    wire.must_produce(&topic, 0, &batch::one(now_ms()));

    let stored = wire.fetch(&topic, 0, 0);
    let epochs = batch::headers(&highwater_testkit::topics::fetched_bytes(&stored));
    let epochs: Vec<_> = epochs.iter().map(|header| header.partition_leader_epoch).collect();
    assert_eq!(epochs, [0, 2]);
    assert_eq!(wire.list_offset(&topic, 0, -1).leader_epoch, 2);

    restart(&mut broker, false);
    let mut wire = settle(&broker, &topic);
    assert!(epoch(&mut wire, &topic) > 2);
}

fn epoch(wire: &mut Wire, topic: &Topic) -> i32 {
    wire.describe_topic(&topic.name).partitions[0].leader_epoch
}

/// A log whose records are missing is offline: told once, refused with a code that says so, and
/// deleted like any other. Its neighbours work.
#[test]
fn a_partition_that_lost_its_records_is_offline_alone() {
    let options = BrokerOptions::default().expect_alarm("HW0004");
    if options.target.is_kafka() {
        // Kafka would begin an empty log.
        return;
    }
    let mut broker = options.start();
    if !broker.is_ours() {
        return;
    }
    let mut wire = broker.connect();
    let topic = wire.new_topic(2, &[]);
    wire.must_produce(&topic, 0, &batch::one(now_ms()));
    wire.must_produce(&topic, 1, &batch::one(now_ms()));
    broker.terminate();
    let folder = broker.data_dir().join(format!("{}-0", topic.name));
    std::fs::remove_file(folder.join("00000000000000000000.log")).expect("a segment");
    for starts in 1..3 {
        broker.run();
        let mut wire = broker.connect();
        let refused = wire.produce(&topic, 0, &batch::one(now_ms()));
        assert_eq!(ErrorCode(refused.error_code), ErrorCode::KAFKA_STORAGE_ERROR);
        assert_eq!(wire.must_produce(&topic, 1, &batch::one(now_ms())), starts);
        let told = || broker.output().matches("the partition is offline").count() as i64;
        // What a process prints is read some moments later.
        let deadline = Instant::now() + PRINTED_WITHIN;
        while told() < starts && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(told(), starts, "{}", broker.output());
        if starts == 1 {
            broker.terminate();
        }
    }
    let mut wire = broker.connect();
    wire.delete_topic(&topic);
    assert!(!folder.exists());
    let again = wire.create_topic(&topic.name, 2, &[]);
    assert_eq!(wire.must_produce(&again, 0, &batch::one(now_ms())), 0);
    restart(&mut broker, true);
    assert_eq!(settle(&broker, &again).offsets(&again, 0), (0, 1));
}

/// A second broker must not write into the same folder.
#[test]
fn a_data_directory_has_one_broker() {
    let broker = crate::shared::broker();
    if broker.is_kafka() {
        return;
    }
    let status = std::process::Command::new(match broker.target() {
        highwater_testkit::Target::Highwater(binary) => binary,
        other => panic!("{other:?}"),
    })
    .args(["serve", "--listen", &format!("127.0.0.1:{}", highwater_testkit::free_port())])
    .arg("--data-dir")
    .arg(broker.data_dir())
    .output()
    .expect("it starts");
    assert!(!status.status.success());
    let said = String::from_utf8_lossy(&status.stderr).into_owned();
    assert!(said.contains("lock") || said.contains("in use"), "{said}");
}

#[test]
fn a_transactional_id_is_refused_while_transactions_are_not_served() {
    let broker = crate::shared::broker();
    if broker.is_kafka() {
        return;
    }
    let request = InitProducerIdRequest {
        transactional_id: Some("t".into()),
        transaction_timeout_ms: 60_000,
        ..Default::default()
    };
    let code = ErrorCode(broker.connect().call(4, &request).error_code);
    assert_ne!(code, ErrorCode::NONE);
    // A client that may try again would do so for ever.
    assert!(!code.is_retriable(), "{code}");
}

/// Started again and again with nothing to recover, the broker keeps its identity.
#[test]
fn the_cluster_keeps_its_id() {
    let mut broker = BrokerOptions::default().start();
    if !broker.is_ours() {
        return;
    }
    let id = |broker: &BrokerProcess| broker.connect().cluster_id();
    let first = id(&broker);
    for is_clean in [true, false] {
        restart(&mut broker, is_clean);
        assert_eq!(id(&broker), first);
    }
}
