//! Frames in, answers out in order; and what is not a frame.

mod loopback;

use std::time::Duration;

use highwater_net::{CloseReason, NetConfig};
use loopback::{Peer, start};
use tokio::io::AsyncWriteExt;

#[tokio::test]
async fn answers_leave_in_the_order_of_requests() {
    let running = start(NetConfig::default());
    let mut peer = running.connect().await;
    for frame in ["e1", "p1", "e2", "n-", "p2", "p3", "e3"] {
        peer.send(frame).await;
    }
    running.service.await_taken(7).await;
    peer.expect("e1").await;
    peer.expect_silence().await;
    running.service.release("p2");
    running.service.release("p3");
    peer.expect_silence().await;
    running.service.release("p1");
    for frame in ["p1", "e2", "p2", "p3", "e3"] {
        peer.expect(frame).await;
    }
    peer.expect_silence().await;
}

#[tokio::test]
async fn frames_arrive_in_any_pieces() {
    let running = start(NetConfig::default());
    let mut peer = running.connect().await;
    for byte in [0, 0, 0, 3, b'e', b'1', b'2', 0, 0] {
        peer.0.write_all(&[byte]).await.unwrap();
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    peer.expect("e12").await;
    peer.0.write_all(&[0, 2, b'e', b'3', 0, 0, 0, 1, b'e', 0]).await.unwrap();
    peer.expect("e3").await;
    peer.expect("e").await;
    peer.0.write_all(&[0, 0, 1, b'e']).await.unwrap();
    peer.expect("e").await;
}

#[tokio::test]
async fn frames_of_every_size_come_whole() {
    let running = start(NetConfig::default());
    let mut peer = running.connect().await;
    let sizes = [1, 4095, 4096, 65_531, 65_532, 65_533, 65_536, 65_537, 262_144, 262_145, 9 << 20];
    for size in sizes {
        let frame: Vec<u8> = (0..size).map(|i| if i == 0 { b'e' } else { i as u8 }).collect();
        let Peer(stream) = &mut peer;
        let (mut read, mut write) = stream.split();
        let sent = frame.clone();
        let sending = async {
            // Something in front and behind, so that frames share reads.
            write.write_all(&[0, 0, 0, 1, b'e']).await.unwrap();
            write.write_all(&(size as i32).to_be_bytes()).await.unwrap();
            write.write_all(&sent).await.unwrap();
            write.write_all(&[0, 0, 0, 1, b'e']).await.unwrap();
        };
        let receiving = async {
            use tokio::io::AsyncReadExt;
            let mut got = vec![0; 5 + 4 + size + 5];
            read.read_exact(&mut got).await.unwrap();
            got
        };
        let ((), got) = tokio::join!(sending, receiving);
        assert!(got[9..9 + size] == frame, "size {size}");
    }
}

async fn check_refused(bytes: &[u8], reason: CloseReason) {
    let config = NetConfig { frame_bytes_max: 1000, ..NetConfig::default() };
    let running = start(config);
    let mut peer = running.connect().await;
    peer.send("e1").await;
    peer.0.write_all(bytes).await.unwrap();
    peer.expect("e1").await;
    peer.expect_close().await;
    running.service.await_closed(reason).await;
}

#[tokio::test]
async fn lengths_out_of_bounds_close_without_an_answer() {
    for bytes in [
        [0, 0, 0, 0],
        [0xff; 4],
        [0x80, 0, 0, 0],
        [0, 0, 0x03, 0xe9],
        [0x7f, 0xff, 0xff, 0xff],
        *b"GET ",
    ] {
        check_refused(&bytes, CloseReason::FrameLength).await;
    }
}

#[tokio::test]
async fn the_service_may_close_behind_earlier_answers() {
    let reason = CloseReason::Service("as the test wants");
    check_refused(&[0, 0, 0, 1, b'c'], reason).await;
}

#[tokio::test]
async fn nothing_is_taken_behind_a_close() {
    let running = start(NetConfig::default());
    let mut peer = running.connect().await;
    peer.0.write_all(b"\0\0\0\x02p1\0\0\0\x01c\0\0\0\x01e\0\0\0\x01e").await.unwrap();
    running.service.await_taken(2).await;
    tokio::time::sleep(Duration::from_millis(30)).await;
    running.service.release("p1");
    peer.expect("p1").await;
    peer.expect_close().await;
    assert_eq!(running.service.taken.load(std::sync::atomic::Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_peer_that_half_closes_still_gets_its_answers() {
    let running = start(NetConfig::default());
    let mut peer = running.connect().await;
    peer.send("p1").await;
    peer.send("e1").await;
    peer.0.shutdown().await.unwrap();
    running.service.await_taken(2).await;
    running.service.release("p1");
    peer.expect("p1").await;
    peer.expect("e1").await;
    peer.expect_close().await;
    running.service.await_closed(CloseReason::Peer).await;
}

#[tokio::test]
async fn a_peer_that_goes_away_takes_its_requests_along() {
    let running = start(NetConfig::default());
    let mut peer = running.connect().await;
    peer.send("h").await;
    running.service.await_taken(1).await;
    drop(peer);
    running.service.await_closed(CloseReason::Peer).await;
    loopback::until(|| running.server.connections() == 0).await;
}

#[tokio::test]
async fn a_panic_ends_one_connection_only() {
    let running = start(NetConfig::default());
    let mut other = running.connect().await;
    let mut peer = running.connect().await;
    peer.send("!").await;
    peer.expect_close().await;
    other.send("e").await;
    other.expect("e").await;
    loopback::until(|| running.server.connections() == 1).await;
}
