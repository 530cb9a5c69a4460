//! Settings that are replaced or touched one by one; descriptions that tools build upon.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use highwater_testkit::groups::{join, simple_commit};
use highwater_testkit::{BrokerProcess, Wire, unique};
use highwater_wire::messages::alter_configs_request as replacing;
use highwater_wire::messages::describe_configs_request::DescribeConfigsResource;
use highwater_wire::messages::describe_configs_response::DescribeConfigsResourceResult;
use highwater_wire::messages::incremental_alter_configs_request as touching;
use highwater_wire::messages::{
    AlterConfigsRequest, DescribeClusterRequest, DescribeConfigsRequest,
    IncrementalAlterConfigsRequest, ListGroupsRequest,
};
use highwater_wire::{ErrorCode, Str};

use crate::shared;

pub const TOPIC: i8 = 2;
pub const BROKER: i8 = 4;
pub const LOGGERS: i8 = 8;
const GROUP: i8 = 32;

pub fn described(wire: &mut Wire, kind: i8, name: &str) -> Vec<DescribeConfigsResourceResult> {
    let resource = DescribeConfigsResource {
        resource_type: kind,
        resource_name: name.into(),
        configuration_keys: None,
        ..Default::default()
    };
    let request = DescribeConfigsRequest {
        resources: vec![resource],
        include_synonyms: true,
        ..Default::default()
    };
    let result = wire.call(4, &request).results.remove(0);
    assert_eq!(result.error_code, 0, "{:?}", result.error_message);
    result.configs
}

/// The value of a setting, and whether it is this resource's own.
fn value(wire: &mut Wire, kind: i8, resource: &str, name: &str) -> (String, bool) {
    let all = described(wire, kind, resource);
    let setting = all.iter().find(|setting| setting.name == *name).expect(name);
    // 1 topic, 2 one broker, 8 group; the others are inherited.
    let is_own = [1, 2, 8].contains(&setting.config_source);
    (setting.value.as_deref().unwrap_or_default().into(), is_own)
}

/// The old call: the resource has these settings and no others.
fn replace(wire: &mut Wire, kind: i8, resource: &str, set: (&str, &str), only_validate: bool) {
    let config = replacing::AlterableConfig {
        name: set.0.into(),
        value: Some(set.1.into()),
        ..Default::default()
    };
    let resource = replacing::AlterConfigsResource {
        resource_type: kind,
        resource_name: resource.into(),
        configs: vec![config],
        ..Default::default()
    };
    let request = AlterConfigsRequest {
        resources: vec![resource],
        validate_only: only_validate,
        ..Default::default()
    };
    let result = wire.call(2, &request).responses.remove(0);
    assert_eq!(result.error_code, 0, "{:?}", result.error_message);
}

/// The new call: sets one, leaves the others.
pub fn touch(wire: &mut Wire, kind: i8, resource: &str, set: (&str, &str), only_validate: bool) {
    let config = touching::AlterableConfig {
        name: set.0.into(),
        config_operation: 0,
        value: Some(set.1.into()),
        ..Default::default()
    };
    let resource = touching::AlterConfigsResource {
        resource_type: kind,
        resource_name: resource.into(),
        configs: vec![config],
        ..Default::default()
    };
    let request = IncrementalAlterConfigsRequest {
        resources: vec![resource],
        validate_only: only_validate,
        ..Default::default()
    };
    let result = wire.call(1, &request).responses.remove(0);
    assert_eq!(result.error_code, 0, "{:?}", result.error_message);
}

