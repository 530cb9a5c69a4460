//! LZ4's frame format. Read: linked and independent blocks, with or without content size and
//! checksums. Written: independent blocks of 64 KB without checksums, since Java's reader knows
//! no others.

use std::io::{self, Read};

use lz4_flex::frame::{BlockMode, BlockSize, FrameDecoder, FrameEncoder, FrameInfo};

use crate::CodecFault;

/// The legacy and skippable frames have other numbers; no Kafka client reads or writes them.
const MAGIC: [u8; 4] = 0x184D_2204u32.to_le_bytes();
const FLAGS_AT: usize = 4;
const INDEPENDENT: u8 = 1 << 5;

pub(crate) struct Stream<'a> {
    decoder: Box<FrameDecoder<Source<'a>>>,
}

/// The packed bytes, remembering whether more were asked for than there are: the decoder takes a
/// frame without end mark for a complete one.
struct Source<'a> {
    rest: &'a [u8],
    ran_out: bool,
}

impl Read for Source<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.ran_out |= self.rest.is_empty() && !out.is_empty();
        Ok(super::take(&mut self.rest, out))
    }
}

impl<'a> Stream<'a> {
    pub(super) fn new(packed: &'a [u8]) -> Result<Self, CodecFault> {
        if !packed.starts_with(&MAGIC) {
            return Err(CodecFault::Damaged);
        }
        let source = Source { rest: packed, ran_out: false };
        Ok(Stream { decoder: Box::new(FrameDecoder::new(source)) })
    }

    pub(super) fn read(&mut self, out: &mut [u8]) -> Result<usize, CodecFault> {
        let n = self.decoder.read(out).map_err(|_| self.fault())?;
        match n {
            0 if self.decoder.get_ref().ran_out => Err(CodecFault::Truncated),
            n => Ok(n),
        }
    }

    fn fault(&self) -> CodecFault {
        match self.decoder.get_ref().ran_out {
            true => CodecFault::Truncated,
            false => CodecFault::Damaged,
        }
    }
}

/// Whether each block of the frame stands on its own, as Java's reader demands.
pub(crate) fn has_independent_blocks(packed: &[u8]) -> bool {
    packed.get(FLAGS_AT).is_some_and(|flags| flags & INDEPENDENT != 0)
}

pub(crate) type Packer = FrameEncoder<Vec<u8>>;

pub(super) fn packer(out: Vec<u8>) -> Packer {
    let info = FrameInfo::new()
        .block_size(BlockSize::Max64KB)
        .block_mode(BlockMode::Independent)
        .block_checksums(false)
        .content_checksum(false);
    FrameEncoder::with_frame_info(info, out)
}
