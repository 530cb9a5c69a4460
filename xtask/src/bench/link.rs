//! A blocking connection to a broker: frames out, answers in.
//!
//! Knows where in an answer the code and the records are, and no more of the protocol than
//! `frames` does. An answer with an error code is an error here.

use crate::bench::frames;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

const ANSWER_SECONDS_MAX: u64 = 60;
const ANSWER_BYTES_MAX: usize = 256 << 20;

/// How long a topic may take to be there for producers.
const WRITABLE_SECONDS_MAX: u64 = 60;

pub struct Link {
    stream: TcpStream,
}

impl Link {
    pub fn connect(port: u16) -> Result<Link, String> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port));
        let stream = stream.map_err(|error| format!("connect: {error}"))?;
        let limit = Some(Duration::from_secs(ANSWER_SECONDS_MAX));
        stream
            .set_nodelay(true)
            .and_then(|()| stream.set_read_timeout(limit))
            .map_err(|error| error.to_string())?;
        Ok(Link { stream })
    }

    /// The same connection, for a second thread.
    pub fn twin(&self) -> Result<Link, String> {
        let stream = self.stream.try_clone().map_err(|error| error.to_string())?;
        Ok(Link { stream })
    }

    pub fn send(&mut self, frame: &[u8]) -> Result<(), String> {
        self.stream.write_all(frame).map_err(|error| format!("send: {error}"))
    }

    /// What follows the length of the next answer: correlation id and body.
    pub fn receive(&mut self, answer: &mut Vec<u8>) -> Result<(), String> {
        let mut length = [0; 4];
        let told = |error: std::io::Error| format!("no answer: {error}");
        self.stream.read_exact(&mut length).map_err(told)?;
        let length = u32::from_be_bytes(length) as usize;
        if length > ANSWER_BYTES_MAX {
            return Err(format!("an answer of {length} bytes"));
        }
        answer.resize(length, 0);
        self.stream.read_exact(answer).map_err(told)
    }

    pub fn ask(&mut self, frame: &[u8]) -> Result<Vec<u8>, String> {
        self.send(frame)?;
        let mut answer = Vec::new();
        self.receive(&mut answer)?;
        Ok(answer)
    }

    pub fn create_topic(&mut self, topic: &str, partitions: i32) -> Result<(), String> {
        let answer = self.ask(&frames::create_topic(topic, partitions))?;
        // Correlation id, throttle time and count, then the topic and its code.
        refuse(code(&answer, 12 + 2 + topic.len())?, "CreateTopics")
    }

    /// Produces until it is acknowledged: a topic that was just created may not be there yet.
    pub fn produce(&mut self, topic: &str, partition: i32, batch: &[u8]) -> Result<(), String> {
        let frame = frames::produce(topic, partition, batch);
        let started = Instant::now();
        loop {
            let answer = self.ask(&frame)?;
            match produced(&answer, topic) {
                Ok(()) => return Ok(()),
                Err(message) if started.elapsed().as_secs() > WRITABLE_SECONDS_MAX => {
                    return Err(message);
                }
                Err(_) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }
}

/// Whether a produce for one partition of `topic` was acknowledged.
pub fn produced(answer: &[u8], topic: &str) -> Result<(), String> {
    // Correlation id, count, topic, count, partition, then the code.
    refuse(code(answer, 8 + 2 + topic.len() + 8)?, "Produce")
}

/// The records in the answer to a fetch of one partition of `topic`.
pub fn fetched<'a>(answer: &'a [u8], topic: &str) -> Result<&'a [u8], String> {
    // Correlation id, throttle time, count, topic, count, partition, then the code.
    let at = 12 + 2 + topic.len() + 8;
    refuse(code(answer, at)?, "Fetch")?;
    // High watermark and last stable offset, then a count of aborted transactions, each 16 bytes.
    let at = at + 2 + 16;
    let aborted = frames::int::<4>(answer, at).map(i32::from_be_bytes).ok_or(SHORT)?;
    let at = at + 4 + 16 * usize::try_from(aborted).unwrap_or(0);
    let length = frames::int::<4>(answer, at).map(i32::from_be_bytes).ok_or(SHORT)?;
    let length = usize::try_from(length).unwrap_or(0);
    answer.get(at + 4..at + 4 + length).ok_or(SHORT.to_owned())
}

const SHORT: &str = "an answer is too short";

fn code(answer: &[u8], at: usize) -> Result<i16, String> {
    frames::int(answer, at).map(i16::from_be_bytes).ok_or(SHORT.to_owned())
}

fn refuse(code: i16, what: &str) -> Result<(), String> {
    if code == 0 { Ok(()) } else { Err(format!("{what} was answered with error code {code}")) }
}
