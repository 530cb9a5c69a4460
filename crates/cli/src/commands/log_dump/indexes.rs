//! `.index`, `.timeindex` and `.txnindex`, checked against the segment beside them.
//!
//! Files of a running broker are longer than what is in them: entries end at the first that is
//! all zero, or that goes back.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;

use highwater_records::{BatchHeader, HEADER_BYTES};

use super::Problems;
use super::line::{Line, Sink};
use crate::failure::{Failure, Outcome};

const OFFSET_ENTRY_BYTES: usize = 8;
const TIME_ENTRY_BYTES: usize = 12;
const TRANSACTION_ENTRY_BYTES: usize = 34;

pub(super) fn dump_offsets(file: &Path, count: usize, sink: &mut Sink<'_>) -> Outcome<Problems> {
    let base = base_of(file)?;
    let segment = Segment::beside(file);
    let mut problems = 0;
    for entry in entries::<OFFSET_ENTRY_BYTES>(file)?.into_iter().take(count) {
        let offset = base + i64::from(be_i32(&entry, 0));
        let position = be_i32(&entry, 4);
        let line = Line::new("entry").word("offset", offset).word("position", position);
        let check = segment.as_ref().map(|segment| segment.check(offset, position));
        problems += write_checked(line, check, sink)?;
    }
    Ok(problems)
}

pub(super) fn dump_times(file: &Path, count: usize, sink: &mut Sink<'_>) -> Outcome<Problems> {
    let base = base_of(file)?;
    let (mut problems, mut last) = (0, i64::MIN);
    for entry in entries::<TIME_ENTRY_BYTES>(file)?.into_iter().take(count) {
        let time = be_i64(&entry, 0);
        let offset = base + i64::from(be_i32(&entry, 8));
        let line = Line::new("entry").time("time", time).word("offset", offset);
        let rises = if time >= last { Ok(()) } else { Err("earlier than the entry before") };
        problems += write_checked(line, Some(rises.map_err(str::to_owned)), sink)?;
        last = time;
    }
    Ok(problems)
}

pub(super) fn dump_transactions(
    file: &Path,
    count: usize,
    sink: &mut Sink<'_>,
) -> Outcome<Problems> {
    for entry in entries::<TRANSACTION_ENTRY_BYTES>(file)?.into_iter().take(count) {
        sink.write(
            Line::new("aborted")
                .word("producer", be_i64(&entry, 2))
                .word("offset", be_i64(&entry, 10))
                .word("last", be_i64(&entry, 18))
                .word("last_stable", be_i64(&entry, 26)),
        )?;
    }
    Ok(0)
}

fn write_checked(
    line: Line,
    check: Option<Result<(), String>>,
    sink: &mut Sink<'_>,
) -> Outcome<Problems> {
    match check {
        None => sink.write(line)?,
        Some(Ok(())) => sink.write(line.word("check", "ok"))?,
        Some(Err(why)) => {
            sink.write(line.word("check", why))?;
            return Ok(1);
        }
    }
    Ok(0)
}

/// The whole entries of a file; a last one that is cut short is left out.
fn entries<const N: usize>(file: &Path) -> Outcome<Vec<[u8; N]>> {
    let bytes = fs::read(file)?;
    let chunks = bytes.chunks_exact(N).filter_map(|chunk| chunk.try_into().ok());
    Ok(chunks.take_while(|entry| *entry != [0; N]).collect())
}

/// The offset in a file's name.
fn base_of(file: &Path) -> Outcome<i64> {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let digits = name.split('.').next().unwrap_or_default();
    let wrong = || Failure::new("its name does not begin with an offset");
    digits.parse().map_err(|_| wrong())
}

struct Segment(fs::File);

impl Segment {
    /// None if it is not there.
    fn beside(index: &Path) -> Option<Segment> {
        let name = index.file_name()?.to_str()?;
        let path = index.with_file_name(name.replacen(".index", ".log", 1));
        fs::File::open(path).ok().map(Segment)
    }

    /// At the position a batch must begin that holds the offset.
    fn check(&self, offset: i64, position: i32) -> Result<(), String> {
        let at = u64::try_from(position).map_err(|_| "a negative position".to_owned())?;
        let mut bytes = [0; HEADER_BYTES];
        self.0.read_exact_at(&mut bytes, at).map_err(|_| "behind the segment's end".to_owned())?;
        let header = BatchHeader::parse(&bytes).map_err(|_| "no batch begins there".to_owned())?;
        let range = header.base_offset..=header.last_offset();
        match range.contains(&offset) {
            true => Ok(()),
            false => Err(format!("the batch there is {} to {}", range.start(), range.end())),
        }
    }
}

fn be_i32(entry: &[u8], at: usize) -> i32 {
    entry[at..].first_chunk().map_or(0, |bytes| i32::from_be_bytes(*bytes))
}

fn be_i64(entry: &[u8], at: usize) -> i64 {
    entry[at..].first_chunk().map_or(0, |bytes| i64::from_be_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_end_at_zeros() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("00000000000000000100.index");
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&[0, 0, 0, 5, 0, 0, 1, 0]);
        bytes.extend_from_slice(&[0; 20]);
        fs::write(&path, &bytes).unwrap();
        let found = entries::<OFFSET_ENTRY_BYTES>(&path).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((be_i32(&found[0], 0), be_i32(&found[0], 4)), (5, 256));
        assert_eq!(base_of(&path), Ok(100));
        assert!(base_of(Path::new("x.index")).is_err());
        assert!(Segment::beside(&path).is_none());
    }
}
