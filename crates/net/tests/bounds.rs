//! What peers cannot make the broker do: hold memory, connections or time without bound.

mod loopback;

use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use highwater_net::limits::{PIPELINED_REQUESTS_MAX, UNSENT_BYTES_MAX};
use highwater_net::{CloseReason, ConnectionLimits, NetConfig};
use loopback::{BIG, start, until};
use tokio::io::AsyncWriteExt;

fn taken(running: &loopback::Running) -> usize {
    running.service.taken.load(Ordering::SeqCst)
}

#[tokio::test]
async fn reading_stops_at_the_pipelining_limit() {
    let running = start(NetConfig::default());
    let mut peer = running.connect().await;
    peer.send("p").await;
    for _ in 0..PIPELINED_REQUESTS_MAX + 20 {
        peer.send("e").await;
    }
    running.service.await_taken(PIPELINED_REQUESTS_MAX).await;
    peer.expect_silence().await;
    assert_eq!(taken(&running), PIPELINED_REQUESTS_MAX);
    running.service.release("p");
    peer.expect("p").await;
    for _ in 0..PIPELINED_REQUESTS_MAX + 20 {
        peer.expect("e").await;
    }
}

#[tokio::test]
async fn reading_stops_while_the_peer_takes_no_answers() {
    // Small socket buffers, or the kernel takes many answers.
    let config = NetConfig { send_buffer_bytes: Some(256 << 10), ..NetConfig::default() };
    let running = start(config);
    let mut peer = running.connect().await;
    for _ in 0..40 {
        peer.send("b").await;
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    // One above the limit, one on its way, and what the two kernels' buffers hold.
    let held = taken(&running);
    assert!(held <= UNSENT_BYTES_MAX / BIG + 10, "{held} answers are held");
    for _ in 0..40 {
        assert_eq!(peer.receive().await.len(), BIG);
    }
}

#[tokio::test]
async fn requests_in_flight_share_one_budget() {
    let config =
        NetConfig { requests_bytes_max: 1000, frame_bytes_max: 1000, ..NetConfig::default() };
    let running = start(config);
    let mut peers = Vec::new();
    for index in 0..4 {
        let mut peer = running.connect().await;
        peer.send(format!("p{index:-<399}")).await;
        peers.push(peer);
    }
    // Two fill the budget, one takes the express lane, one waits.
    running.service.await_taken(3).await;
    peers[0].expect_silence().await;
    assert_eq!(taken(&running), 3);
    // Once any is answered the last one is taken.
    let first = (0..4).find(|i| running.service.is_parked(&format!("p{i:-<399}"))).unwrap();
    running.service.release(&format!("p{first:-<399}"));
    running.service.await_taken(4).await;
}

#[tokio::test]
async fn frames_larger_than_the_budget_pass_one_by_one() {
    let config = NetConfig { requests_bytes_max: 300 << 10, ..NetConfig::default() };
    let running = start(config);
    let mut peers = Vec::new();
    for _ in 0..4 {
        let peer = running.connect().await;
        peers.push(tokio::spawn(async move {
            let (mut peer, frame) = (peer, vec![b'e'; 2 << 20]);
            peer.0.write_all(&(frame.len() as i32).to_be_bytes()).await.unwrap();
            let (mut read, mut write) = peer.0.split();
            let receiving = async {
                use tokio::io::AsyncReadExt;
                let mut got = vec![0; frame.len() + 4];
                read.read_exact(&mut got).await.unwrap();
                got
            };
            let (sent, got) = tokio::join!(write.write_all(&frame), receiving);
            sent.unwrap();
            assert!(got[4..] == frame);
        }));
    }
    for peer in peers {
        tokio::time::timeout(Duration::from_secs(20), peer).await.unwrap().unwrap();
    }
}

/// Resident memory of this process.
fn resident_bytes() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[tokio::test]
async fn claimed_lengths_and_idle_connections_cost_little() {
    let running = start(NetConfig::default());
    let mut peers = Vec::new();
    for _ in 0..10 {
        peers.push(running.connect().await);
    }
    let before = resident_bytes();
    for index in 0..1000 {
        let mut peer = running.connect().await;
        if index < 500 {
            // 100 MB claimed, one byte sent.
            peer.0.write_all(&[6, 0x3f, 0xff, 0xff, b'e']).await.unwrap();
        } else {
            peer.send("e").await;
            peer.expect("e").await;
        }
        peers.push(peer);
    }
    // Past the moment when silent connections give their buffers back.
    tokio::time::sleep(Duration::from_millis(2500)).await;
    let grown = resident_bytes().saturating_sub(before);
    // Both ends of a connection, and this test's own things, are in this process.
    assert!(grown < 1000 * (16 << 10), "{grown} bytes for 1000 connections");
}

#[tokio::test]
async fn idle_connections_are_closed_and_busy_ones_not() {
    let idle_timeout = Some(Duration::from_millis(1500));
    let running = start(NetConfig { idle_timeout, ..NetConfig::default() });
    let mut waiting = running.connect().await;
    waiting.send("p").await;
    running.service.await_taken(1).await;
    let mut idle = running.connect().await;
    idle.send("e").await;
    idle.expect("e").await;
    let begun = Instant::now();
    idle.expect_close().await;
    assert!(begun.elapsed() > Duration::from_millis(1400), "{:?}", begun.elapsed());
    running.service.await_closed(CloseReason::Idle).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    running.service.release("p");
    waiting.expect("p").await;
}

#[tokio::test]
async fn frames_that_do_not_go_on_close_the_connection() {
    let stalled_frame_timeout = Duration::from_millis(1200);
    let running = start(NetConfig { stalled_frame_timeout, ..NetConfig::default() });
    for begun in [&[0, 0, 0][..], &[0, 0, 0, 2, b'e'], &[0, 2, 0, 0, b'e']] {
        running.service.closed.lock().clear();
        let mut peer = running.connect().await;
        peer.0.write_all(begun).await.unwrap();
        peer.expect_close().await;
        running.service.await_closed(CloseReason::StalledFrame).await;
    }
}

#[tokio::test]
async fn connections_are_counted_by_address_and_in_all() {
    let limits = ConnectionLimits { connections_max: 3, per_ip_max: 2, ..Default::default() };
    let running = start(limited(limits));
    let mut first = running.connect().await;
    let mut second = running.connect().await;
    for peer in [&mut first, &mut second] {
        peer.send("e").await;
        peer.expect("e").await;
    }
    running.connect().await.expect_close().await;
    drop(first);
    until(|| running.server.connections() == 1).await;
    let mut third = running.connect().await;
    third.send("e").await;
    third.expect("e").await;
}

/// Other bounds for some addresses, and other limits while connections are there.
#[tokio::test]
async fn limits_on_connections_change() {
    let other = IpAddr::from([127, 0, 0, 2]);
    let limits = |count, of_this: usize| ConnectionLimits {
        connections_max: count,
        per_ip_max: 0,
        per_ip_overrides: [(IpAddr::from([127, 0, 0, 1]), of_this), (other, 9)].into(),
        ..Default::default()
    };
    let running = start(limited(limits(9, 1)));
    let admission = running.server.admission();
    let mut first = running.connect().await;
    first.send("e").await;
    first.expect("e").await;
    running.connect().await.expect_close().await;

    admission.limit(limits(9, 2));
    let mut second = running.connect().await;
    second.send("e").await;
    second.expect("e").await;

    // Fewer than there are: those stay, and whoever comes waits, until there may be more.
    admission.limit(limits(1, 9));
    let mut third = running.connect().await;
    third.send("e").await;
    third.expect_silence().await;
    first.send("e").await;
    first.expect("e").await;
    admission.limit(limits(3, 9));
    third.expect("e").await;
}

#[tokio::test]
async fn no_more_come_in_than_the_rate_lets() {
    let limits = |rate_max| ConnectionLimits { rate_max, ..Default::default() };
    let running = start(limited(limits(Some(0))));
    let mut peer = running.connect().await;
    peer.send("e").await;
    peer.expect_silence().await;
    running.server.admission().limit(limits(Some(1_000)));
    peer.expect("e").await;
}

fn limited(connections: ConnectionLimits) -> NetConfig {
    NetConfig { connections, ..NetConfig::default() }
}

#[tokio::test]
async fn at_the_limit_new_connections_wait() {
    let running = start(limited(ConnectionLimits { connections_max: 1, ..Default::default() }));
    let mut first = running.connect().await;
    first.send("e").await;
    first.expect("e").await;
    let mut second = running.connect().await;
    second.send("e").await;
    second.expect_silence().await;
    drop(first);
    second.expect("e").await;
}

#[tokio::test]
async fn a_stop_lets_requests_be_answered_and_then_ends() {
    let running = start(NetConfig::default());
    let (mut idle, mut busy, mut hung) =
        (running.connect().await, running.connect().await, running.connect().await);
    idle.send("e").await;
    idle.expect("e").await;
    busy.send("p").await;
    hung.send("h").await;
    running.service.await_taken(3).await;
    let service = running.service.clone();
    let address = running.address;
    let stopping = tokio::spawn(running.server.stop(Duration::from_millis(500)));
    idle.expect_close().await;
    busy.send("e-not taken any more").await;
    service.release("p");
    busy.expect("p").await;
    hung.expect_close().await;
    stopping.await.unwrap();
    assert_eq!(service.closed.lock().len(), 3);
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}
