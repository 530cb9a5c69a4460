//! What AlterConfigs and IncrementalAlterConfigs answer, case by case as Kafka 4.4.0 does.

mod support;

use highwater_controller::{ControllerReply, ControllerRequest, ResourceKind};
use highwater_types::BrokerId;
use highwater_wire::messages::{
    AlterConfigsRequest, IncrementalAlterConfigsRequest, alter_configs_request,
    incremental_alter_configs_request,
};
use highwater_wire::{ErrorCode, Str};
use support::{Cluster, topic, with_config};

const SET: i8 = 0;
const DELETE: i8 = 1;
const APPEND: i8 = 2;
const SUBTRACT: i8 = 3;

const TOPIC: i8 = 2;
const BROKER: i8 = 4;
const LOGGER: i8 = 8;
const METRICS: i8 = 16;
const GROUP: i8 = 32;

type Change<'a> = (&'a str, i8, Option<&'a str>);
type Resource<'a> = (i8, &'a str, &'a [Change<'a>]);

fn incremental(
    cluster: &mut Cluster,
    resources: &[Resource<'_>],
    validate_only: bool,
) -> Vec<(i16, String)> {
    use incremental_alter_configs_request::{AlterConfigsResource, AlterableConfig};
    let config = |(name, op, value): &Change<'_>| AlterableConfig {
        name: Str::from(*name),
        config_operation: *op,
        value: value.map(Str::from),
        ..AlterableConfig::default()
    };
    let resources = resources.iter().map(|(kind, name, changes)| AlterConfigsResource {
        resource_type: *kind,
        resource_name: Str::from(*name),
        configs: changes.iter().map(config).collect(),
        ..AlterConfigsResource::default()
    });
    let request = IncrementalAlterConfigsRequest {
        resources: resources.collect(),
        validate_only,
        ..IncrementalAlterConfigsRequest::default()
    };
    match cluster.ask(ControllerRequest::IncrementalAlterConfigs { request, receiver: BrokerId(1) })
    {
        ControllerReply::IncrementalAlterConfigs(reply) => {
            let parts = reply.responses.into_iter();
            parts
                .map(|r| (r.error_code, r.error_message.as_deref().unwrap_or_default().to_owned()))
                .collect()
        }
        other => panic!("{other:?}"),
    }
}

fn replace(cluster: &mut Cluster, resource: Resource<'_>, validate_only: bool) -> (i16, String) {
    use alter_configs_request::{AlterConfigsResource, AlterableConfig};
    let config = |(name, _, value): &Change<'_>| AlterableConfig {
        name: Str::from(*name),
        value: value.map(Str::from),
        ..AlterableConfig::default()
    };
    let request = AlterConfigsRequest {
        resources: vec![AlterConfigsResource {
            resource_type: resource.0,
            resource_name: Str::from(resource.1),
            configs: resource.2.iter().map(config).collect(),
            ..AlterConfigsResource::default()
        }],
        validate_only,
        ..AlterConfigsRequest::default()
    };
    match cluster.ask(ControllerRequest::AlterConfigs { request, receiver: BrokerId(1) }) {
        ControllerReply::AlterConfigs(reply) => {
            let r = &reply.responses[0];
            (r.error_code, r.error_message.as_deref().unwrap_or_default().to_owned())
        }
        other => panic!("{other:?}"),
    }
}

