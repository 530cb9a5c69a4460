//! What a peer claims, and what it may hold.

use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use highwater_records::Compression;
use highwater_testkit::{BrokerOptions, batch, now_ms};
use highwater_wire::ErrorCode;

use super::witness::Witness;
use super::{check_memory, own_broker};

const MIB: u64 = 1 << 20;
const PATIENCE: Duration = Duration::from_secs(5);
/// Kafka's default of `socket.request.max.bytes`.
const FRAME_BYTES_MAX: i32 = 104_857_600;

/// A length is a claim: memory is taken for what has come.
#[test]
fn claimed_lengths_cost_nothing() {
    let mut broker = own_broker();
    if broker.is_kafka() {
        // Kafka takes the memory at once; with a small heap it serves nobody any more.
        return;
    }
    let witness = Witness::of(&broker);
    let mut claiming = Vec::new();
    check_memory(&broker, 12 * MIB, || {
        for _ in 0..200 {
            let mut wire = broker.connect();
            wire.send_raw(&FRAME_BYTES_MAX.to_be_bytes()).expect("still open");
            wire.send_raw(&[0; 1_000]).expect("still open");
            claiming.push(wire);
        }
        thread::sleep(Duration::from_millis(300));
    });
    witness.check_undisturbed(PATIENCE);
    drop(claiming);
    assert!(broker.is_alive());
}

/// A small batch that would become gigabytes: refused within bounded memory, or, where the
/// records are sound and the limit allows it, walked without holding them.
#[test]
fn compressed_bombs() {
    let mut broker = own_broker();
    let witness = Witness::of(&broker);
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[]);
    check_memory(&broker, 32 * MIB, || {
        for codec in [Compression::Gzip, Compression::Lz4, Compression::Zstd, Compression::Snappy] {
            let plain = vec![0; 64 << 20];
            let mut packed = Vec::new();
            highwater_records::compress(codec, None, &plain, &mut packed);
            if packed.len() > 1_000_000 {
                packed.truncate(1_000_000);
            }
            let bomb: Bytes = batch::with_payload(&batch::one(now_ms()), &packed);
            let bomb = batch::forged(&bomb, |header| {
                header.attributes = header.attributes.with_codec(codec);
            });
            let answer = wire.produce(&topic, 0, &bomb);
            let code = ErrorCode(answer.error_code);
            assert_ne!(code, ErrorCode::NONE, "{codec:?}");
            assert!(broker.is_kafka() || code != ErrorCode::UNKNOWN_SERVER_ERROR, "{codec:?}");
        }
    });
    assert_eq!(wire.offsets(&topic, 0), (0, 0));
    witness.check_undisturbed(PATIENCE);
    assert!(broker.is_alive());
}

/// Requests in flight have one budget over all connections. Who stalls in the middle of a long
/// frame keeps what it has of it, and others get on.
#[test]
fn long_frames_that_stall_leave_room_for_others() {
    const BUDGET: u64 = 64 * MIB;
    const FRAME: u64 = 32 * MIB;
    let options = BrokerOptions::default()
        .set("queued.max.request.bytes", &BUDGET.to_string())
        .set("socket.request.max.bytes", &FRAME.to_string());
    let mut broker = options.start();
    if broker.is_kafka() {
        // Kafka stops reading from everybody until a request is done.
        return;
    }
    let before = broker.resources().resident;
    let witness = Witness::of(&broker);
    let mut stalled = Vec::new();
    for _ in 0..6 {
        let mut wire = broker.connect().with_timeout(Duration::from_millis(500));
        wire.send_raw(&(FRAME as u32).to_be_bytes()).expect("still open");
        // Most of a frame each; what finds no room is not taken.
        let _ = wire.send_raw(&vec![0; 24 << 20]);
        stalled.push(wire);
    }
    let held = broker.resources().resident - before;
    println!("{} MiB held", held / MIB);
    // One frame more than the budget may be held.
    assert!(held < BUDGET + FRAME + 16 * MIB, "{} MiB", held / MIB);
    witness.check_undisturbed(PATIENCE);
    drop(stalled);
    let deadline = Instant::now() + PATIENCE;
    while broker.resources().resident > before + 16 * MIB {
        assert!(Instant::now() < deadline, "the memory was not given back");
        thread::sleep(Duration::from_millis(50));
    }
    assert!(broker.is_alive());
}
