//! One connection: negotiation, pipelining, and every way it can fail.

mod fake;

use std::sync::Mutex;
use std::time::{Duration, Instant};

use bytes::Bytes;
use fake::{FakeBroker, ready, versions};
use highwater_client::{ClientError, ConnectOptions, Connection};
use highwater_net::Stage;
use highwater_wire::messages::{
    ApiVersionsRequest, HeartbeatRequest, HeartbeatResponse, ListGroupsRequest, MetadataRequest,
};
use highwater_wire::{ApiKey, EncodeError, Message, Request};
use tokio::sync::oneshot;

const HEARTBEAT: (ApiKey, i16, i16) = (ApiKey::HEARTBEAT, 0, 3);

fn heartbeat(generation_id: i32) -> HeartbeatRequest {
    HeartbeatRequest { generation_id, ..HeartbeatRequest::default() }
}

/// Answers heartbeats with their generation as throttle time, so that answers can be told apart.
fn echo(
    header: &highwater_wire::header::RequestHeader,
    body: &mut highwater_wire::Reader,
) -> Stage {
    let request = HeartbeatRequest::decode(body, header.api_version).unwrap();
    let throttle_time_ms = request.generation_id;
    ready(header, &HeartbeatResponse { throttle_time_ms, ..Default::default() })
}

async fn check_negotiated(own: i16, asked: &[i16]) {
    let seen = std::sync::Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let broker = FakeBroker::start(move |header, mut body| {
        if header.api_key != ApiKey::API_VERSIONS {
            return echo(&header, &mut body);
        }
        assert_eq!(header.client_id.as_deref(), Some("test"));
        log.lock().unwrap().push(header.api_version);
        versions(&header, &[(ApiKey::API_VERSIONS, 0, own), HEARTBEAT])
    });
    let connection = Connection::connect(&broker.address(), "test").await.unwrap();
    assert_eq!(*seen.lock().unwrap(), asked);
    assert_eq!(connection.version_of::<HeartbeatRequest>(), Ok(3));
    assert_eq!(connection.call(&heartbeat(7)).await.unwrap().throttle_time_ms, 7);
}

#[tokio::test]
async fn versions_are_negotiated_with_old_and_new_brokers() {
    let ours = *ApiVersionsRequest::VALID.end();
    check_negotiated(ours, &[ours]).await;
    check_negotiated(ours + 1, &[ours]).await;
    check_negotiated(2, &[ours, 2]).await;
    check_negotiated(0, &[ours, 0]).await;
}

async fn connect(apis: &'static [(ApiKey, i16, i16)]) -> (FakeBroker, Connection) {
    let broker = FakeBroker::start(move |header, mut body| match header.api_key {
        ApiKey::API_VERSIONS => versions(&header, apis),
        _ => echo(&header, &mut body),
    });
    let connection = Connection::connect(&broker.address(), "test").await.unwrap();
    (broker, connection)
}

#[tokio::test]
async fn many_calls_at_once_get_each_its_answer() {
    let (_broker, connection) = connect(&[HEARTBEAT]).await;
    let calls: Vec<_> = (0..500)
        .map(|generation| {
            let connection = connection.clone();
            tokio::spawn(async move {
                let answer = connection.call(&heartbeat(generation)).await.unwrap();
                assert_eq!(answer.throttle_time_ms, generation);
            })
        })
        .collect();
    for call in calls {
        call.await.unwrap();
    }
}

#[tokio::test]
async fn long_requests_and_calls_given_up_leave_the_frames_whole() {
    let (_broker, connection) = connect(&[HEARTBEAT, (ApiKey::LIST_GROUPS, 0, 5)]).await;
    for _ in 0..20 {
        let long = Bytes::from(vec![0; 3 << 20]);
        let given_up = connection.call_bytes(ApiKey::HEARTBEAT, 3, long);
        let _ = tokio::time::timeout(Duration::from_micros(300), given_up).await;
    }
    // The broker reads all zeros as a heartbeat, too, and answers.
    assert_eq!(connection.call(&heartbeat(9)).await.unwrap().throttle_time_ms, 9);
}

#[tokio::test]
async fn what_the_broker_lacks_is_an_error_in_words() {
    let (_broker, connection) = connect(&[HEARTBEAT, (ApiKey::METADATA, 99, 100)]).await;
    let address = connection.address().to_owned();
    let lacking = connection.call(&ListGroupsRequest::default()).await.unwrap_err();
    assert_eq!(lacking.to_string(), format!("{address} does not offer ListGroups"));
    let foreign = connection.call(&MetadataRequest::default()).await.unwrap_err();
    let text = "does not offer Metadata in a version we know: it has 99 to 100, we have 0 to 13";
    assert_eq!(foreign.to_string(), format!("{address} {text}"));
    let request = MetadataRequest { topics: None, ..Default::default() };
    let null = connection.call_version(&request, 0).await.unwrap_err();
    assert!(matches!(null, ClientError::Encode { error: EncodeError::UnexpectedNull { .. }, .. }));
    // None of it was sent.
    assert_eq!(connection.call(&heartbeat(1)).await.unwrap().throttle_time_ms, 1);
}

