//! Bytes of files and of standard input, cut into records.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;

use bytes::Bytes;
use tokio::sync::mpsc::Sender;

use crate::failure::{Failure, Outcome};

const READ_BYTES: usize = 256 << 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    Input,
    File(PathBuf),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Splitting {
    /// Behind every such byte, which belongs to no record.
    At(u8),
    /// Not at all.
    Whole,
}

/// A record's bytes, or why there are no more.
pub(super) type Piece = Outcome<Bytes>;

/// Bytes of all sources. None where standard input is one: its length is not known.
pub(super) fn total_bytes(sources: &[Source]) -> Outcome<Option<u64>> {
    let mut total = 0;
    for source in sources {
        match source {
            Source::Input => return Ok(None),
            Source::File(path) => {
                let about = |error| Failure::from(error).during(path.display());
                total += std::fs::metadata(path).map_err(about)?.len();
            }
        }
    }
    Ok(Some(total))
}

/// Reads source after source, until the end, a failure, or until nobody takes pieces.
pub(super) fn read_all(sources: &[Source], splitting: Splitting, pieces: &Sender<Piece>) {
    for source in sources {
        let read = match source {
            Source::Input => read_one(io::stdin().lock(), splitting, pieces),
            Source::File(path) => File::open(path)
                .and_then(|file| {
                    read_one(BufReader::with_capacity(READ_BYTES, file), splitting, pieces)
                })
                .map_err(|error| io::Error::other(format!("{}: {error}", path.display()))),
        };
        if let Err(error) = read {
            // If nobody takes it the command has ended already.
            let _ = pieces.blocking_send(Err(Failure::new(error)));
            return;
        }
    }
}

fn read_one(
    mut source: impl BufRead,
    splitting: Splitting,
    pieces: &Sender<Piece>,
) -> io::Result<()> {
    let mut buffer = Vec::new();
    let Splitting::At(delimiter) = splitting else {
        source.read_to_end(&mut buffer)?;
        let _ = pieces.blocking_send(Ok(Bytes::from(buffer)));
        return Ok(());
    };
    loop {
        buffer.clear();
        if source.read_until(delimiter, &mut buffer)? == 0 {
            return Ok(());
        }
        let piece = buffer.strip_suffix(&[delimiter]).unwrap_or(&buffer);
        if pieces.blocking_send(Ok(Bytes::copy_from_slice(piece))).is_err() {
            return Ok(());
        }
    }
}

/// What stands before and behind the first separator; without one there is no key.
pub(super) fn key_and_value(line: &Bytes, separator: &[u8]) -> (Option<Bytes>, Bytes) {
    match line.windows(separator.len()).position(|window| window == separator) {
        Some(at) => (Some(line.slice(..at)), line.slice(at + separator.len()..)),
        None => (None, line.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &[u8], splitting: Splitting, expected: &[&[u8]]) {
        let (sender, mut pieces) = tokio::sync::mpsc::channel(16);
        read_one(input, splitting, &sender).unwrap();
        drop(sender);
        let mut found = Vec::new();
        while let Some(piece) = pieces.blocking_recv() {
            found.push(piece.unwrap());
        }
        assert_eq!(found, expected, "{input:?}");
    }

    #[test]
    fn lines() {
        let lines = Splitting::At(b'\n');
        check(b"a\nb\n", lines, &[b"a", b"b"]);
        check(b"a\n\nb", lines, &[b"a", b"", b"b"]);
        check(b"a\r\n", lines, &[b"a\r"]);
        check(b"", lines, &[]);
        check(b"a\0b", Splitting::At(0), &[b"a", b"b"]);
        check(b"a\nb\n", Splitting::Whole, &[b"a\nb\n"]);
    }

    #[test]
    fn the_first_separator_ends_the_key() {
        let split = |line: &'static [u8], separator: &[u8]| {
            key_and_value(&Bytes::from_static(line), separator)
        };
        let (key, value) = (Some(Bytes::from_static(b"k")), Bytes::from_static(b"v:w"));
        assert_eq!(split(b"k:v:w", b":"), (key.clone(), value.clone()));
        assert_eq!(split(b"k => v:w", b" => "), (key, value));
        assert_eq!(split(b"kv", b":"), (None, Bytes::from_static(b"kv")));
        assert_eq!(split(b":", b":"), (Some(Bytes::new()), Bytes::new()));
    }

    #[test]
    fn a_missing_file_is_named() {
        let (sender, mut pieces) = tokio::sync::mpsc::channel(16);
        let sources = [Source::File("no/such/file".into())];
        read_all(&sources, Splitting::Whole, &sender);
        let failure = pieces.blocking_recv().unwrap().unwrap_err();
        assert!(failure.to_string().contains("no/such/file"), "{failure}");
        assert!(total_bytes(&sources).is_err());
        assert_eq!(total_bytes(&[Source::Input]), Ok(None));
    }
}
