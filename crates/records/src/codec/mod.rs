//! The compression codecs of Kafka, streaming in both directions.
//!
//! Owns how compressed records look; knows nothing of records. Reading is by [`Stream`], which
//! hands out decompressed bytes piece by piece, so that nobody has to trust a claimed size.

mod gzip;
pub(crate) mod lz4;
mod snappy;
mod zstd;

use std::fmt;
use std::io::Write;

use crate::{BatchError, CodecFault, limits};

/// A codec of Kafka, by the number in a batch's attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Compression {
    #[default]
    None = 0,
    Gzip = 1,
    Snappy = 2,
    Lz4 = 3,
    Zstd = 4,
}

impl Compression {
    pub const ALL: [Compression; 5] = [
        Compression::None,
        Compression::Gzip,
        Compression::Snappy,
        Compression::Lz4,
        Compression::Zstd,
    ];

    pub fn from_code(code: u8) -> Option<Compression> {
        Self::ALL.into_iter().find(|c| c.code() == code)
    }

    pub fn code(self) -> u8 {
        self as u8
    }

    /// The name in settings; `uncompressed` is what a topic calls [`Compression::None`].
    pub fn name(self) -> &'static str {
        match self {
            Compression::None => "none",
            Compression::Gzip => "gzip",
            Compression::Snappy => "snappy",
            Compression::Lz4 => "lz4",
            Compression::Zstd => "zstd",
        }
    }

    /// The codec that a setting names; `producer` is not a codec, so not known here.
    pub fn from_name(name: &str) -> Option<Compression> {
        match name {
            "uncompressed" => Some(Compression::None),
            _ => Self::ALL.into_iter().find(|c| c.name() == name),
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Codec states and buffers that are dear to make, kept from batch to batch.
#[derive(Default)]
pub(crate) struct Contexts {
    zstd: zstd::Context,
    snappy: Vec<u8>,
}

impl Contexts {
    /// Gives back what an unusual batch made grow.
    pub(crate) fn shrink(&mut self) {
        self.zstd.shrink();
        if self.snappy.capacity() > limits::KEEP_BYTES_MAX {
            self.snappy = Vec::new();
        }
    }
}

/// The decompressed form of some bytes, piece by piece and never more than `bytes_max` of it.
pub(crate) struct Unpacker<'a> {
    codec: Compression,
    stream: Stream<'a>,
    made: u64,
    bytes_max: usize,
}

enum Stream<'a> {
    Plain(&'a [u8]),
    Gzip(gzip::Stream<'a>),
    Snappy(snappy::Stream<'a>),
    Lz4(lz4::Stream<'a>),
    Zstd(zstd::Stream<'a>),
}

impl<'a> Unpacker<'a> {
    pub(crate) fn open(
        codec: Compression,
        packed: &'a [u8],
        contexts: &'a mut Contexts,
        bytes_max: usize,
    ) -> Result<Unpacker<'a>, BatchError> {
        let stream = match codec {
            Compression::None => Ok(Stream::Plain(packed)),
            Compression::Gzip => Ok(Stream::Gzip(gzip::Stream::new(packed))),
            Compression::Snappy => {
                Ok(Stream::Snappy(snappy::Stream::new(packed, &mut contexts.snappy, bytes_max)))
            }
            Compression::Lz4 => lz4::Stream::new(packed).map(Stream::Lz4),
            Compression::Zstd => contexts.zstd.open(packed).map(Stream::Zstd),
        };
        let stream = stream.map_err(|fault| BatchError::Decompress { codec, fault })?;
        Ok(Unpacker { codec, stream, made: 0, bytes_max })
    }

    /// Fills the start of `out`; 0 bytes mean that the data has ended as it should.
    ///
    /// # Errors
    /// `Decompress`, `DecompressedTooLarge`.
    pub(crate) fn read(&mut self, out: &mut [u8]) -> Result<usize, BatchError> {
        let read = match &mut self.stream {
            Stream::Plain(rest) => Ok(take(rest, out)),
            Stream::Gzip(stream) => stream.read(out).map_err(Stop::Fault),
            Stream::Snappy(stream) => stream.read(out),
            Stream::Lz4(stream) => stream.read(out).map_err(Stop::Fault),
            Stream::Zstd(stream) => stream.read(out).map_err(Stop::Fault),
        };
        let too_large = BatchError::DecompressedTooLarge { max: self.bytes_max };
        match read {
            Ok(n) => {
                self.made += n as u64;
                if self.made > self.bytes_max as u64 { Err(too_large) } else { Ok(n) }
            }
            Err(Stop::TooLarge) => Err(too_large),
            Err(Stop::Fault(fault)) => Err(BatchError::Decompress { codec: self.codec, fault }),
        }
    }
}

/// Why a stream cannot go on.
enum Stop {
    Fault(CodecFault),
    /// A block says that it unpacks to more than may be read.
    TooLarge,
}

/// Moves what fits from the front of `rest` to the front of `out`.
fn take(rest: &mut &[u8], out: &mut [u8]) -> usize {
    let n = rest.len().min(out.len());
    if let (Some((head, tail)), Some(slot)) = (rest.split_at_checked(n), out.get_mut(..n)) {
        slot.copy_from_slice(head);
        *rest = tail;
    }
    n
}

/// [`decompress`] with codec states of the caller's.
pub(crate) fn decompress_with(
    codec: Compression,
    packed: &[u8],
    out: &mut Vec<u8>,
    contexts: &mut Contexts,
    bytes_max: usize,
) -> Result<(), BatchError> {
    let mut unpacker = Unpacker::open(codec, packed, contexts, bytes_max)?;
    let start = out.len();
    let mut filled = start;
    loop {
        if filled == out.len() {
            let room = (filled - start).clamp(limits::WINDOW_BYTES, limits::GROWTH_BYTES_MAX);
            out.resize(filled + room, 0);
        }
        match unpacker.read(out.get_mut(filled..).unwrap_or_default())? {
            0 => break,
            n => filled += n,
        }
    }
    out.truncate(filled);
    Ok(())
}

/// Appends the decompressed form of `packed` to `out`, at most `bytes_max` bytes of it.
///
/// # Errors
/// `Decompress`, `DecompressedTooLarge`; `out` may then hold a part.
pub fn decompress(
    codec: Compression,
    packed: &[u8],
    out: &mut Vec<u8>,
    bytes_max: usize,
) -> Result<(), BatchError> {
    decompress_with(codec, packed, out, &mut Contexts::default(), bytes_max)
}

/// Appends the compressed form of `plain` to `out`, in the shape that Kafka's own clients write.
///
/// `level` has Kafka's meaning and range for `compression.gzip.level` and
/// `compression.zstd.level`, values outside are moved to the nearest bound; snappy has no levels,
/// and lz4 is always written by the fast method.
pub fn compress(codec: Compression, level: Option<i32>, plain: &[u8], out: &mut Vec<u8>) {
    let plain_bytes = Some(plain.len() as u64);
    let mut packer = Packer::new(codec, level, plain_bytes, std::mem::take(out));
    packer.write(plain);
    *out = packer.finish();
}

/// Compresses what is written to it, piece by piece.
pub(crate) enum Packer {
    Plain(Vec<u8>),
    Gzip(gzip::Packer),
    Snappy(snappy::Packer),
    Lz4(lz4::Packer),
    Zstd(zstd::Packer),
}

impl Packer {
    /// `out` is what the compressed form is appended to; `plain_bytes`, if given, must be exactly
    /// what will be written: zstd then needs no more memory than that takes.
    pub(crate) fn new(
        codec: Compression,
        level: Option<i32>,
        plain_bytes: Option<u64>,
        out: Vec<u8>,
    ) -> Packer {
        match codec {
            Compression::None => Packer::Plain(out),
            Compression::Gzip => Packer::Gzip(gzip::packer(level, out)),
            Compression::Snappy => Packer::Snappy(snappy::Packer::new(out)),
            Compression::Lz4 => Packer::Lz4(lz4::packer(out)),
            Compression::Zstd => Packer::Zstd(zstd::packer(level, plain_bytes, out)),
        }
    }

    pub(crate) fn write(&mut self, plain: &[u8]) {
        match self {
            Packer::Plain(out) => out.extend_from_slice(plain),
            Packer::Gzip(packer) => written(packer.write_all(plain)),
            Packer::Snappy(packer) => packer.write(plain),
            Packer::Lz4(packer) => written(packer.write_all(plain)),
            Packer::Zstd(packer) => written(packer.write_all(plain)),
        }
    }

    /// Bytes of `out` so far; the codec may hold back some.
    pub(crate) fn out_bytes(&self) -> usize {
        match self {
            Packer::Plain(out) => out.len(),
            Packer::Gzip(packer) => packer.get_ref().len(),
            Packer::Snappy(packer) => packer.out_bytes(),
            Packer::Lz4(packer) => packer.get_ref().len(),
            Packer::Zstd(packer) => packer.get_ref().len(),
        }
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        match self {
            Packer::Plain(out) => out,
            Packer::Gzip(packer) => written(packer.finish()),
            Packer::Snappy(packer) => packer.finish(),
            Packer::Lz4(packer) => written(packer.finish()),
            Packer::Zstd(packer) => written(packer.finish()),
        }
    }
}

/// The value of a write into memory that has room: no codec has another reason to fail.
fn written<T, E: fmt::Debug>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("compressing into memory failed: {error:?}"),
    }
}
