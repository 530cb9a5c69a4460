//! Values of any message at any version, made from a run of bytes, and a table of every message
//! to run over (feature `test-support`).
//!
//! The bytes steer every choice, so a property test shrinks to a small value, and a fuzzer can
//! search by structure.

use bytes::Bytes;
use highwater_types::Uuid;

use crate::messages::*;
use crate::{DecodeError, EncodeError, Message, Reader, Records, Str, UnknownTags, Writer};

pub trait Arbitrary: Sized {
    /// A value that `version` carries without loss.
    fn arbitrary(g: &mut Gen, version: i16) -> Self;
}

/// A source of choices; all zero once its bytes are used up.
#[derive(Debug)]
pub struct Gen {
    bytes: Vec<u8>,
    at: usize,
}

impl Gen {
    pub fn new(bytes: &[u8]) -> Self {
        Gen { bytes: bytes.to_vec(), at: 0 }
    }

    fn byte(&mut self) -> u8 {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.byte())
    }

    pub fn bool(&mut self) -> bool {
        self.byte() % 2 == 1
    }

    pub fn i8(&mut self) -> i8 {
        self.byte() as i8
    }

    pub fn i16(&mut self) -> i16 {
        i16::from_be_bytes(self.take())
    }

    pub fn u16(&mut self) -> u16 {
        u16::from_be_bytes(self.take())
    }

    pub fn i32(&mut self) -> i32 {
        i32::from_be_bytes(self.take())
    }

    pub fn u32(&mut self) -> u32 {
        u32::from_be_bytes(self.take())
    }

    pub fn i64(&mut self) -> i64 {
        i64::from_be_bytes(self.take())
    }

    /// Never NaN, which equals nothing.
    pub fn f64(&mut self) -> f64 {
        f64::from(self.i32()) / 16.0
    }

    pub fn uuid(&mut self) -> Uuid {
        Uuid(self.take())
    }

    pub fn string(&mut self) -> Str {
        const LETTERS: [char; 8] = ['a', 'b', '-', '.', 'Z', '0', 'ä', '語'];
        let length = self.length();
        let letter = |g: &mut Gen| LETTERS.get(usize::from(g.byte() % 8)).copied();
        let text: String = (0..length).filter_map(|_| letter(self)).collect();
        Str::from(text)
    }

    pub fn bytes(&mut self) -> Bytes {
        let length = self.length();
        (0..length).map(|_| self.byte()).collect()
    }

    /// Mostly short, now and then long enough to be passed on without a copy.
    pub fn records(&mut self) -> Records {
        let long = self.byte() % 8 == 7;
        let body = self.bytes();
        Records::from(if long { body.repeat(300).into() } else { body })
    }

    /// Mostly short, sometimes past the one byte of a varint length.
    fn length(&mut self) -> usize {
        match self.byte() {
            byte @ 0..250 => usize::from(byte % 6),
            byte => usize::from(byte),
        }
    }

    pub fn array<T>(&mut self, mut item: impl FnMut(&mut Gen) -> T) -> Vec<T> {
        let length = self.byte() % 4;
        (0..length).map(|_| item(self)).collect()
    }

    pub fn optional<T>(
        &mut self,
        null_allowed: bool,
        value: impl FnOnce(&mut Gen) -> T,
    ) -> Option<T> {
        (!null_allowed || self.byte() >= 64).then(|| value(self))
    }

    /// Tags above any that Kafka has given out.
    pub fn unknown_tags(&mut self) -> UnknownTags {
        let mut tags = UnknownTags::default();
        let mut tag = 1_000;
        for _ in 0..self.byte().saturating_sub(250) {
            tag += 1 + u32::from(self.byte());
            let data = self.bytes();
            tags.push(tag, data);
        }
        tags
    }
}

/// What a message is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Request,
    Response,
    Key,
    Value,
    Metadata,
    Remote,
    Data,
    Header,
}

/// Bytes that were decoded and encoded again.
#[derive(Debug, Clone, PartialEq)]
pub struct Recoded {
    pub bytes: Result<Bytes, EncodeError>,
    /// Bytes behind the message.
    pub left_over: usize,
}

/// One message, its type erased.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub name: &'static str,
    pub kind: Kind,
    pub key: Option<i16>,
    pub version_min: i16,
    pub version_max: i16,
    /// Encodes an arbitrary value, decodes it and compares. Returns the encoding.
    pub round_trip: fn(&mut Gen, i16) -> Result<Bytes, String>,
    /// Encodes the default value.
    pub default: fn(i16) -> Result<Bytes, EncodeError>,
    /// Decodes bytes and encodes the result again.
    pub recode: fn(Bytes, i16) -> Result<Recoded, DecodeError>,
}

/// Every message of the schema.
pub fn every_message() -> &'static [Entry] {
    &EVERY
}

/// A message and a version by the first three bytes of a fuzzer's input, and the rest of it.
pub fn choose(input: &[u8]) -> Option<((&'static Entry, i16), &[u8])> {
    let ([high, low, version], rest) = input.split_first_chunk()?;
    let entry = EVERY.get(usize::from(u16::from_be_bytes([*high, *low])) % EVERY.len())?;
    let version =
        entry.version_min + i16::from(*version) % (entry.version_max - entry.version_min + 1);
    Some(((entry, version), rest))
}

include!(concat!(env!("OUT_DIR"), "/every_message.rs"));

const fn entry<M: Message + Arbitrary>(kind: Kind, key: Option<i16>) -> Entry {
    Entry {
        name: M::NAME,
        kind,
        key,
        version_min: *M::VALID.start(),
        version_max: *M::VALID.end(),
        round_trip: round_trip::<M>,
        default: |version| encode(&M::default(), version),
        recode: recode::<M>,
    }
}

fn round_trip<M: Message + Arbitrary>(g: &mut Gen, version: i16) -> Result<Bytes, String> {
    let value = M::arbitrary(g, version);
    let bytes = encode(&value, version).map_err(|e| format!("{e}: {value:?}"))?;
    let mut r = Reader::new(bytes.clone());
    let decoded = M::decode(&mut r, version).map_err(|e| format!("{e}: {value:?}"))?;
    if r.remaining() != 0 {
        return Err(format!("{} bytes left over: {value:?}", r.remaining()));
    }
    if decoded != value {
        return Err(format!("{decoded:?} came back for {value:?}"));
    }
    Ok(bytes)
}

fn recode<M: Message>(bytes: Bytes, version: i16) -> Result<Recoded, DecodeError> {
    let mut r = Reader::new(bytes);
    let value = M::decode(&mut r, version)?;
    Ok(Recoded { bytes: encode(&value, version), left_over: r.remaining() })
}

fn encode<M: Message>(value: &M, version: i16) -> Result<Bytes, EncodeError> {
    let mut w = Writer::new();
    value.encode(&mut w, version)?;
    Ok(w.into_bytes().unwrap_or_default())
}
