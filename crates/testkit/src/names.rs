//! Names, ports and times that no other test uses.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Below the ports that the system hands to outgoing connections: one that is free now is not
/// taken by a client that happens to connect.
const PORTS: std::ops::Range<u32> = 20_000..32_000;

static COUNTER: AtomicU32 = AtomicU32::new(0);

fn next() -> u32 {
    COUNTER.fetch_add(1, Ordering::Relaxed)
}

/// Milliseconds since 1970.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is after 1970");
    since.as_millis() as i64
}

/// A name that begins with `prefix`, different at each call and in each run.
pub fn unique(prefix: &str) -> String {
    format!("{prefix}-{:x}-{}", now_ms() & 0xfff_ffff, next())
}

/// A port of the loopback interface on which nobody listens.
pub fn free_port() -> u16 {
    let start = std::process::id().wrapping_mul(37);
    for _ in 0..PORTS.len() {
        let step = start.wrapping_add(next()) % PORTS.len() as u32;
        let port = (PORTS.start + step) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no free port between {} and {}", PORTS.start, PORTS.end);
}
