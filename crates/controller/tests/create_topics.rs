//! What CreateTopics answers, case by case as Kafka 4.4.0 does.

mod support;

use highwater_wire::ErrorCode;
use highwater_wire::messages::create_topics_request::CreatableTopic;
use support::{Cluster, assigned, topic, with_config};

fn check(topic: CreatableTopic, code: ErrorCode, says: &str) {
    let mut cluster = Cluster::single();
    cluster.created(self::topic("taken", 2, 1));
    cluster.created(self::topic("a.b", 1, 1));
    let before = cluster.image().clone();
    let name = topic.name.clone();
    let shown = format!("{topic:?}");
    let reply = cluster.create(vec![topic], true);
    let result = &reply.topics[0];
    let message = result.error_message.as_deref().unwrap_or_default();
    assert_eq!(result.error_code, code.0, "{shown}: {message}");
    assert!(message.contains(says), "{shown}: {message:?} does not say {says:?}");
    assert_eq!(code == ErrorCode::NONE, result.error_message.is_none());
    assert_eq!(result.name, name);
    assert!(before == *cluster.image(), "validating only changed something");
}

#[test]
fn names() {
    use ErrorCode as E;
    check(topic("fresh", 2, 1), E::NONE, "");
    check(topic("taken", 2, 1), E::TOPIC_ALREADY_EXISTS, "taken");
    check(topic("", 1, 1), E::INVALID_TOPIC_EXCEPTION, "empty");
    check(topic(".", 1, 1), E::INVALID_TOPIC_EXCEPTION, "'.'");
    check(topic("..", 1, 1), E::INVALID_TOPIC_EXCEPTION, "'..'");
    check(topic("a b", 1, 1), E::INVALID_TOPIC_EXCEPTION, "'a b' contains ' '");
    check(topic("a/b", 1, 1), E::INVALID_TOPIC_EXCEPTION, "'/'");
    check(topic("é", 1, 1), E::INVALID_TOPIC_EXCEPTION, "'é'");
    check(topic(&"x".repeat(250), 1, 1), E::INVALID_TOPIC_EXCEPTION, "249");
    check(topic(&"x".repeat(249), 1, 1), E::NONE, "");
    check(topic("a_b", 1, 1), E::INVALID_TOPIC_EXCEPTION, "a.b");
    check(topic("__share_group_state_x", 1, 1), E::NONE, "");
    check(topic("__consumer_offsets", 1, 1), E::NONE, "");
    check(topic("__cluster_metadata", 1, 1), E::INVALID_REQUEST, "metadata");
}

#[test]
fn partitions_and_replicas() {
    use ErrorCode as E;
    check(topic("n", 0, 1), E::INVALID_PARTITIONS, "above 0");
    check(topic("n", -2, 1), E::INVALID_PARTITIONS, "above 0");
    check(topic("n", -1, -1), E::NONE, "");
    check(topic("n", 9_999, 1), E::NONE, "");
    check(topic("n", 10_000, 1), E::POLICY_VIOLATION, "10000");
    check(topic("n", 10_001, 1), E::POLICY_VIOLATION, "10001");
    check(topic("n", i32::MAX, 1), E::POLICY_VIOLATION, "2147483647");
    check(topic("n", 1, 0), E::INVALID_REPLICATION_FACTOR, "above 0");
    check(topic("n", 1, -2), E::INVALID_REPLICATION_FACTOR, "above 0");
    check(topic("n", 1, 2), E::INVALID_REPLICATION_FACTOR, "only 1 broker");
    check(topic("n", -1, 2), E::INVALID_REPLICATION_FACTOR, "only 1 broker");
}

#[test]
fn assignments() {
    use ErrorCode as E;
    let refused = E::INVALID_REPLICA_ASSIGNMENT;
    check(assigned("n", &[(0, &[1]), (1, &[1])]), E::NONE, "");
    check(assigned("n", &[(0, &[1, 1])]), refused, "broker 1 more than once");
    check(assigned("n", &[(0, &[77])]), refused, "broker 77");
    check(assigned("n", &[(0, &[-1])]), refused, "broker -1");
    check(assigned("n", &[(0, &[1]), (2, &[1])]), refused, "without a hole");
    check(assigned("n", &[(0, &[])]), refused, "no replica");
    check(assigned("n", &[(0, &[1]), (1, &[])]), refused, "no replica");
    check(assigned("n", &[(0, &[1]), (0, &[1])]), refused, "more than once");
    let both = |partitions, factor| CreatableTopic {
        num_partitions: partitions,
        replication_factor: factor,
        ..assigned("n", &[(0, &[1])])
    };
    check(both(3, 1), E::INVALID_REQUEST, "replication factor");
    check(both(1, -1), E::INVALID_REQUEST, "number of partitions");
}

