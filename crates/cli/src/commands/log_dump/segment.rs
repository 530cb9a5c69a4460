//! Segments and snapshots of the metadata log: batches, and the records in them.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use highwater_records::{BatchHeader, BatchView, HEADER_BYTES, RecordView, Scratch, TimestampType};
use serde_json::{Map, Value};

use super::decode::Decoder;
use super::line::{Line, Sink};
use super::{LogDumpArgs, Problems};
use crate::failure::Outcome;
use crate::text::bytes;

const READ_BYTES: usize = 1 << 16;

pub(super) fn dump(file: &Path, args: &LogDumpArgs, sink: &mut Sink<'_>) -> Outcome<Problems> {
    let mut reader = SegmentReader::open(file)?;
    let mut scratch = Scratch::new();
    let (mut problems, mut shown) = (0, 0);
    let from = args.from.unwrap_or(i64::MIN);
    while shown < args.count.unwrap_or(usize::MAX) {
        let position = reader.position;
        let header = match reader.next_header()? {
            Next::Header(header) => header,
            Next::End => break,
            Next::Damage(why) => {
                sink.write(Line::new("damage").word("position", position).word("why", why))?;
                return Ok(problems + 1);
            }
        };
        if header.last_offset() < from {
            reader.skip(&header)?;
            continue;
        }
        let batch = reader.batch(&header)?;
        problems += show_batch(&batch, position, args.decoder(), &mut scratch, sink)?;
        shown += 1;
    }
    Ok(problems)
}

struct SegmentReader {
    file: BufReader<File>,
    position: u64,
    size: u64,
    /// The header's bytes that were read last.
    header: [u8; HEADER_BYTES],
}

enum Next {
    Header(BatchHeader),
    End,
    /// What follows is no batch.
    Damage(String),
}

impl SegmentReader {
    fn open(path: &Path) -> io::Result<SegmentReader> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        let file = BufReader::with_capacity(READ_BYTES, file);
        Ok(SegmentReader { file, position: 0, size, header: [0; HEADER_BYTES] })
    }

    /// Reads a header and leaves the file behind it.
    fn next_header(&mut self) -> io::Result<Next> {
        let left = self.size.saturating_sub(self.position);
        if left == 0 {
            return Ok(Next::End);
        }
        if left < HEADER_BYTES as u64 {
            return Ok(Next::Damage(format!("{left} bytes are left, too few for a batch")));
        }
        self.file.read_exact(&mut self.header)?;
        match BatchHeader::parse(&self.header) {
            Ok(header) if header.size_bytes() as u64 > left => Ok(Next::Damage(format!(
                "the file ends within a batch of {} bytes: {left} are there",
                header.size_bytes()
            ))),
            Ok(header) => Ok(Next::Header(header)),
            Err(_) if self.header == [0; HEADER_BYTES] => {
                Ok(Next::Damage(format!("zeros from here on, {left} bytes are left")))
            }
            Err(error) => Ok(Next::Damage(error.to_string())),
        }
    }

    fn skip(&mut self, header: &BatchHeader) -> io::Result<()> {
        self.position += header.size_bytes() as u64;
        self.file.seek_relative((header.size_bytes() - HEADER_BYTES) as i64)
    }

    /// The whole batch whose header has just been read.
    fn batch(&mut self, header: &BatchHeader) -> io::Result<Vec<u8>> {
        let mut batch = vec![0; header.size_bytes()];
        let (front, payload) = batch.split_at_mut(HEADER_BYTES);
        front.copy_from_slice(&self.header);
        self.file.read_exact(payload)?;
        self.position += header.size_bytes() as u64;
        Ok(batch)
    }
}

fn show_batch(
    bytes: &[u8],
    position: u64,
    decoder: Option<Decoder>,
    scratch: &mut Scratch,
    sink: &mut Sink<'_>,
) -> Outcome<Problems> {
    let batch = match BatchView::parse(bytes) {
        Ok(batch) => batch,
        Err(error) => {
            let line = Line::new("damage").word("position", position);
            sink.write(line.word("why", error.to_string()))?;
            return Ok(1);
        }
    };
    let crc = batch.verify_crc();
    sink.write(batch_line(batch.header(), position, crc.is_ok()))?;
    let mut problems = 0;
    if let Err(error) = crc {
        problems += 1;
        sink.write(Line::new("damage").word("position", position).word("why", error.to_string()))?;
    } else if let Some(decoder) = decoder {
        problems += show_records(&batch, position, decoder, scratch, sink)?;
    }
    Ok(problems)
}

