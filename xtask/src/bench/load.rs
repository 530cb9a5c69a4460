//! A producer that sends by the clock and never waits for an answer (open loop).

use crate::bench::frames;
use crate::bench::link::{self, Link};
use crate::bench::statistics::percentile;
use std::time::{Duration, Instant};

#[derive(Debug, Clone, Copy)]
pub struct Latency {
    pub p50_ms: f64,
    pub p99_ms: f64,
    pub max_ms: f64,
}

impl Latency {
    pub fn figures(&self) -> [f64; 3] {
        [self.p50_ms, self.p99_ms, self.max_ms]
    }
}

/// Sends `frame`, a produce for one partition of `topic`, `sends` times. A latency is from the
/// moment a send was due, not from when it left: one that was held up counts in full.
pub fn send_on_a_clock(
    port: u16,
    frame: &[u8],
    topic: &str,
    sends: u32,
    between: Duration,
) -> Result<Latency, String> {
    let mut sender = Link::connect(port)?;
    let mut receiver = sender.twin()?;
    let began = Instant::now() + between;
    let mut latencies = std::thread::scope(|scope| {
        let receiving = scope.spawn(move || {
            let mut answer = Vec::new();
            let mut latencies = Vec::with_capacity(sends as usize);
            for number in 0..sends {
                receiver.receive(&mut answer)?;
                latencies.push(Instant::now().saturating_duration_since(began + between * number));
                link::produced(&answer, topic)?;
                if frames::int(&answer, 0).map(i32::from_be_bytes) != Some(number as i32) {
                    return Err("answers are out of order".to_owned());
                }
            }
            Ok(latencies)
        });
        let mut frame = frame.to_vec();
        for number in 0..sends {
            let due = began + between * number;
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            frames::set_correlation(&mut frame, number as i32);
            sender.send(&frame)?;
        }
        receiving.join().map_err(|_| "the receiving thread panicked".to_owned())?
    })?;
    latencies.sort();
    let ms = |percent| percentile(&latencies, percent).map(|value| value.as_secs_f64() * 1000.0);
    match (ms(50.0), ms(99.0), ms(100.0)) {
        (Some(p50_ms), Some(p99_ms), Some(max_ms)) => Ok(Latency { p50_ms, p99_ms, max_ms }),
        _ => Err("nothing was sent".to_owned()),
    }
}
