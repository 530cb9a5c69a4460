//! Altering and describing settings of topics, brokers, groups and client metrics.

use highwater_testkit::{Wire, WireError, unique};
use highwater_wire::messages::describe_configs_request::DescribeConfigsResource;
use highwater_wire::messages::incremental_alter_configs_request::{
    AlterConfigsResource, AlterableConfig,
};
use highwater_wire::messages::{DescribeConfigsRequest, IncrementalAlterConfigsRequest};
use highwater_wire::{ErrorCode, Str};

use super::case::{Bench, Case, End, Expected, Outcome, case, check, not_as_kafka, says};

const TOPIC: i8 = 2;
const BROKER: i8 = 4;
const CLIENT_METRICS: i8 = 16;
const GROUP: i8 = 32;

const SET: i8 = 0;
const APPEND: i8 = 2;
const SUBTRACT: i8 = 3;

pub struct State {
    /// Of a topic that exists.
    topic: Str,
    /// Of one that does not.
    missing: Str,
}

type Run = Bench<State>;
type Change = (&'static str, i8, Option<&'static str>);

/// The topic's name stands for itself here, and `missing` for that of none.
enum Named {
    Topic,
    Missing,
    Just(&'static str),
}

impl Named {
    fn of(&self, state: &State) -> Str {
        match self {
            Named::Topic => state.topic.clone(),
            Named::Missing => state.missing.clone(),
            Named::Just(name) => Str::from_static(name),
        }
    }
}

#[test]
fn settings() {
    let prepare = |wire: &mut Wire| State {
        topic: wire.new_topic(1, &[]).name,
        missing: unique("nope").into(),
    };
    check(prepare, cases());
}

pub fn cases() -> Vec<Case<State>> {
    let mut all = topics();
    all.extend(brokers());
    all.extend(others());
    all.extend(descriptions());
    all
}

fn altered(
    label: &str,
    expected: impl Into<Expected>,
    resource_type: i8,
    name: Named,
    changes: &'static [Change],
) -> Case<State> {
    let send = move |b: &mut Run| {
        let resource = resource(resource_type, name.of(&b.state), changes);
        alter(b, vec![resource])
    };
    case(format!("alter config: {label}"), expected, send)
}

fn resource(resource_type: i8, name: Str, changes: &[Change]) -> AlterConfigsResource {
    let change = |&(name, config_operation, value): &Change| AlterableConfig {
        name: name.into(),
        config_operation,
        value: value.map(Str::from_static),
        ..Default::default()
    };
    AlterConfigsResource {
        resource_type,
        resource_name: name,
        configs: changes.iter().map(change).collect(),
        ..Default::default()
    }
}

fn alter(b: &mut Run, resources: Vec<AlterConfigsResource>) -> Result<Outcome, WireError> {
    let request =
        IncrementalAlterConfigsRequest { resources, validate_only: true, ..Default::default() };
    let result = b.call(1, &request)?.responses.remove(0);
    Ok(Outcome::code(result.error_code).saying(result.error_message))
}

fn topics() -> Vec<Case<State>> {
    use ErrorCode as E;
    use Named::{Just, Missing, Topic};
    vec![
        altered(
            "topic, bad number",
            says(E::INVALID_CONFIG),
            TOPIC,
            Topic,
            &[("retention.ms", SET, Some("ten"))],
        ),
        altered(
            "topic, unknown key",
            says(E::INVALID_CONFIG),
            TOPIC,
            Topic,
            &[("no.such", SET, Some("1"))],
        ),
        altered(
            "unknown topic",
            says(E::UNKNOWN_TOPIC_OR_PARTITION),
            TOPIC,
            Missing,
            &[("retention.ms", SET, Some("1"))],
        ),
        altered(
            "topic, empty name",
            says(E::INVALID_REQUEST),
            TOPIC,
            Just(""),
            &[("retention.ms", SET, Some("1"))],
        ),
        altered(
            "topic, the same key twice",
            says(E::INVALID_REQUEST),
            TOPIC,
            Topic,
            &[("retention.ms", SET, Some("1")), ("retention.ms", SET, Some("2"))],
        ),
        altered(
            "topic, null value for SET",
            says(E::INVALID_REQUEST),
            TOPIC,
            Topic,
            &[("retention.ms", SET, None)],
        ),
        altered(
            "topic, APPEND to a number",
            says(E::INVALID_CONFIG),
            TOPIC,
            Topic,
            &[("retention.ms", APPEND, Some("1"))],
        ),
        altered(
            "topic, APPEND compact to cleanup.policy",
            E::NONE,
            TOPIC,
            Topic,
            &[("cleanup.policy", APPEND, Some("compact"))],
        ),
        altered(
            "topic, SUBTRACT the only cleanup.policy",
            E::NONE,
            TOPIC,
            Topic,
            &[("cleanup.policy", SUBTRACT, Some("delete"))],
        ),
        altered(
            "topic, unknown operation 9",
            not_as_kafka(E::INVALID_REQUEST, End::Code(E::UNKNOWN_SERVER_ERROR)),
            TOPIC,
            Topic,
            &[("retention.ms", 9, Some("1"))],
        ),
    ]
}

fn brokers() -> Vec<Case<State>> {
    use ErrorCode as E;
    use Named::Just;
    let refused = || says(E::INVALID_REQUEST);
    vec![
        altered(
            "broker, read-only key",
            refused(),
            BROKER,
            Just("1"),
            &[("log.dirs", SET, Some("/x"))],
        ),
        altered(
            "broker, read-only key node.id",
            refused(),
            BROKER,
            Just("1"),
            &[("node.id", SET, Some("5"))],
        ),
        altered(
            "broker, num.io.threads=0",
            refused(),
            BROKER,
            Just("1"),
            &[("num.io.threads", SET, Some("0"))],
        ),
        altered(
            "broker, unknown key (kept for plugins)",
            E::NONE,
            BROKER,
            Just("1"),
            &[("no.such", SET, Some("1"))],
        ),
        altered("broker 99", refused(), BROKER, Just("99"), &[("num.io.threads", SET, Some("8"))]),
        altered(
            "broker name not a number",
            refused(),
            BROKER,
            Just("abc"),
            &[("num.io.threads", SET, Some("8"))],
        ),
        altered(
            "all brokers, per-broker only key listeners",
            refused(),
            BROKER,
            Just(""),
            &[("listeners", SET, Some("PLAINTEXT://:1"))],
        ),
        altered(
            "all brokers, min.insync.replicas=2",
            E::NONE,
            BROKER,
            Just(""),
            &[("min.insync.replicas", SET, Some("2"))],
        ),
        altered(
            "broker 1, min.insync.replicas=2",
            says(E::INVALID_CONFIG),
            BROKER,
            Just("1"),
            &[("min.insync.replicas", SET, Some("2"))],
        ),
    ]
}

fn others() -> Vec<Case<State>> {
    use ErrorCode as E;
    use Named::Just;
    let group = |label: &str, expected: Expected, changes: &'static [Change]| {
        altered(&format!("group, {label}"), expected, GROUP, Just("g"), changes)
    };
    let invalid = || says(E::INVALID_CONFIG);
    let mut all = vec![
        group("unknown key", invalid(), &[("no.such", SET, Some("1"))]),
        group(
            "consumer.session.timeout.ms=1",
            invalid(),
            &[("consumer.session.timeout.ms", SET, Some("1"))],
        ),
        group(
            "heartbeat above session",
            invalid(),
            &[
                ("consumer.heartbeat.interval.ms", SET, Some("15000")),
                ("consumer.session.timeout.ms", SET, Some("14000")),
            ],
        ),
        group(
            "share.auto.offset.reset=never",
            invalid(),
            &[("share.auto.offset.reset", SET, Some("never"))],
        ),
        group(
            "share.auto.offset.reset=by_duration:PT1H",
            E::NONE.into(),
            &[("share.auto.offset.reset", SET, Some("by_duration:PT1H"))],
        ),
        group(
            "share.isolation.level=read_all",
            invalid(),
            &[("share.isolation.level", SET, Some("read_all"))],
        ),
    ];
    all.extend([
        altered(
            "group, empty name",
            says(E::INVALID_REQUEST),
            GROUP,
            Just(""),
            &[("consumer.session.timeout.ms", SET, Some("45000"))],
        ),
        altered(
            "client metrics, unknown key",
            says(E::INVALID_REQUEST),
            CLIENT_METRICS,
            Just("m"),
            &[("no.such", SET, Some("1"))],
        ),
        altered(
            "client metrics, interval.ms=5",
            says(E::INVALID_REQUEST),
            CLIENT_METRICS,
            Just("m"),
            &[("interval.ms", SET, Some("5"))],
        ),
        altered(
            "resource type 77",
            says(E::INVALID_REQUEST),
            77,
            Just("x"),
            &[("a", SET, Some("1"))],
        ),
        case("alter config: the same resource twice", says(E::INVALID_REQUEST), |b: &mut Run| {
            let resource = resource(TOPIC, b.state.topic.clone(), &[]);
            alter(b, vec![resource.clone(), resource])
        }),
    ]);
    all
}

fn descriptions() -> Vec<Case<State>> {
    use ErrorCode as E;
    use Named::{Just, Missing};
    let described = |label: &str, expected: Expected, resource_type, name: Named| {
        let send = move |b: &mut Run| {
            let resource = DescribeConfigsResource {
                resource_type,
                resource_name: name.of(&b.state),
                ..Default::default()
            };
            let resource = DescribeConfigsResource { configuration_keys: None, ..resource };
            let request =
                DescribeConfigsRequest { resources: vec![resource], ..Default::default() };
            let result = b.call(4, &request)?.results.remove(0);
            Ok(Outcome::code(result.error_code).saying(result.error_message))
        };
        case(format!("describe config: {label}"), expected, send)
    };
    let refused = || says(E::INVALID_REQUEST);
    vec![
        described("unknown topic", E::UNKNOWN_TOPIC_OR_PARTITION.into(), TOPIC, Missing),
        described("bad topic name", says(E::INVALID_TOPIC_EXCEPTION), TOPIC, Just("a b")),
        described("broker 99", refused(), BROKER, Just("99")),
        described("broker abc", refused(), BROKER, Just("abc")),
        described("empty group name", refused(), GROUP, Just("")),
        described("resource type 77", refused(), 77, Just("x")),
    ]
}
