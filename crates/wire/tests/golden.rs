//! Bytes of every message at every version on which Kafka 4.4.0 agrees.
//!
//! Each line of `fixtures/messages.txt` is a message's name, version and bytes. They were made
//! here and then read and written again by Kafka's own classes (`tests/kafka/Recode.java` says
//! how), which gave the same bytes. `UPDATE_GOLDEN=1 cargo test -p highwater-wire --test golden`
//! makes the file anew after the schema changed; Kafka must then be asked again.
//!
//! `fixtures/message_defaults.txt` is what that program printed: the bytes of each message's
//! default value, or `refused` where a version cannot say it.

use std::fmt::Write as _;
use std::path::PathBuf;

use bytes::Bytes;
use highwater_types::{Entropy, SplitMix};
use highwater_wire::arbitrary::{Entry, Gen, every_message};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name)
}

/// An arbitrary value that depends on the message and version alone.
fn sample(entry: &Entry, version: i16) -> Bytes {
    let seed = entry.name.bytes().fold(version as u64, |s, b| s.wrapping_mul(31) + u64::from(b));
    let mut rng = SplitMix::new(seed);
    // Large choices make long texts and unknown tags: now and then.
    let mut choice = || {
        let mask = if rng.next_u64().is_multiple_of(6) { 0xff } else { 0x7f };
        rng.next_u64() as u8 & mask
    };
    let choices: Vec<u8> = (0..160).map(|_| choice()).collect();
    (entry.round_trip)(&mut Gen::new(&choices), version).unwrap()
}

fn render() -> String {
    let mut text = String::new();
    for entry in every_message() {
        for version in entry.version_min..=entry.version_max {
            let line = format!("{} {version} {}", entry.name, hex(&sample(entry, version)));
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    text
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn unhex(hex: &str) -> Bytes {
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
}

#[test]
fn every_golden_message_reads_and_writes_alike() {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(fixture("messages.txt"), render()).unwrap();
    }
    let text = std::fs::read_to_string(fixture("messages.txt")).unwrap();
    let mut lines = text.lines();
    for entry in every_message() {
        for version in entry.version_min..=entry.version_max {
            let line = lines.next().expect("the file ends early");
            let mut words = line.split(' ');
            assert_eq!(words.next(), Some(entry.name));
            assert_eq!(words.next(), Some(version.to_string().as_str()), "{}", entry.name);
            let bytes = unhex(words.next().unwrap_or(""));
            let again = (entry.recode)(bytes.clone(), version).unwrap();
            assert_eq!((again.bytes, again.left_over), (Ok(bytes), 0), "{line}");
        }
    }
    assert_eq!(lines.next(), None, "the file holds more than the schema");
}

#[test]
fn defaults_are_kafkas() {
    let text = std::fs::read_to_string(fixture("message_defaults.txt")).unwrap();
    let mut lines = text.lines();
    for entry in every_message() {
        for version in entry.version_min..=entry.version_max {
            let bytes = (entry.default)(version).map_or("refused".to_owned(), |b| hex(&b));
            let line = format!("{} {version} {bytes}", entry.name);
            assert_eq!(lines.next(), Some(line.trim_end()));
        }
    }
}