#[tokio::test]
async fn nobody_there() {
    let (broker, connection) = connect(&[HEARTBEAT]).await;
    let address = broker.address();
    drop(connection);
    drop(broker);
    tokio::time::sleep(Duration::from_millis(20)).await;
    let error = Connection::connect(&address, "test").await.unwrap_err();
    let text = format!("cannot reach {address}: connection refused; is the broker running?");
    assert_eq!(error.to_string(), text);
    assert!(error.is_retriable());
}

#[tokio::test]
async fn a_broker_that_closes_fails_all_calls_under_way() {
    let (release, released) = oneshot::channel::<()>();
    let released = Mutex::new(Some(released));
    let broker = FakeBroker::start(move |header, _| match header.api_key {
        ApiKey::API_VERSIONS => versions(&header, &[HEARTBEAT]),
        _ => match released.lock().unwrap().take() {
            None => ready(&header, &HeartbeatResponse::default()),
            Some(released) => Stage::Pending(Box::pin(async move {
                let _ = released.await;
                highwater_net::Reply::Close("as the test wants")
            })),
        },
    });
    let connection = Connection::connect(&broker.address(), "test").await.unwrap();
    let calls: Vec<_> = (0..3)
        .map(|_| {
            let connection = connection.clone();
            tokio::spawn(async move { connection.call(&heartbeat(1)).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(50)).await;
    release.send(()).unwrap();
    for call in calls {
        let error = call.await.unwrap().unwrap_err();
        assert!(matches!(error, ClientError::Closed { .. }) && error.is_ambiguous(), "{error}");
    }
    assert!(connection.is_closed());
    assert!(connection.call(&heartbeat(1)).await.is_err());
}

#[tokio::test]
async fn a_broker_that_does_not_answer_is_given_up() {
    let broker = FakeBroker::start(move |header, _| match header.api_key {
        ApiKey::API_VERSIONS => versions(&header, &[HEARTBEAT]),
        _ => Stage::Pending(Box::pin(std::future::pending())),
    });
    let connection = Connection::connect(&broker.address(), "test").await.unwrap();
    let begun = Instant::now();
    let timeout = Duration::from_millis(100);
    let error = connection.call_within(&heartbeat(1), timeout).await.unwrap_err();
    assert!(begun.elapsed() >= timeout);
    let text = format!("{} did not answer Heartbeat within 100ms", broker.address());
    assert_eq!(error.to_string(), text);
    assert!(connection.is_closed());
}

#[tokio::test]
async fn answers_that_make_no_sense_close_the_connection() {
    let broker = FakeBroker::start(move |mut header, _| match header.api_key {
        ApiKey::API_VERSIONS => versions(&header, &[HEARTBEAT]),
        _ => {
            header.correlation_id += 1;
            ready(&header, &HeartbeatResponse::default())
        }
    });
    let connection = Connection::connect(&broker.address(), "test").await.unwrap();
    let error = connection.call(&heartbeat(1)).await.unwrap_err();
    assert!(error.to_string().ends_with("an answer came out of order"), "{error}");
}

#[tokio::test]
async fn raw_frames_for_tests() {
    let (_broker, connection) = connect(&[HEARTBEAT]).await;
    // Heartbeat v0, correlation id 77, no client id; group "", generation 5, member "".
    let frame = b"\0\x0c\0\0\0\0\0\x4d\xff\xff\0\0\0\0\0\x05\0\0";
    let answer = connection.call_frame(Bytes::from_static(frame)).await.unwrap();
    assert_eq!(answer, b"\0\0\0\x4d\0\0"[..]);
    let body = Bytes::from_static(b"\0\0\0\0\0\x05\0\0");
    let answer = connection.call_bytes(HeartbeatRequest::KEY, 1, body).await.unwrap();
    assert_eq!(answer, b"\0\0\0\x05\0\0"[..]);
    connection.send_bytes(Bytes::from_static(&[0xff; 4])).unwrap();
    let closed = tokio::time::timeout(Duration::from_secs(5), connection.closed()).await.unwrap();
    assert!(closed.to_string().contains("is closed"), "{closed}");
}

#[tokio::test]
async fn dropping_the_last_handle_closes_it() {
    let (broker, connection) = connect(&[HEARTBEAT]).await;
    let other = connection.clone();
    drop(connection);
    assert_eq!(other.call(&heartbeat(1)).await.unwrap().throttle_time_ms, 1);
    drop(other);
    for _ in 0..100 {
        if broker.connections() == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it is still open");
}

#[tokio::test]
async fn answers_without_request_options_are_kept_in_bounds() {
    let broker = FakeBroker::start(|header, _| versions(&header, &[HEARTBEAT; 1000]));
    let options = ConnectOptions { answer_bytes_max: 1000, ..ConnectOptions::named("test") };
    let error = Connection::connect_with(&broker.address(), &options).await.unwrap_err();
    assert!(error.to_string().contains("claims"), "{error}");
}