fn check(kind: i8, name: &str, changes: &[Change<'_>], code: ErrorCode, says: &str) {
    let mut cluster = Cluster::single();
    cluster.created(topic("t", 2, 1));
    let before = cluster.image().clone();
    let got = incremental(&mut cluster, &[(kind, name, changes)], true);
    let (got, message) = &got[0];
    assert_eq!(*got, code.0, "{kind} {name} {changes:?}: {message}");
    assert!(message.contains(says), "{kind} {name} {changes:?}: {message:?} lacks {says:?}");
    assert!(before == *cluster.image(), "validating only changed something");
}

#[test]
fn topics() {
    use ErrorCode as E;
    let is = |name, changes: &[Change<'_>], code, says| check(TOPIC, name, changes, code, says);
    is("t", &[("retention.ms", SET, Some("ten"))], E::INVALID_CONFIG, "retention.ms");
    is("t", &[("no.such", SET, Some("1"))], E::INVALID_CONFIG, "no.such");
    is("nope", &[("retention.ms", SET, Some("1"))], E::UNKNOWN_TOPIC_OR_PARTITION, "nope");
    is("", &[("retention.ms", SET, Some("1"))], E::INVALID_REQUEST, "no common default");
    is("a b", &[("retention.ms", SET, Some("1"))], E::INVALID_TOPIC_EXCEPTION, "a b");
    let twice = [("retention.ms", SET, Some("1")), ("retention.ms", SET, Some("2"))];
    is("t", &twice, E::INVALID_REQUEST, "retention.ms");
    is("t", &[("retention.ms", SET, None)], E::INVALID_REQUEST, "retention.ms");
    is("t", &[("cleanup.policy", SUBTRACT, None)], E::INVALID_REQUEST, "cleanup.policy");
    is("t", &[("cleanup.policy", DELETE, Some("x"))], E::NONE, "");
    is("t", &[("retention.ms", APPEND, Some("1"))], E::INVALID_CONFIG, "retention.ms");
    is("t", &[("zz", APPEND, Some("1"))], E::INVALID_CONFIG, "zz");
    is("t", &[("cleanup.policy", APPEND, Some("compact"))], E::NONE, "");
    is("t", &[("cleanup.policy", APPEND, Some("zzz"))], E::INVALID_CONFIG, "zzz");
    is("t", &[("cleanup.policy", SUBTRACT, Some("delete"))], E::NONE, "");
    is("t", &[("retention.ms", 9, Some("1"))], E::INVALID_REQUEST, "operation 9");
    is("t", &[], E::NONE, "");
    is("zz", &[], E::UNKNOWN_TOPIC_OR_PARTITION, "zz");
    let long = "x".repeat(40_000);
    is("t", &[("compression.type", SET, Some(&long))], E::INVALID_CONFIG, "32767");
}

#[test]
fn brokers() {
    use ErrorCode as E;
    let is = |name, key, value, code, says| {
        check(BROKER, name, &[(key, SET, Some(value))], code, says);
    };
    is("1", "num.io.threads", "9", E::NONE, "");
    is("", "num.io.threads", "7", E::NONE, "");
    is("1", "log.dirs", "/x", E::INVALID_REQUEST, "log.dirs");
    is("1", "node.id", "5", E::INVALID_REQUEST, "node.id");
    is("1", "num.io.threads", "0", E::INVALID_REQUEST, "num.io.threads");
    is("", "num.io.threads", "0", E::INVALID_REQUEST, "num.io.threads");
    is("1", "log.retention.ms", "abc", E::INVALID_REQUEST, "log.retention.ms");
    is("1", "background.threads", "100", E::INVALID_REQUEST, "double");
    is("1", "no.such", "1", E::NONE, "");
    is("99", "num.io.threads", "8", E::INVALID_REQUEST, "99");
    is("-1", "num.io.threads", "8", E::INVALID_REQUEST, "-1");
    is("abc", "num.io.threads", "8", E::INVALID_REQUEST, "abc");
    is("", "listeners", "PLAINTEXT://:1", E::INVALID_REQUEST, "listeners");
    is("", "min.insync.replicas", "2", E::NONE, "");
    is("1", "min.insync.replicas", "2", E::INVALID_CONFIG, "min.insync.replicas");
    let remove = [("min.insync.replicas", DELETE, None)];
    check(BROKER, "", &remove, E::INVALID_CONFIG, "not removed");
    let append = [("num.io.threads", APPEND, Some("1"))];
    check(BROKER, "1", &append, E::INVALID_CONFIG, "num.io.threads");
    check(BROKER, "1", &[("num.io.threads", 9, Some("1"))], E::INVALID_REQUEST, "operation 9");
}

#[test]
fn groups() {
    use ErrorCode as E;
    let is = |key, value, code, says| check(GROUP, "g", &[(key, SET, Some(value))], code, says);
    is("no.such", "1", E::INVALID_CONFIG, "no.such");
    is("consumer.session.timeout.ms", "1", E::INVALID_CONFIG, "45000");
    is("consumer.session.timeout.ms", "61000", E::INVALID_CONFIG, "60000");
    is("consumer.session.timeout.ms", "46000", E::NONE, "");
    is("consumer.session.timeout.ms", "abc", E::INVALID_CONFIG, "consumer.session.timeout.ms");
    is("consumer.heartbeat.interval.ms", "1", E::INVALID_CONFIG, "5000");
    is("consumer.assignment.interval.ms", "-1", E::INVALID_CONFIG, "consumer.assignment");
    is("share.auto.offset.reset", "never", E::INVALID_CONFIG, "share.auto.offset.reset");
    is("share.auto.offset.reset", "by_duration:PT1H", E::NONE, "");
    is("share.isolation.level", "read_all", E::INVALID_CONFIG, "read_committed");
    is("share.record.lock.duration.ms", "1", E::INVALID_CONFIG, "share.record.lock");
    is("share.heartbeat.interval.ms", "1", E::INVALID_CONFIG, "5000");
    is("share.session.timeout.ms", "1", E::INVALID_CONFIG, "45000");
    is("share.delivery.count.limit", "1", E::INVALID_CONFIG, "share.delivery.count.limit");
    is("share.partition.max.record.locks", "1", E::INVALID_CONFIG, "100");
    is("share.assignment.interval.ms", "999999", E::INVALID_CONFIG, "15000");
    is("streams.heartbeat.interval.ms", "1", E::INVALID_CONFIG, "5000");
    is("streams.session.timeout.ms", "1", E::INVALID_CONFIG, "45000");
    is("streams.num.standby.replicas", "99", E::INVALID_CONFIG, "2");
    is("streams.initial.rebalance.delay.ms", "-1", E::INVALID_CONFIG, "streams.initial");
    is("streams.task.offset.interval.ms", "1", E::INVALID_CONFIG, "streams.task.offset");
    let both = [
        ("consumer.heartbeat.interval.ms", SET, Some("15000")),
        ("consumer.session.timeout.ms", SET, Some("14000")),
    ];
    check(GROUP, "g", &both, E::INVALID_CONFIG, "consumer.session.timeout.ms");
    let fits = [
        ("consumer.heartbeat.interval.ms", SET, Some("15000")),
        ("consumer.session.timeout.ms", SET, Some("45000")),
    ];
    check(GROUP, "g", &fits, E::NONE, "");
    let any = [("consumer.session.timeout.ms", SET, Some("45000"))];
    check(GROUP, "", &any, E::INVALID_REQUEST, "no common default");
}

#[test]
fn client_metrics_loggers_and_unknown_types() {
    use ErrorCode as E;
    let is = |key, value, code, says| check(METRICS, "m", &[(key, SET, Some(value))], code, says);
    is("no.such", "1", E::INVALID_REQUEST, "no.such");
    is("interval.ms", "5", E::INVALID_REQUEST, "100");
    is("interval.ms", "abc", E::INVALID_CONFIG, "interval.ms");
    is("interval.ms", "1000", E::NONE, "");
    is("match", "foo", E::INVALID_CONFIG, "foo");
    is("match", "client_id=a.*", E::NONE, "");
    is("metrics", "org.apache", E::NONE, "");
    check(METRICS, "", &[("interval.ms", SET, Some("1000"))], E::INVALID_REQUEST, "name");
    check(77, "x", &[("a", SET, Some("1"))], E::INVALID_REQUEST, "77");
    check(LOGGER, "1", &[("x", SET, Some("DEBUG"))], E::INVALID_CONFIG, "x");
    check(LOGGER, "1", &[("x", APPEND, Some("DEBUG"))], E::INVALID_REQUEST, "level");
    check(LOGGER, "1", &[("root", DELETE, None)], E::INVALID_REQUEST, "root");
    check(LOGGER, "1", &[("root", SET, Some("DEBUG"))], E::NONE, "");
    check(LOGGER, "7", &[("x", SET, Some("DEBUG"))], E::INVALID_REQUEST, "7");
}

#[test]
fn each_resource_stands_for_itself() {
    let mut cluster = Cluster::single();
    cluster.created(topic("t", 1, 1));
    let good: &[Change<'_>] = &[("retention.ms", SET, Some("1"))];
    let codes = |got: Vec<(i16, String)>| got.into_iter().map(|(code, _)| code).collect::<Vec<_>>();
    let got = incremental(&mut cluster, &[(TOPIC, "t", good), (TOPIC, "zz", &[])], false);
    assert_eq!(codes(got), [0, ErrorCode::UNKNOWN_TOPIC_OR_PARTITION.0]);
    assert_eq!(cluster.image().configs.value(ResourceKind::Topic, "t", "retention.ms"), Some("1"));
    let got = incremental(&mut cluster, &[(TOPIC, "t", &[]), (TOPIC, "t", &[])], false);
    assert_eq!(codes(got), [ErrorCode::INVALID_REQUEST.0; 2]);
    assert_eq!(codes(incremental(&mut cluster, &[], false)), [0i16; 0]);
}

/// The old request replaces a resource's whole set, the incremental one touches one key.
#[test]
fn replacing_and_touching() {
    let mut cluster = Cluster::single();
    cluster.created(with_config(topic("t", 1, 1), "cleanup.policy", Some("compact")));
    let settings = |cluster: &Cluster, kind, name| {
        let held = cluster.image().configs.get(kind, name).map(|held| (**held).clone());
        held.unwrap_or_default().into_iter().collect::<Vec<_>>()
    };
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let retention: &[Change<'_>] = &[("retention.ms", SET, Some("7"))];
    let of_topic = |cluster: &Cluster| settings(cluster, ResourceKind::Topic, "t");

    incremental(&mut cluster, &[(TOPIC, "t", retention)], true);
    replace(&mut cluster, (TOPIC, "t", retention), true);
    assert_eq!(of_topic(&cluster), [pair("cleanup.policy", "compact")]);
    incremental(&mut cluster, &[(TOPIC, "t", retention)], false);
    assert_eq!(of_topic(&cluster), [pair("cleanup.policy", "compact"), pair("retention.ms", "7")]);
    assert_eq!(replace(&mut cluster, (TOPIC, "t", retention), false).0, 0);
    assert_eq!(of_topic(&cluster), [pair("retention.ms", "7")]);

    let group: &[Change<'_>] = &[("consumer.session.timeout.ms", SET, Some("46000"))];
    incremental(&mut cluster, &[(GROUP, "g", group)], false);
    assert_eq!(replace(&mut cluster, (GROUP, "g", &[]), false).0, 0);
    assert_eq!(settings(&cluster, ResourceKind::Group, "g"), []);

    let threads: &[Change<'_>] = &[("num.io.threads", SET, Some("9"))];
    incremental(&mut cluster, &[(BROKER, "1", threads)], false);
    let cleaner: &[Change<'_>] = &[("log.cleaner.threads", SET, Some("2"))];
    assert_eq!(replace(&mut cluster, (BROKER, "1", cleaner), false).0, 0);
    assert_eq!(settings(&cluster, ResourceKind::Broker, "1"), [pair("log.cleaner.threads", "2")]);

    // What all brokers must agree on does not go away with the rest.
    let (code, _) = replace(&mut cluster, (BROKER, "", &[]), false);
    assert_eq!(code, ErrorCode::INVALID_CONFIG.0);
    assert_eq!(replace(&mut cluster, (TOPIC, "nope", retention), false).0, 3);
    assert_eq!(replace(&mut cluster, (LOGGER, "1", threads), false).0, 42);
    assert_eq!(replace(&mut cluster, (TOPIC, "t", &[("retention.ms", SET, None)]), false).0, 42);
    assert_eq!(replace(&mut cluster, (BROKER, "1", &[("log.dirs", SET, Some("x"))]), false).0, 42);
}

#[test]
fn lists_grow_from_their_default() {
    let mut cluster = Cluster::single();
    cluster.created(topic("t", 1, 1));
    let policy = |cluster: &Cluster| {
        let held = cluster.image().configs.value(ResourceKind::Topic, "t", "cleanup.policy");
        held.map(str::to_owned)
    };
    incremental(
        &mut cluster,
        &[(TOPIC, "t", &[("cleanup.policy", APPEND, Some("compact"))])],
        false,
    );
    assert_eq!(policy(&cluster).as_deref(), Some("delete,compact"));
    incremental(
        &mut cluster,
        &[(TOPIC, "t", &[("cleanup.policy", SUBTRACT, Some("delete"))])],
        false,
    );
    assert_eq!(policy(&cluster).as_deref(), Some("compact"));
    incremental(&mut cluster, &[(TOPIC, "t", &[("cleanup.policy", DELETE, None)])], false);
    assert_eq!(policy(&cluster), None);
}
