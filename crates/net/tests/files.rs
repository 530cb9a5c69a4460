//! Answers that lie in files.

mod loopback;

use std::fs::File;
use std::io::Write;
use std::sync::Arc;

use highwater_net::{CloseReason, NetConfig};
use highwater_wire::FileRange;
use loopback::start;
use rustix::fs::{Advice, fadvise};
use tokio::io::AsyncReadExt;

fn file(len: usize) -> (Arc<File>, Vec<u8>) {
    let content: Vec<u8> = (0..len).map(|i| (i / 7) as u8).collect();
    let mut file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    file.write_all(&content).unwrap();
    file.sync_all().unwrap();
    (Arc::new(file), content)
}

async fn check_sent(position: usize, len: usize, is_cold: bool) {
    let running = start(NetConfig::default());
    let (file, content) = file(position + len + 10);
    if is_cold {
        fadvise(&*file, 0, None, Advice::DontNeed).unwrap();
    }
    let range = FileRange { file, position: position as u64, len };
    *running.service.file.lock() = Some(range);
    let mut peer = running.connect().await;
    // Twice, with an answer in between.
    for frame in ["f", "e", "f"] {
        peer.send(frame).await;
    }
    for expected in ["f", "e", "f"] {
        let got = peer.receive().await;
        if expected == "e" {
            assert_eq!(got, b"e");
            continue;
        }
        assert_eq!(got.len(), len + 2);
        assert_eq!((got[0], got[len + 1]), (b'<', b'>'));
        assert!(got[1..=len] == content[position..position + len], "{len} bytes at {position}");
    }
}

#[tokio::test]
async fn ranges_of_every_size_are_sent() {
    for (position, len) in
        [(0, 1), (5, 16 << 10), (5, (16 << 10) + 1), (4096, 1 << 20), (777, 12_345_678)]
    {
        check_sent(position, len, false).await;
        check_sent(position, len, true).await;
    }
}

async fn check_truncated(len: usize) {
    let running = start(NetConfig::default());
    let (file, _) = file(len);
    *running.service.file.lock() = Some(FileRange { file: file.clone(), position: 0, len });
    file.set_len(len as u64 / 2).unwrap();
    let mut peer = running.connect().await;
    peer.send("f").await;
    let mut got = Vec::new();
    peer.0.read_to_end(&mut got).await.unwrap();
    assert!(got.len() <= 5 + len / 2);
    running.service.await_closed(CloseReason::Io(std::io::ErrorKind::UnexpectedEof)).await;
}

#[tokio::test]
async fn a_file_cut_under_an_answer_closes_the_connection() {
    check_truncated(1000).await;
    check_truncated(3 << 20).await;
}