/// `first` and `second`: a setting, its default, another value.
fn check_alter(
    wire: &mut Wire,
    kind: i8,
    resource: &str,
    first: (&str, &str, &str),
    second: (&str, &str, &str),
) {
    let get = |wire: &mut Wire, name| eventually(wire, kind, resource, name);
    let set = |wire: &mut Wire, (name, _, other): (&str, &str, &str), only_validate| {
        touch(wire, kind, resource, (name, other), only_validate);
    };
    set(wire, first, true);
    assert_eq!(value(wire, kind, resource, first.0), (first.1.into(), false));
    set(wire, first, false);
    assert_eq!(get(wire, first.0), (first.2.into(), true));
    set(wire, second, false);
    assert_eq!(get(wire, second.0), (second.2.into(), true));
    assert_eq!(value(wire, kind, resource, first.0), (first.2.into(), true));

    replace(wire, kind, resource, (second.0, second.1), true);
    assert_eq!(value(wire, kind, resource, second.0), (second.2.into(), true));
    replace(wire, kind, resource, (second.0, second.1), false);
    // What was not named is inherited again; what was is this resource's own.
    let mut again = (first.2.to_string(), true);
    for _ in 0..50 {
        again = value(wire, kind, resource, first.0);
        if !again.1 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(again, (first.1.into(), false));
    assert_eq!(value(wire, kind, resource, second.0), (second.1.into(), true));
}

/// Kafka's brokers hear of a change some moments after it was answered.
fn eventually(wire: &mut Wire, kind: i8, resource: &str, name: &str) -> (String, bool) {
    for _ in 0..50 {
        let found = value(wire, kind, resource, name);
        if found.1 {
            return found;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    value(wire, kind, resource, name)
}

#[test]
fn the_old_call_replaces_and_the_new_one_touches() {
    let broker = BrokerProcess::start();
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[]);
    let policy = ("cleanup.policy", "delete", "compact");
    let retention = ("retention.ms", "604800000", "1000000");
    check_alter(&mut wire, TOPIC, &topic.name, policy, retention);
    let bytes_max = ("message.max.bytes", "1048588", "2000000");
    let cleaners = ("log.cleaner.threads", "1", "2");
    check_alter(&mut wire, BROKER, "1", bytes_max, cleaners);
    let session = ("consumer.session.timeout.ms", "45000", "50000");
    let heartbeat = ("consumer.heartbeat.interval.ms", "5000", "6000");
    check_alter(&mut wire, GROUP, "some-group", session, heartbeat);
}

/// What Kafka tells of each setting of a broker; of values and places only the defaults.
fn told_by_kafka() -> BTreeMap<String, (i8, bool, bool)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = path.join("../../fixtures/config/describe_broker.txt");
    let text = fs::read_to_string(path).expect("readable");
    let kinds = ["unknown", "boolean", "string", "int", "short", "long", "double", "list"];
    let kinds = [&kinds[..], &["class", "password"]].concat();
    let setting = |line: &str| {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let kind = kinds.iter().position(|kind| *kind == fields[1]).expect(fields[1]);
        let flags = fields[4];
        (fields[0].to_string(), (kind as i8, flags.contains('r'), flags.contains('s')))
    };
    text.lines().filter(|line| !line.starts_with('#')).map(setting).collect()
}

#[test]
fn a_broker_is_described_in_full() {
    let broker = shared::broker();
    let mut wire = broker.connect();
    let all = described(&mut wire, BROKER, "1");
    let told: BTreeMap<_, _> = all
        .iter()
        .map(|s| (s.name.to_string(), (s.config_type, s.read_only, s.is_sensitive)))
        .collect();
    // Where Kafka was asked, some were set in its file that are not here, and the reverse.
    for (name, expected) in told_by_kafka() {
        if let Some(found) = told.get(&name) {
            assert_eq!(*found, expected, "{name}");
        } else {
            assert!(ONLY_WHEN_SET.contains(&&*name), "{name} is missing");
        }
    }
    for setting in &all {
        // Where it comes from is the first of its synonyms.
        if let Some(first) = setting.synonyms.first() {
            assert_eq!(first.source, setting.config_source, "{}", setting.name);
            assert!(setting.is_sensitive || first.value == setting.value, "{}", setting.name);
        }
    }
}

/// Told only when somebody has set them.
const ONLY_WHEN_SET: [&str; 0] = [];

#[test]
fn loggers_are_described() {
    let broker = shared::broker();
    let mut wire = broker.connect();
    let levels = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL", "OFF"];
    let all = described(&mut wire, LOGGERS, "1");
    assert!(all.iter().any(|logger| logger.name == *"root"), "{all:?}");
    for logger in &all {
        assert!(levels.contains(&logger.value.as_deref().unwrap_or_default()), "{logger:?}");
        assert_eq!(logger.config_source, 6);
    }
}

#[test]
fn what_tools_ask_first() {
    let broker = shared::broker();
    let mut wire = broker.connect();
    let cluster = wire.call(2, &DescribeClusterRequest { endpoint_type: 1, ..Default::default() });
    assert_eq!(cluster.cluster_id.len(), 22);
    assert!(cluster.controller_id >= 0);
    // Version lookups of old tools read this one setting.
    let (version, _) = value(&mut wire, BROKER, "1", "group.coordinator.rebalance.protocols");
    assert!(version.contains("classic"), "{version}");

    // A group that only holds offsets has no protocol type.
    let group = unique("simple");
    wire.wait_for_coordinator(&group);
    let topic = wire.new_topic(1, &[]);
    let code = wire.commit(&simple_commit(&group, &topic.name, 0, 1));
    assert_eq!(code, ErrorCode::NONE);
    let described = wire.describe_group(&group);
    let told = (described.error_code, &*described.group_state, &*described.protocol_type);
    assert_eq!(told, (0, "Empty", ""));
    let listed = wire.call(5, &ListGroupsRequest::default()).groups;
    let listed = listed.iter().find(|listed| listed.group_id == *group).expect("listed");
    let told = [&listed.protocol_type, &listed.group_state, &listed.group_type];
    assert_eq!(told.map(Str::as_str), ["", "Empty", "classic"]);
}

/// What tools show of a live group is what its members said: null or empty, and they fall over.
#[test]
fn a_live_group_is_described() {
    let broker = shared::broker();
    let mut wire = broker.connect().with_client_id(Some("tool-test"));
    let group = unique("live");
    let member = wire.join_alone(&group, None);
    let described = wire.describe_group(&group);
    let told = [&described.group_state, &described.protocol_type, &described.protocol_data];
    let protocol = join(&group, "", None).protocols.remove(0);
    assert_eq!(told.map(Str::as_str), ["Stable", "consumer", &*protocol.name]);
    assert_eq!(described.members.len(), 1);
    let told = &described.members[0];
    assert_eq!((&told.member_id, told.client_id.as_str()), (&member.id, "tool-test"));
    assert_eq!(told.client_host, *"/127.0.0.1");
    assert!(!protocol.metadata.is_empty());
    assert_eq!(told.member_metadata, protocol.metadata);
    assert!(!told.member_assignment.is_empty());
}
