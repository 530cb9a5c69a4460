//! Producer snapshots, checkpoints and property files.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::Problems;
use super::line::{Line, Sink};
use crate::failure::Outcome;

/// Version and CRC.
const SNAPSHOT_PREFIX_BYTES: usize = 6;
const SNAPSHOT_VERSION: i16 = 1;
const PRODUCER_BYTES: usize = 46;

/// One producer of a `.snapshot`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Producer {
    id: i64,
    epoch: i16,
    last_sequence: i32,
    last_offset: i64,
    offset_delta: i32,
    timestamp: i64,
    coordinator_epoch: i32,
    /// -1 without an open transaction.
    transaction_first: i64,
}

pub(super) fn dump_producers(file: &Path, count: usize, sink: &mut Sink<'_>) -> Outcome<Problems> {
    let producers = match parse_producers(&fs::read(file)?) {
        Ok(producers) => producers,
        Err(why) => return damaged(why, sink),
    };
    for producer in producers.iter().take(count) {
        let mut line = Line::new("producer")
            .word("producer", producer.id)
            .word("producer_epoch", producer.epoch)
            .word("last_sequence", producer.last_sequence)
            .word("last", producer.last_offset)
            .word("offset_delta", producer.offset_delta)
            .time("time", producer.timestamp)
            .word("coordinator_epoch", producer.coordinator_epoch);
        if producer.transaction_first >= 0 {
            line = line.word("transaction_first", producer.transaction_first);
        }
        sink.write(line)?;
    }
    Ok(0)
}

fn parse_producers(bytes: &[u8]) -> Result<Vec<Producer>, String> {
    let short = || "it is cut short".to_owned();
    let (prefix, body) = bytes.split_at_checked(SNAPSHOT_PREFIX_BYTES).ok_or_else(short)?;
    let mut prefix = Fields(prefix);
    let version = i16::from_be_bytes(prefix.take());
    if version != SNAPSHOT_VERSION {
        return Err(format!("version {version} is not known"));
    }
    if u32::from_be_bytes(prefix.take()) != crc_fast::crc32_iscsi(body) {
        return Err("its checksum does not match".to_owned());
    }
    let (count, entries) = body.split_first_chunk().ok_or_else(short)?;
    let count = i32::from_be_bytes(*count);
    if usize::try_from(count) != Ok(entries.len() / PRODUCER_BYTES) {
        return Err(format!("it says {count} producers, {} bytes follow", entries.len()));
    }
    Ok(entries.chunks_exact(PRODUCER_BYTES).map(producer).collect())
}

fn producer(entry: &[u8]) -> Producer {
    let mut fields = Fields(entry);
    Producer {
        id: i64::from_be_bytes(fields.take()),
        epoch: i16::from_be_bytes(fields.take()),
        last_sequence: i32::from_be_bytes(fields.take()),
        last_offset: i64::from_be_bytes(fields.take()),
        offset_delta: i32::from_be_bytes(fields.take()),
        timestamp: i64::from_be_bytes(fields.take()),
        coordinator_epoch: i32::from_be_bytes(fields.take()),
        transaction_first: i64::from_be_bytes(fields.take()),
    }
}

struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    /// The next bytes; zeros behind the end.
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (bytes, rest) = self.0.split_first_chunk().unwrap_or((&[0; N], &[]));
        self.0 = rest;
        *bytes
    }
}

pub(super) fn dump_epochs(file: &Path, sink: &mut Sink<'_>) -> Outcome<Problems> {
    let text = fs::read_to_string(file)?;
    let entries = match parse_checkpoint(&text) {
        Ok(entries) => entries,
        Err(why) => return damaged(why, sink),
    };
    for entry in entries {
        let (epoch, start) = entry.split_once(' ').unwrap_or((entry, ""));
        sink.write(Line::new("epoch").word("epoch", number(epoch)).word("start", number(start)))?;
    }
    Ok(0)
}

pub(super) fn dump_offsets(file: &Path, sink: &mut Sink<'_>) -> Outcome<Problems> {
    let text = fs::read_to_string(file)?;
    let entries = match parse_checkpoint(&text) {
        Ok(entries) => entries,
        Err(why) => return damaged(why, sink),
    };
    for entry in entries {
        let mut words = entry.split(' ');
        let mut next = || words.next().unwrap_or_default();
        let line = Line::new("offset").word("topic", next());
        sink.write(line.word("partition", number(next())).word("offset", number(next())))?;
    }
    Ok(0)
}

/// The lines behind version and count.
fn parse_checkpoint(text: &str) -> Result<Vec<&str>, String> {
    let mut lines = text.lines();
    let version = lines.next().unwrap_or_default();
    if version != "0" {
        return Err(format!("version {version:?} is not known"));
    }
    let count: usize =
        lines.next().and_then(|line| line.parse().ok()).ok_or("there is no count")?;
    let entries: Vec<&str> = lines.collect();
    match entries.len() == count {
        true => Ok(entries),
        false => Err(format!("it says {count} entries, there are {}", entries.len())),
    }
}

pub(super) fn dump_properties(file: &Path, sink: &mut Sink<'_>) -> Outcome<Problems> {
    for line in fs::read_to_string(file)?.lines() {
        if !line.trim_start().starts_with('#') && !line.trim().is_empty() {
            sink.write(Line::new("text").word("line", line))?;
        }
    }
    Ok(0)
}

fn number(text: &str) -> Value {
    text.parse::<i64>().map_or_else(|_| text.into(), Into::into)
}

fn damaged(why: String, sink: &mut Sink<'_>) -> Outcome<Problems> {
    sink.write(Line::new("damage").word("why", why))?;
    Ok(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints() {
        assert_eq!(parse_checkpoint("0\n2\n0 0\n2 6\n"), Ok(vec!["0 0", "2 6"]));
        assert_eq!(parse_checkpoint("0\n0\n"), Ok(vec![]));
        for bad in ["", "1\n0\n", "0\nx\n", "0\n2\n0 0\n"] {
            assert!(parse_checkpoint(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn snapshots_are_checked() {
        let mut body = 1_i32.to_be_bytes().to_vec();
        body.extend_from_slice(&7_i64.to_be_bytes());
        body.resize(4 + PRODUCER_BYTES, 0);
        let mut bytes = SNAPSHOT_VERSION.to_be_bytes().to_vec();
        bytes.extend_from_slice(&crc_fast::crc32_iscsi(&body).to_be_bytes());
        bytes.extend_from_slice(&body);
        let producers = parse_producers(&bytes).unwrap();
        assert_eq!((producers.len(), producers[0].id), (1, 7));
        for length in 0..bytes.len() {
            assert!(parse_producers(&bytes[..length]).is_err(), "{length}");
        }
        bytes[20] ^= 1;
        assert!(parse_producers(&bytes).is_err());
    }
}
