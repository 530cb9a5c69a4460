//! Changes of settings: what Kafka 4.4.0 accepts and refuses, and with which error.

use highwater_config::{
    Edit, Layers, Op, Overrides, Refusal, StaticConfig, Target, decide_edits, decide_logger_edits,
    decide_new_topic, decide_replacement,
};

const CONFIG: Option<Refusal> = Some(Refusal::InvalidConfig);
const REQUEST: Option<Refusal> = Some(Refusal::InvalidRequest);
const ACCEPTED: Option<Refusal> = None;

fn map(pairs: &[(&str, &str)]) -> Overrides {
    pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
}

fn with_layers<T>(act: impl FnOnce(&Layers<'_>) -> T) -> T {
    let (none, fixed) = (Overrides::new(), StaticConfig::default());
    act(&Layers { broker: &none, cluster: &none, fixed: &fixed })
}

/// The message names the setting and says what is accepted (`says`).
#[track_caller]
fn check_new_topic(name: &str, value: &str, want: Option<Refusal>, says: &str) {
    let result = with_layers(|layers| decide_new_topic(&[(name, Some(value))], layers));
    let got = result.as_ref().err();
    assert_eq!(got.map(|e| e.refusal), want, "{name}={value}: {got:?}");
    let message = got.map(|e| e.message.clone()).unwrap_or_default();
    assert!(message.contains(says), "{message}");
    assert!(want.is_none() || message.contains(name), "{message}");
}

#[test]
fn settings_of_a_new_topic() {
    check_new_topic("no.such.key", "1", CONFIG, "unknown");
    check_new_topic("retention.ms", "abc", CONFIG, "whole number");
    check_new_topic("retention.ms", "-2", CONFIG, "the least is -1");
    check_new_topic("cleanup.policy", "shred", CONFIG, "compact, delete");
    check_new_topic("cleanup.policy", "compact,delete", ACCEPTED, "");
    check_new_topic("cleanup.policy", "", ACCEPTED, "");
    check_new_topic("cleanup.policy", "delete,delete", CONFIG, "twice");
    check_new_topic("min.insync.replicas", "0", CONFIG, "the least is 1");
    check_new_topic("segment.bytes", "1", CONFIG, "the least is 1048576");
    check_new_topic("segment.bytes", "1048575", CONFIG, "the least is 1048576");
    check_new_topic("segment.bytes", "1048576", ACCEPTED, "");
    check_new_topic("compression.type", "brotli", CONFIG, "zstd");
    check_new_topic("compression.type", "snapy", CONFIG, "did you mean snappy?");
    check_new_topic("message.timestamp.type", "Never", CONFIG, "LogAppendTime");
    check_new_topic("max.message.bytes", "-1", CONFIG, "the least is 0");
    check_new_topic("min.cleanable.dirty.ratio", "1.5", CONFIG, "0 to 1");
    check_new_topic("compression.gzip.level", "11", CONFIG, "1 to 9, and -1");
    check_new_topic("compression.gzip.level", "-1", ACCEPTED, "");
    check_new_topic("compression.zstd.level", "23", CONFIG, "to 22");
    check_new_topic("unclean.leader.election.enable", "maybe", CONFIG, "true or false");
    check_new_topic("message.format.version", "3.0", CONFIG, "unknown");
    check_new_topic("remote.storage.enable", "true", CONFIG, "tiered storage");
    check_new_topic("max.compaction.lag.ms", "0", CONFIG, "the least is 1");
    check_new_topic("segment.ms", "0", CONFIG, "the least is 1");
    check_new_topic("local.retention.ms", "10", ACCEPTED, "");
    check_new_topic("index.interval.bytes", "-1", CONFIG, "the least is 0");
    check_new_topic("acks.all.flush", "allways", CONFIG, "did you mean always?");
    check_new_topic("follower.replication.throttled.replicas", "0:1,1:2", ACCEPTED, "");
    check_new_topic("follower.replication.throttled.replicas", "*", ACCEPTED, "");
    check_new_topic("follower.replication.throttled.replicas", "0-1", CONFIG, "0:1");
}

#[test]
fn a_new_topic_takes_the_later_of_two_and_no_null() {
    with_layers(|layers| {
        let twice = [("segment.ms", Some("1")), ("segment.ms", Some("2"))];
        assert_eq!(decide_new_topic(&twice, layers).unwrap(), map(&[("segment.ms", "2")]));
        let error = decide_new_topic(&[("segment.ms", None)], layers).unwrap_err();
        assert_eq!(error.refusal, Refusal::InvalidConfig);
        let lags = [("min.compaction.lag.ms", Some("5")), ("max.compaction.lag.ms", Some("4"))];
        let error = decide_new_topic(&lags, layers).unwrap_err();
        assert!(error.message.contains("max.compaction.lag.ms"), "{error}");
    });
}

fn set<'a>(name: &'a str, value: &'a str) -> Edit<'a> {
    Edit { name, op: Op::Set, value: Some(value) }
}

fn edit<'a>(name: &'a str, op: Op, value: &'a str) -> Edit<'a> {
    Edit { name, op, value: Some(value) }
}

#[track_caller]
fn check_edits(target: Target, edits: &[Edit<'_>], want: Option<Refusal>) {
    let result = with_layers(|layers| decide_edits(target, &Overrides::new(), edits, layers));
    assert_eq!(result.as_ref().err().map(|e| e.refusal), want, "{edits:?}: {result:?}");
}

#[test]
fn edits_of_a_topic() {
    let check = |edits: &[Edit<'_>], want| check_edits(Target::Topic, edits, want);
    check(&[set("retention.ms", "ten")], CONFIG);
    check(&[set("no.such", "1")], CONFIG);
    check(&[set("retention.ms", "1"), set("retention.ms", "2")], REQUEST);
    check(&[Edit { name: "retention.ms", op: Op::Set, value: None }], REQUEST);
    check(&[edit("retention.ms", Op::Append, "1")], CONFIG);
    check(&[edit("no.such", Op::Append, "1")], CONFIG);
    check(&[edit("cleanup.policy", Op::Append, "compact")], ACCEPTED);
    check(&[edit("cleanup.policy", Op::Append, "shred")], CONFIG);
    check(&[edit("cleanup.policy", Op::Subtract, "delete")], ACCEPTED);
    check(&[Edit { name: "retention.ms", op: Op::Delete, value: None }], ACCEPTED);
    let long = "0:1,".repeat(10_000);
    check(&[set("leader.replication.throttled.replicas", &long)], CONFIG);
}

#[test]
fn edits_of_brokers() {
    let one = |edits: &[Edit<'_>], want| check_edits(Target::Broker, edits, want);
    one(&[set("log.dirs", "/x")], REQUEST);
    one(&[set("node.id", "5")], REQUEST);
    one(&[set("num.io.threads", "0")], REQUEST);
    one(&[set("num.io.threads", "4")], ACCEPTED);
    one(&[set("num.io.threads", "3")], REQUEST);
    one(&[set("num.io.threads", "16")], ACCEPTED);
    one(&[set("num.io.threads", "17")], REQUEST);
    one(&[set("no.such", "1")], ACCEPTED);
    one(&[set("min.insync.replicas", "2")], CONFIG);
    one(&[edit("num.io.threads", Op::Append, "1")], REQUEST);
    one(&[set("ssl.keystore.location", "/k")], REQUEST);
    one(&[set("listener.name.plaintext.ssl.keystore.location", "/k")], ACCEPTED);
    one(&[set("listener.name.plaintext.max.connections", "x")], REQUEST);
    one(&[set("log.cleaner.threads", "200")], REQUEST);
    one(&[set("listeners", "PLAINTEXT://127.0.0.1:9092,PLAINTEXT://127.0.0.1:9093")], REQUEST);
    one(&[set("leader.replication.throttled.rate", "1000")], ACCEPTED);
    one(&[set("log.retention.ms", "0")], REQUEST);

    let all = |edits: &[Edit<'_>], want| check_edits(Target::AllBrokers, edits, want);
    all(&[set("listeners", "PLAINTEXT://:1")], REQUEST);
    all(&[set("min.insync.replicas", "2")], ACCEPTED);
    all(&[Edit { name: "min.insync.replicas", op: Op::Delete, value: None }], CONFIG);
    all(&[set("listener.name.plaintext.max.connections", "5")], ACCEPTED);
    all(&[set("listener.name.plaintext.ssl.keystore.location", "/k")], REQUEST);
    all(&[set("acks.all.flush", "always")], ACCEPTED);
}

#[test]
fn edits_of_groups() {
    let check = |edits: &[Edit<'_>], want| check_edits(Target::Group, edits, want);
    let (session, heartbeat) = ("consumer.session.timeout.ms", "consumer.heartbeat.interval.ms");
    check(&[set("no.such", "1")], CONFIG);
    check(&[set(session, "1")], CONFIG);
    check(&[set(heartbeat, "15000"), set(session, "14000")], CONFIG);
    check(&[set(heartbeat, "15000"), set(session, "45000")], ACCEPTED);
    check(&[set("share.auto.offset.reset", "never")], CONFIG);
    check(&[set("share.auto.offset.reset", "by_duration:PT1H")], ACCEPTED);
    check(&[set("share.auto.offset.reset", "by_duration:-PT1H")], CONFIG);
    check(&[set("share.isolation.level", "read_all")], CONFIG);
    check(&[set("streams.num.standby.replicas", "3")], CONFIG);
    check(&[set("streams.task.offset.interval.ms", "14999")], CONFIG);
    check(&[set("streams.assignor.name", "magnetic")], CONFIG);
    check(&[set("streams.rack.aware.assignment.tags", "zone,zone")], CONFIG);
    check(&[set("errors.deadletterqueue.topic.name", "__dead")], CONFIG);
    check(&[set("errors.deadletterqueue.topic.name", "dead")], ACCEPTED);
}

#[test]
fn edits_of_client_metrics() {
    let check = |edits: &[Edit<'_>], want| check_edits(Target::ClientMetrics, edits, want);
    check(&[set("no.such", "1")], REQUEST);
    check(&[set("interval.ms", "5")], REQUEST);
    check(&[set("interval.ms", "x")], CONFIG);
    check(
        &[set("interval.ms", "100"), set("match", "client_id=a.*,client_source_port=1")],
        ACCEPTED,
    );
    check(&[set("match", "colour=red")], CONFIG);
}

#[track_caller]
fn check_list(stored: Option<&str>, op: Op, value: &str, want: &str) {
    let stored = stored.map_or_else(Overrides::new, |v| map(&[("cleanup.policy", v)]));
    let edits = [edit("cleanup.policy", op, value)];
    let after = with_layers(|layers| decide_edits(Target::Topic, &stored, &edits, layers));
    assert_eq!(after.unwrap(), map(&[("cleanup.policy", want)]));
}

#[test]
fn lists_begin_at_the_default() {
    check_list(None, Op::Append, "compact", "delete,compact");
    check_list(None, Op::Append, "delete", "delete");
    check_list(None, Op::Subtract, "delete", "");
    check_list(Some("compact"), Op::Append, "delete,compact", "compact,delete");
    check_list(Some("compact,delete"), Op::Subtract, "compact", "delete");
    check_list(Some(""), Op::Append, "compact", "compact");
}

#[test]
fn a_replacement_drops_what_it_does_not_name() {
    with_layers(|layers| {
        let stored = map(&[("retention.ms", "5"), ("segment.ms", "6")]);
        let new = [("segment.ms", Some("7"))];
        let after = decide_replacement(Target::Topic, &stored, &new, layers);
        assert_eq!(after.unwrap(), map(&[("segment.ms", "7")]));
        let null = decide_replacement(Target::Topic, &stored, &[("segment.ms", None)], layers);
        assert_eq!(null.unwrap_err().refusal, Refusal::InvalidRequest);
        let cluster = map(&[("min.insync.replicas", "1")]);
        let none = decide_replacement(Target::AllBrokers, &cluster, &[], layers);
        assert_eq!(none.unwrap_err().refusal, Refusal::InvalidConfig);
    });
}

#[test]
fn unknown_operations_have_no_op() {
    assert_eq!(Op::from_code(3), Some(Op::Subtract));
    assert_eq!(Op::from_code(9), None);
}

#[track_caller]
fn check_logger(edits: &[Edit<'_>], want: Option<Refusal>) {
    let result = decide_logger_edits(&Overrides::new(), edits);
    assert_eq!(result.err().map(|e| e.refusal), want, "{edits:?}");
}

#[test]
fn edits_of_loggers() {
    check_logger(&[set("root", "DEBUG")], ACCEPTED);
    check_logger(&[set("root", "LOUD")], CONFIG);
    check_logger(&[set("highwater_lgo", "DEBUG")], CONFIG);
    check_logger(&[edit("root", Op::Append, "DEBUG")], REQUEST);
    check_logger(&[Edit { name: "root", op: Op::Delete, value: None }], CONFIG);
    check_logger(&[Edit { name: "highwater_net", op: Op::Delete, value: None }], ACCEPTED);
}
