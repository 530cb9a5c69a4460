//! One pass over the records of a batch without keeping them: structure, times and offsets.
//!
//! Plain records are walked where they lie; compressed ones through a window of fixed size, so
//! that a batch costs no more memory than that, however much it unpacks to. Nothing is allocated
//! for a record.

use std::ops::ControlFlow;

use crate::codec::Unpacker;
use crate::{BatchError, BatchView, Compression, RecordFault, Scratch, TimestampType, varint};

/// What the walk tells of a record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Visited {
    pub index: i32,
    pub offset_delta: i32,
    /// The time that counts: the batch's under `LogAppendTime`.
    pub timestamp: i64,
    /// The producer's time, whatever the batch's timestamp type.
    pub create_time: i64,
    pub has_key: bool,
    /// The batch claims `LogAppendTime`.
    pub by_append_time: bool,
}

/// Walks the records of `batch`, stopping early if `visit` breaks. Gives the decompressed bytes
/// walked. Unless stopped, the records are exactly as many as the header claims, and each exactly
/// as long as it claims.
pub(crate) fn walk(
    batch: &BatchView<'_>,
    scratch: &mut Scratch,
    visit: impl FnMut(Visited) -> ControlFlow<()>,
) -> Result<u64, BatchError> {
    let codec = batch.header().compression()?;
    if codec == Compression::None {
        let mut input = Plain { rest: batch.payload(), all_bytes: batch.payload().len() };
        return walk_input(batch, &mut input, visit);
    }
    let (unpacker, window) = scratch.unpacker(codec, batch.payload())?;
    let mut input = Unpacked { unpacker, window, at: 0, end: 0, drained: 0 };
    let walked = walk_input(batch, &mut input, visit);
    scratch.shrink();
    walked
}

fn walk_input<I: Input>(
    batch: &BatchView<'_>,
    input: &mut I,
    mut visit: impl FnMut(Visited) -> ControlFlow<()>,
) -> Result<u64, BatchError> {
    let header = batch.header();
    let record_count = header.record_count;
    let by_append_time = header.timestamp_type() == TimestampType::LogAppendTime;
    for index in 0..record_count {
        let fields = match record(input) {
            Ok(fields) => fields,
            Err(Stop::Record(fault)) => return Err(BatchError::Record { index, fault }),
            Err(Stop::Batch(error)) => return Err(error),
        };
        let visited = Visited {
            index,
            offset_delta: fields.offset_delta,
            timestamp: header.record_timestamp(fields.timestamp_delta),
            create_time: header.base_timestamp.wrapping_add(fields.timestamp_delta),
            has_key: fields.has_key,
            by_append_time,
        };
        if visit(visited).is_break() {
            return Ok(input.taken());
        }
    }
    match input.is_at_end() {
        Ok(true) => Ok(input.taken()),
        Ok(false) => Err(BatchError::RecordsRemain { record_count }),
        Err(Stop::Batch(error)) => Err(error),
        Err(Stop::Record(fault)) => Err(BatchError::Record { index: record_count, fault }),
    }
}

struct Fields {
    timestamp_delta: i64,
    offset_delta: i32,
    has_key: bool,
}

#[inline]
fn record<I: Input>(input: &mut I) -> Result<Fields, Stop> {
    let size = size_of(input)? as u64;
    let start = input.taken();
    input.byte()?;
    let timestamp_delta = input.varlong()?;
    let offset_delta = input.varint()?;
    let has_key = skip_bytes(input)?;
    skip_bytes(input)?;
    for _ in 0..size_of(input)? {
        let name = size_of(input)?;
        input.skip(name)?;
        skip_bytes(input)?;
    }
    let used = input.taken() - start;
    if used != size {
        return Err(RecordFault::Size { size, used }.into());
    }
    Ok(Fields { timestamp_delta, offset_delta, has_key })
}

/// A size or count that may not be null.
fn size_of<I: Input>(input: &mut I) -> Result<usize, Stop> {
    let n = input.varint()?;
    usize::try_from(n).map_err(|_| RecordFault::Length(n.into()).into())
}

/// Passes over a field that may be null; says whether it was not.
fn skip_bytes<I: Input>(input: &mut I) -> Result<bool, Stop> {
    match input.varint()? {
        -1 => Ok(false),
        n => {
            let n = usize::try_from(n).map_err(|_| RecordFault::Length(n.into()))?;
            input.skip(n)?;
            Ok(true)
        }
    }
}

/// Why a walk ends before its time.
enum Stop {
    Record(RecordFault),
    Batch(BatchError),
}

impl From<RecordFault> for Stop {
    fn from(fault: RecordFault) -> Self {
        Stop::Record(fault)
    }
}

/// Bytes in sequence.
trait Input {
    fn byte(&mut self) -> Result<u8, Stop>;
    fn skip(&mut self, n: usize) -> Result<(), Stop>;
    /// Bytes taken so far.
    fn taken(&self) -> u64;
    fn is_at_end(&mut self) -> Result<bool, Stop>;

    #[inline]
    fn varint(&mut self) -> Result<i32, Stop> {
        varint::read_i32(|| self.byte())
    }

    #[inline]
    fn varlong(&mut self) -> Result<i64, Stop> {
        varint::read_i64(|| self.byte())
    }
}

struct Plain<'a> {
    rest: &'a [u8],
    all_bytes: usize,
}

impl Input for Plain<'_> {
    #[inline]
    fn byte(&mut self) -> Result<u8, Stop> {
        let (&byte, rest) = self.rest.split_first().ok_or(RecordFault::Truncated)?;
        self.rest = rest;
        Ok(byte)
    }

    #[inline]
    fn skip(&mut self, n: usize) -> Result<(), Stop> {
        self.rest = self.rest.get(n..).ok_or(RecordFault::Truncated)?;
        Ok(())
    }

    #[inline]
    fn taken(&self) -> u64 {
        (self.all_bytes - self.rest.len()) as u64
    }

    fn is_at_end(&mut self) -> Result<bool, Stop> {
        Ok(self.rest.is_empty())
    }
}

/// Decompressed bytes through a window.
///
/// ```text
/// window: │ taken │ at .. end │ free │      drained: bytes of the windows before this one
/// ```
struct Unpacked<'a> {
    unpacker: Unpacker<'a>,
    window: &'a mut [u8],
    at: usize,
    end: usize,
    drained: u64,
}

impl Unpacked<'_> {
    /// Reads the next window once the last is used up; false at the end of the data.
    fn refill(&mut self) -> Result<bool, Stop> {
        let n = self.unpacker.read(self.window).map_err(Stop::Batch)?;
        self.drained += self.end as u64;
        (self.at, self.end) = (0, n);
        Ok(n > 0)
    }
}

impl Input for Unpacked<'_> {
    #[inline]
    fn byte(&mut self) -> Result<u8, Stop> {
        if self.at == self.end && !self.refill()? {
            return Err(RecordFault::Truncated.into());
        }
        let byte = self.window.get(self.at).copied().ok_or(RecordFault::Truncated)?;
        self.at += 1;
        Ok(byte)
    }

    fn skip(&mut self, mut n: usize) -> Result<(), Stop> {
        while n > self.end - self.at {
            n -= self.end - self.at;
            self.at = self.end;
            if !self.refill()? {
                return Err(RecordFault::Truncated.into());
            }
        }
        self.at += n;
        Ok(())
    }

    fn taken(&self) -> u64 {
        self.drained + self.at as u64
    }

    fn is_at_end(&mut self) -> Result<bool, Stop> {
        Ok(self.at == self.end && !self.refill()?)
    }
}