fn batch_line(header: &BatchHeader, position: u64, is_valid: bool) -> Line {
    let codec = match header.compression() {
        Ok(codec) => codec.name().to_owned(),
        Err(_) => format!("unknown-{}", header.attributes.codec_code()),
    };
    let time_type = match header.timestamp_type() {
        TimestampType::CreateTime => "create",
        TimestampType::LogAppendTime => "append",
    };
    let mut line = Line::new("batch")
        .word("offset", header.base_offset)
        .word("last", header.last_offset())
        .word("records", header.record_count)
        .word("position", position)
        .word("size", header.size_bytes())
        .word("codec", codec)
        .time("max_time", header.max_timestamp)
        .word("time_type", time_type)
        .word("epoch", header.partition_leader_epoch);
    if header.has_producer() || header.base_sequence >= 0 {
        line = line
            .word("producer", header.producer_id)
            .word("producer_epoch", header.producer_epoch)
            .word("sequence", header.base_sequence);
    }
    if header.is_transactional() {
        line = line.word("transactional", true);
    }
    if header.is_control() {
        line = line.word("control", true);
    }
    if let Some(horizon) = header.delete_horizon() {
        line = line.time("delete_horizon", horizon);
    }
    line.word("crc", if is_valid { "ok" } else { "wrong" })
}

fn show_records(
    batch: &BatchView<'_>,
    position: u64,
    decoder: Decoder,
    scratch: &mut Scratch,
    sink: &mut Sink<'_>,
) -> Outcome<Problems> {
    let damage = |why: String| Line::new("damage").word("position", position).word("why", why);
    let records = match batch.records(scratch) {
        Ok(records) => records,
        Err(error) => {
            sink.write(damage(error.to_string()))?;
            return Ok(1);
        }
    };
    let mut problems = 0;
    for record in records {
        match record {
            Ok(record) => {
                let line = record_line(&record, batch.header().is_control(), decoder);
                sink.write(line)?;
            }
            Err(error) => {
                problems += 1;
                sink.write(damage(error.to_string()))?;
            }
        }
    }
    Ok(problems)
}

fn record_line(record: &RecordView<'_>, is_control: bool, decoder: Decoder) -> Line {
    let mut line = Line::new("record").word("offset", record.offset).time("time", record.timestamp);
    let decoded = match is_control {
        true => super::decode::control(record),
        false => decoder.decode(record),
    };
    line = match decoded {
        None => line.bytes("key", record.key).bytes("value", record.value),
        Some(decoded) => {
            let named = line.word("type", decoded.kind);
            let keyed = match decoded.key {
                Some(key) => named.word("key", key),
                None => named,
            };
            keyed.word("value", decoded.value)
        }
    };
    let headers: Vec<Value> = record.headers.map(header_json).collect();
    if headers.is_empty() { line } else { line.word("headers", headers) }
}

fn header_json(header: highwater_records::Header<'_>) -> Value {
    let mut object = Map::new();
    bytes::insert_json(&mut object, "name", Some(header.name));
    bytes::insert_json(&mut object, "value", header.value);
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    use highwater_records::{BatchBuilder, BatchOptions, NewRecord};

    use super::*;

    fn batch(base_offset: i64) -> Vec<u8> {
        let options = BatchOptions { base_offset, ..BatchOptions::default() };
        let mut builder = BatchBuilder::new(options);
        builder.append(&NewRecord { value: Some(b"v"), ..NewRecord::default() });
        builder.build().to_vec()
    }

    fn check(bytes: &[u8], offsets: &[i64], damage: Option<&str>) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("00000000000000000000.log");
        std::fs::write(&path, bytes).unwrap();
        let mut reader = SegmentReader::open(&path).unwrap();
        let mut found = Vec::new();
        let why = loop {
            match reader.next_header().unwrap() {
                Next::Header(header) => {
                    found.push(header.base_offset);
                    let read = reader.batch(&header).unwrap();
                    assert!(BatchView::parse(&read).unwrap().verify_crc().is_ok());
                }
                Next::End => break None,
                Next::Damage(why) => break Some(why),
            }
        };
        assert_eq!(found, offsets);
        match damage {
            None => assert_eq!(why, None),
            Some(word) => assert!(why.as_deref().is_some_and(|w| w.contains(word)), "{why:?}"),
        }
    }

    #[test]
    fn a_segment_is_read_to_its_last_whole_batch() {
        let whole = [batch(0), batch(1)].concat();
        check(&whole, &[0, 1], None);
        check(&[], &[], None);
        check(&whole[..whole.len() - 1], &[0], Some("ends within"));
        check(&whole[..batch(0).len() + 5], &[0], Some("too few"));
        check(&[whole.clone(), vec![0; 100]].concat(), &[0, 1], Some("zeros"));
    }
}