#[test]
fn settings() {
    let cases = [
        ("no.such.key", "1", false),
        ("log.retention.ms", "1", false),
        ("retention.ms", "abc", false),
        ("retention.ms", "-2", false),
        ("cleanup.policy", "shred", false),
        ("cleanup.policy", "compact,delete", true),
        ("cleanup.policy", "", true),
        ("min.insync.replicas", "0", false),
        ("segment.bytes", "1", false),
        ("segment.bytes", "1048575", false),
        ("segment.bytes", "1048576", true),
        ("compression.type", "brotli", false),
        ("message.timestamp.type", "Never", false),
        ("max.message.bytes", "-1", false),
        ("min.cleanable.dirty.ratio", "1.5", false),
        ("compression.gzip.level", "11", false),
        ("compression.zstd.level", "23", false),
        ("unclean.leader.election.enable", "maybe", false),
        ("message.format.version", "3.0", false),
        ("remote.storage.enable", "true", false),
        ("max.compaction.lag.ms", "0", false),
        ("segment.ms", "0", false),
        ("local.retention.ms", "10", true),
        ("index.interval.bytes", "-1", false),
    ];
    for (name, value, accepted) in cases {
        let with = with_config(topic("n", 1, 1), name, Some(value));
        let (code, says) = match accepted {
            true => (ErrorCode::NONE, ""),
            false => (ErrorCode::INVALID_CONFIG, name),
        };
        check(with, code, says);
    }
    let absent = with_config(topic("n", 1, 1), "retention.ms", None);
    check(absent, ErrorCode::INVALID_CONFIG, "retention.ms");
}

#[test]
fn several_at_once() {
    let mut cluster = Cluster::single();
    let codes = |cluster: &mut Cluster, topics: Vec<CreatableTopic>| {
        let reply = cluster.create(topics, true);
        reply.topics.iter().map(|t| (t.name.to_string(), t.error_code)).collect::<Vec<_>>()
    };
    let (none, bad) = (ErrorCode::NONE.0, ErrorCode::INVALID_REQUEST.0);
    let twice = vec![topic("x1", 1, 1), topic("x1", 1, 1), topic("x2", 1, 1)];
    assert_eq!(codes(&mut cluster, twice), [("x2".into(), none), ("x1".into(), bad)]);
    // Names that collide with each other, not with a topic that exists.
    let alike = vec![topic("x.y", 1, 1), topic("x_y", 1, 1)];
    assert_eq!(codes(&mut cluster, alike), [("x.y".into(), none), ("x_y".into(), none)]);
    let many = vec![topic("x1", 6_000, 1), topic("x2", 6_000, 1)];
    let policy = ErrorCode::POLICY_VIOLATION.0;
    assert_eq!(codes(&mut cluster, many), [("x1".into(), policy), ("x2".into(), policy)]);
}

#[test]
fn created_topics_are_in_the_image() {
    let mut cluster = Cluster::of(3, "num.partitions=4\ndefault.replication.factor=2\n");
    let reply =
        cluster.create(vec![with_config(topic("t", -1, -1), "retention.ms", Some("5"))], false);
    let result = &reply.topics[0];
    assert_eq!((result.num_partitions, result.replication_factor), (4, 2));
    let image = cluster.image();
    let held = image.topic("t").unwrap();
    assert_eq!(held.id.0, result.topic_id);
    assert_eq!(held.partitions.len(), 4);
    for partition in held.partitions.values() {
        assert_eq!(partition.replicas.len(), 2);
        assert_eq!(partition.isr, partition.replicas);
        assert_eq!(partition.leader, partition.replicas[0]);
        assert_eq!((partition.leader_epoch.get(), partition.partition_epoch), (0, 0));
        assert!(partition.directories.iter().all(|dir| !dir.is_zero()));
    }
    let kind = highwater_controller::ResourceKind::Topic;
    assert_eq!(image.configs.value(kind, "t", "retention.ms"), Some("5"));
}
