//! Asking for topics, coordinators, the cluster and versions.

use highwater_testkit::{Wire, WireError, unique};
use highwater_types::Uuid;
use highwater_wire::messages::describe_topic_partitions_request::TopicRequest;
use highwater_wire::messages::metadata_request::MetadataRequestTopic;
use highwater_wire::messages::{
    ApiVersionsRequest, ApiVersionsResponse, DescribeClusterRequest,
    DescribeTopicPartitionsRequest, FindCoordinatorRequest, MetadataRequest,
};
use highwater_wire::{ApiKey, ErrorCode, Message, Reader, Str, header};

use super::case::{Bench, Case, Expected, Outcome, case, check, no_transactions, says};
use super::topics::NO_SUCH_ID;

const KEY_GROUP: i8 = 0;
const KEY_TRANSACTION: i8 = 1;
const KEY_SHARE: i8 = 2;

/// A topic that does not exist.
pub struct State(String);

type Run = Bench<State>;
type Ended = Result<Outcome, WireError>;

#[test]
fn metadata() {
    let prepare = |wire: &mut Wire| {
        wire.wait_for_coordinator("any");
        State(unique("nope"))
    };
    check(prepare, cases());
}

pub fn cases() -> Vec<Case<State>> {
    let mut all = topics();
    all.extend(coordinators());
    all.extend(cluster());
    all.extend(api_versions());
    all
}

fn topics() -> Vec<Case<State>> {
    use ErrorCode as E;
    let asked = |label: &str, code: ErrorCode, name: fn(&State) -> Option<&str>, auto: bool| {
        let send = move |b: &mut Run| {
            let name = name(&b.state).map(Str::from);
            let topic_id = if name.is_none() { NO_SUCH_ID } else { Uuid::ZERO };
            let topic = MetadataRequestTopic { name, topic_id, ..Default::default() };
            let request = MetadataRequest {
                topics: Some(vec![topic]),
                allow_auto_topic_creation: auto,
                ..Default::default()
            };
            Ok(Outcome::code(b.call(12, &request)?.topics.remove(0).error_code))
        };
        case(format!("metadata: {label}"), code, send)
    };
    let bad = E::INVALID_TOPIC_EXCEPTION;
    let unknown = E::UNKNOWN_TOPIC_OR_PARTITION;
    vec![
        asked("unknown topic, no auto-creation", unknown, |s| Some(&s.0), false),
        asked("bad topic name", bad, |_| Some("a b"), false),
        asked("empty topic name", bad, |_| Some(""), false),
        asked("unknown topic id", E::UNKNOWN_TOPIC_ID, |_| None, false),
        asked("bad name with auto-creation", bad, |_| Some("a b"), true),
        case("describe topic partitions: unknown topic", unknown, |b: &mut Run| {
            let topic = TopicRequest { name: b.state.0.as_str().into(), ..Default::default() };
            let request = DescribeTopicPartitionsRequest {
                topics: vec![topic],
                response_partition_limit: 10,
                ..Default::default()
            };
            Ok(Outcome::code(b.call(0, &request)?.topics.remove(0).error_code))
        }),
    ]
}

fn coordinators() -> Vec<Case<State>> {
    use ErrorCode as E;
    let found =
        |label: &str, expected: Expected, (version, key_type): (i16, i8), key: &'static str| {
            let send = move |b: &mut Run| {
                let request = FindCoordinatorRequest {
                    key_type,
                    coordinator_keys: vec![key.into()],
                    ..Default::default()
                };
                b.until_final(|b| {
                    let answer = b.call(version, &request)?.coordinators.remove(0);
                    Ok(Outcome::code(answer.error_code).saying(answer.error_message))
                })
            };
            case(format!("find coordinator: {label}"), expected, send)
        };
    vec![
        found("key type 9", says(E::INVALID_REQUEST), (4, 9), "x"),
        found("empty group id", E::NONE.into(), (4, KEY_GROUP), ""),
        found("empty transactional id", no_transactions(), (4, KEY_TRANSACTION), ""),
        found("share key without colons", E::INVALID_REQUEST.into(), (6, KEY_SHARE), "x"),
    ]
}

fn cluster() -> Vec<Case<State>> {
    use ErrorCode as E;
    let described = |label: &str, code, endpoint_type| {
        let send = move |b: &mut Run| {
            let answer =
                b.call(2, &DescribeClusterRequest { endpoint_type, ..Default::default() })?;
            Ok(Outcome::code(answer.error_code).saying(answer.error_message))
        };
        case(format!("describe cluster: {label}"), says(code), send)
    };
    vec![
        described("endpoint type 2 (controllers) on a broker", E::MISMATCHED_ENDPOINT_TYPE, 2),
        described("endpoint type 9", E::UNSUPPORTED_ENDPOINT_TYPE, 9),
    ]
}

fn software(name: &str, version: &str) -> ApiVersionsRequest {
    ApiVersionsRequest {
        client_software_name: name.into(),
        client_software_version: version.into(),
        ..Default::default()
    }
}

fn api_versions() -> Vec<Case<State>> {
    use ErrorCode as E;
    let asked = |label: &str, code: ErrorCode, version, make: fn() -> ApiVersionsRequest| {
        let send = move |b: &mut Run| Ok(Outcome::code(b.call(version, &make())?.error_code));
        case(format!("api versions: {label}"), code, send)
    };
    vec![
        asked("software name with a blank", E::INVALID_REQUEST, 4, || software("a b", "1")),
        asked("empty software version", E::INVALID_REQUEST, 4, || software("a", "")),
        asked("v5 with another cluster id", E::REBOOTSTRAP_REQUIRED, 5, || ApiVersionsRequest {
            cluster_id: Some("AAAAAAAAAAAAAAAAAAAAAA".into()),
            node_id: 1,
            ..software("a", "1")
        }),
        asked("v5 with another node id", E::INVALID_REQUEST, 5, || ApiVersionsRequest {
            node_id: 77,
            ..software("a", "1")
        }),
        asked("v5 with cluster id null and node id -1", E::NONE, 5, || software("a", "1")),
        case(
            "api versions: v6",
            Expected::from(E::UNSUPPORTED_VERSION).with("min", 0).with("max", 5),
            ask_for_version_6,
        ),
    ]
}

/// A version from the future: the answer has the layout of version 0 and one entry, for
/// ApiVersions itself.
fn ask_for_version_6(b: &mut Run) -> Ended {
    let (_, request) = b.wire.encode(ApiKey::API_VERSIONS, 6, |w| w.raw(b"\x02a\x02b\0"));
    b.wire.send_frame(&request)?;
    let mut reader = Reader::new(b.wire.receive_frame()?);
    let unreadable = |e| WireError::Unreadable(format!("{e}"));
    header::decode_response_header(&mut reader, ApiKey::API_VERSIONS, 0).map_err(unreadable)?;
    let answer = ApiVersionsResponse::decode(&mut reader, 0).map_err(unreadable)?;
    assert_eq!(reader.remaining(), 0);
    let [only] = answer.api_keys.as_slice() else { panic!("{:?}", answer.api_keys) };
    assert_eq!(only.api_key, ApiKey::API_VERSIONS.0);
    let outcome = Outcome::code(answer.error_code);
    Ok(outcome.with("min", only.min_version.into()).with("max", only.max_version.into()))
}
