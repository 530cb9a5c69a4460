//! Zstandard frames, with or without content size, one or several.

use zstd::zstd_safe::{self, CParameter, DCtx, InBuffer, OutBuffer, ResetDirective};

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

pub(super) fn compress(level: Option<i32>, plain: &[u8], out: &mut Vec<u8>) {
    let level = level.unwrap_or(LEVEL_DEFAULT).clamp(LEVEL_MIN, LEVEL_MAX);
    let start = out.len();
    out.resize(start + zstd_safe::compress_bound(plain.len()), 0);
    let mut encoder = zstd_safe::CCtx::create();
    super::written(encoder.set_parameter(CParameter::CompressionLevel(level)));
    let room = out.get_mut(start..).unwrap_or_default();
    let n = super::written(encoder.compress2(room, plain));
    out.truncate(start + n);
}
