//! Zstandard frames, with or without content size, one or several.

use zstd::stream::write::Encoder;
use zstd::zstd_safe::{DCtx, InBuffer, OutBuffer, ResetDirective};

use crate::{CodecFault, limits};

/// Kafka's range and default (`compression.zstd.level`).
const LEVEL_MIN: i32 = -131_072;
const LEVEL_MAX: i32 = 22;
const LEVEL_DEFAULT: i32 = 3;

#[derive(Default)]
pub(crate) struct Context {
    decoder: Option<DCtx<'static>>,
}

impl Context {
    pub(super) fn open<'a>(&'a mut self, packed: &'a [u8]) -> Result<Stream<'a>, CodecFault> {
        let decoder = match &mut self.decoder {
            Some(decoder) => decoder,
            none => none.insert(DCtx::try_create().ok_or(CodecFault::Damaged)?),
        };
        decoder.reset(ResetDirective::SessionOnly).map_err(|_| CodecFault::Damaged)?;
        Ok(Stream { decoder, input: InBuffer::around(packed), in_frame: true })
    }

    /// A frame of the highest levels makes the decoder keep a window of up to 128 MB.
    pub(super) fn shrink(&mut self) {
        if self.decoder.as_ref().is_some_and(|d| d.sizeof() > limits::KEEP_BYTES_MAX) {
            self.decoder = None;
        }
    }
}

pub(crate) struct Stream<'a> {
    decoder: &'a mut DCtx<'static>,
    input: InBuffer<'a>,
    /// Whether the frame being read is not yet complete.
    in_frame: bool,
}

impl Stream<'_> {
    pub(super) fn read(&mut self, out: &mut [u8]) -> Result<usize, CodecFault> {
        let mut out = OutBuffer::around(out);
        loop {
            let ended = self.input.pos() == self.input.src.len();
            if ended && !self.in_frame {
                return Ok(0);
            }
            let hint = self
                .decoder
                .decompress_stream(&mut out, &mut self.input)
                .map_err(|_| CodecFault::Damaged)?;
            self.in_frame = hint != 0;
            match out.pos() {
                0 if ended && self.in_frame => return Err(CodecFault::Truncated),
                0 => {}
                n => return Ok(n),
            }
        }
    }
}

pub(crate) type Packer = Encoder<'static, Vec<u8>>;

pub(super) fn packer(level: Option<i32>, plain_bytes: Option<u64>, out: Vec<u8>) -> Packer {
    let level = level.unwrap_or(LEVEL_DEFAULT).clamp(LEVEL_MIN, LEVEL_MAX);
    let mut packer = super::written(Encoder::new(out, level));
    super::written(packer.set_pledged_src_size(plain_bytes));
    packer
}
