//! Frames that are no requests.

use std::time::Duration;

use highwater_testkit::{Wire, WireError};

use super::case::{Bench, Case, End, Expected, Outcome, case, check};

/// Kafka's default of `socket.request.max.bytes`.
const FRAME_BYTES_MAX: i32 = 104_857_600;

type Ended = Result<Outcome, WireError>;

#[test]
fn frames() {
    check(|_: &mut Wire| (), cases());
}

/// The beginning of a request without client id.
fn header(key: i16, version: i16) -> Vec<u8> {
    let numbers = [key.to_be_bytes(), version.to_be_bytes(), [0, 0], [0, 1], [0xff, 0xff]];
    numbers.concat()
}

fn framed(payload: &[u8]) -> Vec<u8> {
    [&(payload.len() as i32).to_be_bytes(), payload].concat()
}

/// Sends bytes over a connection of their own and waits for what comes.
fn sent(label: &str, expected: impl Into<Expected>, bytes: Vec<u8>) -> Case<()> {
    sent_and(label, expected, bytes, |_| {})
}

fn sent_and(
    label: &str,
    expected: impl Into<Expected>,
    bytes: Vec<u8>,
    then: fn(&mut Wire),
) -> Case<()> {
    let send = move |b: &mut Bench<()>| -> Ended {
        let mut wire = b.broker.connect().with_timeout(Duration::from_secs(3));
        // The broker may close while it is still being sent to.
        if wire.send_raw(&bytes).is_ok() {
            then(&mut wire);
        }
        wire.receive_frame()?;
        Ok(Outcome::of(End::Answered))
    };
    case(format!("frame: {label}"), expected, send)
}

pub fn cases() -> Vec<Case<()>> {
    let mut all = lengths();
    all.extend(keys_and_versions());
    all.extend(bodies());
    all
}

fn lengths() -> Vec<Case<()>> {
    let too_long = [&(FRAME_BYTES_MAX + 1).to_be_bytes()[..], b"xxxxxxxxxx"].concat();
    let hello = [&[0x16, 3, 1, 0, 0xc8, 1, 0, 0, 0xc4, 3, 3][..], &[0; 200]].concat();
    let half = [&50_i32.to_be_bytes()[..], b"abc"].concat();
    vec![
        sent("size -1", End::Closed, (-1_i32).to_be_bytes().into()),
        sent("size 0", End::Closed, vec![0; 4]),
        sent("size 3, 3 bytes", End::Closed, framed(b"abc")),
        sent("size 104857601 (limit 104857600)", End::Closed, too_long),
        sent("size 104857600, then nothing", End::NoAnswer, FRAME_BYTES_MAX.to_be_bytes().into()),
        sent("HTTP request", End::Closed, b"GET / HTTP/1.0\r\n\r\n".into()),
        sent("TLS hello", End::Closed, hello),
        sent_and(
            "half a request, then the client closes its side",
            End::Closed,
            half,
            Wire::finish_sending,
        ),
    ]
}

fn keys_and_versions() -> Vec<Case<()>> {
    let zeros =
        |key, version, zeros: usize| framed(&[header(key, version), vec![0; zeros]].concat());
    vec![
        sent("api key 9999", End::Closed, zeros(9999, 0, 0)),
        sent("api key -1", End::Closed, zeros(-1, 0, 0)),
        sent("retired api key 4 (LeaderAndIsr)", End::Closed, zeros(4, 0, 0)),
        sent("controller-only api key 62 (BrokerRegistration)", End::Closed, zeros(62, 0, 40)),
        sent("Metadata version 99", End::Closed, zeros(3, 99, 20)),
        sent("Metadata version -1", End::Closed, zeros(3, -1, 20)),
    ]
}

fn bodies() -> Vec<Case<()>> {
    let metadata = |version, body: &[u8]| framed(&[&header(3, version)[..], body].concat());
    let client_id = [&[0, 18, 0, 0, 0, 0, 0, 1, 0, 2][..], &[0xff, 0xfe]].concat();
    vec![
        sent("Metadata v12 cut short", End::Closed, metadata(12, &[0])),
        sent(
            "Metadata v1 with an array length of 2^31-1",
            End::Closed,
            metadata(1, &i32::MAX.to_be_bytes()),
        ),
        sent(
            "Metadata v1, null topics, 4 stray bytes at the end",
            End::Answered,
            metadata(1, &[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
        ),
        sent(
            "Metadata v12 with an unknown tagged field (ignored)",
            End::Answered,
            metadata(12, b"\0\x01\0\0\x01\x63\x02ab"),
        ),
        sent("client id that is not UTF-8", End::Answered, framed(&client_id)),
    ]
}
