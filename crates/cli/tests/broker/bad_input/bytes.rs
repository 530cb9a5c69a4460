//! Bytes that are no requests, requests whose bodies are nonsense, batches with a flipped bit.

use std::time::Duration;

use bytes::Bytes;
use highwater_testkit::batch::{self, record};
use highwater_testkit::{Wire, WireError, now_ms};
use highwater_types::{Entropy, SplitMix};
use highwater_wire::api;

use super::witness::Witness;
use super::{check_memory, own_broker};

const MIB: u64 = 1 << 20;
const PATIENCE: Duration = Duration::from_secs(5);
/// How long to wait for an answer that may never be due.
const GLANCE: Duration = Duration::from_millis(20);

fn random_bytes(random: &mut SplitMix, len: usize) -> Vec<u8> {
    (0..len).map(|_| random.next_u64() as u8).collect()
}

/// Sends, and takes whatever comes; a broker may answer, close, or wait for more.
fn provoke(wire: &mut Wire, bytes: &[u8]) -> Result<Bytes, WireError> {
    wire.send_raw(bytes)?;
    wire.receive_frame()
}

#[test]
fn garbage() {
    let mut broker = own_broker();
    let witness = Witness::of(&broker);
    let mut random = SplitMix::new(1);
    check_memory(&broker, 8 * MIB, || {
        for round in 0..300 {
            let mut wire = broker.connect().with_timeout(GLANCE);
            let len = (random.next_u64() % 2_000) as usize + 1;
            let mut bytes = random_bytes(&mut random, len);
            if round % 3 == 0 && len > 8 {
                // A believable length, key and version before the nonsense.
                bytes[..4].copy_from_slice(&(len as i32 - 4).to_be_bytes());
                bytes[4..8].copy_from_slice(&[0, (round % 95) as u8, 0, (round % 14) as u8]);
            }
            let _ = provoke(&mut wire, &bytes);
        }
    });
    witness.check_undisturbed(PATIENCE);
    assert!(broker.is_alive());
}

/// Every prefix of a request, and then the client is gone.
#[test]
fn half_requests() {
    let mut broker = own_broker();
    let witness = Witness::of(&broker);
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[]);
    let request = topic.produce(9, 0, Some(batch::one(now_ms())));
    let (_, payload) = wire.encode(highwater_wire::ApiKey::PRODUCE, 9, |w| {
        highwater_wire::Message::encode(&request, w, 9).expect("a valid request");
    });
    let framed = [&(payload.len() as i32).to_be_bytes(), &payload[..]].concat();
    for len in 0..framed.len() {
        let mut wire = broker.connect();
        wire.send_raw(&framed[..len]).expect("still open");
    }
    assert_eq!(wire.offsets(&topic, 0), (0, 0));
    // Cut where the frame's length says so: an unreadable request.
    for len in 0..payload.len() {
        let mut wire = broker.connect();
        wire.send_frame(&payload[..len]).expect("still open");
        wire.expect_closed();
    }
    assert_eq!(wire.offsets(&topic, 0), (0, 0));
    witness.check_undisturbed(PATIENCE);
    assert!(broker.is_alive());
}

/// For every API and version a body of each sort: the broker answers or closes, allocates little,
/// and never waits for ever.
#[test]
fn nonsense_bodies_for_every_api() {
    let mut broker = own_broker();
    let witness = Witness::of(&broker);
    let mut random = SplitMix::new(2);
    check_memory(&broker, 8 * MIB, || {
        for info in api::table().iter().filter(|info| !info.valid.is_empty()) {
            for version in info.valid.clone() {
                let counts = [i32::MAX.to_be_bytes(), [0xff, 0xff, 0xff, 0x7f]].concat();
                let bodies = [
                    vec![0xff; 64],
                    vec![0x7f; 64],
                    counts.repeat(8),
                    random_bytes(&mut random, 64),
                ];
                for body in bodies {
                    let mut wire = broker.connect().with_timeout(PATIENCE);
                    let (_, payload) = wire.encode(info.key, version, |w| w.raw(&body));
                    wire.send_frame(&payload).expect("still open");
                    let name = info.key.name();
                    match wire.receive_frame() {
                        Ok(_) | Err(WireError::Closed) => {}
                        Err(other) => panic!("{name} v{version}: {other}; {body:?}"),
                    }
                }
            }
        }
    });
    witness.check_undisturbed(PATIENCE);
    assert!(broker.is_alive());
}

/// Every bit of a batch, flipped: only those of the leader epoch, which the CRC leaves out and
/// the broker sets, may be. No answer is the one for bugs, nothing refused is stored.
#[test]
fn flipped_bits() {
    let broker = crate::shared::broker();
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[]);
    let records = [record(Some("key"), Some("value"), now_ms()), record(None, None, now_ms())];
    let batch = batch::plain(&records);
    let mut accepted = Vec::new();
    for byte in 0..batch.len() {
        for bit in 0..8 {
            let mut flipped = batch.to_vec();
            flipped[byte] ^= 1 << bit;
            let answer = wire.produce(&topic, 0, &flipped.into());
            match answer.error_code {
                0 => accepted.push((byte, bit)),
                -1 => panic!("byte {byte}, bit {bit}: {:?}", answer.error_message),
                _ => assert_eq!(answer.base_offset, -1),
            }
        }
    }
    let leader_epoch = (12..16).flat_map(|byte| (0..8).map(move |bit| (byte, bit)));
    assert_eq!(accepted, leader_epoch.collect::<Vec<_>>());
    assert_eq!(wire.offsets(&topic, 0), (0, 2 * accepted.len() as i64));
}
