//! Snappy in both its wrappings: xerial's framing, which Java writes and so do we, and one bare
//! block, which librdkafka and Go clients write.
//!
//! ```text
//! framed: 82 53 4e 41 50 50 59 00 │ version 4 │ compatible 4 │ (length 4 │ block)*
//! ```

use snap::raw::{Decoder, Encoder, decompress_len};

use super::Stop;
use crate::CodecFault;

const MAGIC: [u8; 8] = [0x82, b'S', b'N', b'A', b'P', b'P', b'Y', 0];
const VERSION: [u8; 4] = 1i32.to_be_bytes();
const FRAME_HEADER_BYTES: usize = 16;
/// Plain bytes in each block that we write; xerial's default.
const BLOCK_BYTES: usize = 32 << 10;
/// A copy of 64 bytes takes at least 3: no block can grow more than this.
const EXPANSION_MAX: usize = 22;

pub(crate) struct Stream<'a> {
    rest: &'a [u8],
    framed: bool,
    block: &'a mut Vec<u8>,
    /// Bytes of the block already handed out.
    given: usize,
    bytes_max: usize,
}

impl<'a> Stream<'a> {
    pub(super) fn new(packed: &'a [u8], block: &'a mut Vec<u8>, bytes_max: usize) -> Self {
        block.clear();
        match packed.split_at_checked(FRAME_HEADER_BYTES) {
            Some((header, rest)) if header.starts_with(&MAGIC) => {
                Stream { rest, framed: true, block, given: 0, bytes_max }
            }
            _ => Stream { rest: packed, framed: false, block, given: 0, bytes_max },
        }
    }

    pub(super) fn read(&mut self, out: &mut [u8]) -> Result<usize, Stop> {
        while self.given == self.block.len() {
            if self.rest.is_empty() {
                return Ok(0);
            }
            let packed = self.next_block().map_err(Stop::Fault)?;
            self.decode(packed)?;
        }
        let mut left = self.block.get(self.given..).unwrap_or_default();
        let n = super::take(&mut left, out);
        self.given += n;
        Ok(n)
    }

    fn next_block(&mut self) -> Result<&'a [u8], CodecFault> {
        if !self.framed {
            return Ok(std::mem::take(&mut self.rest));
        }
        // Streams that were joined bring their header along.
        if self.rest.starts_with(&MAGIC) {
            self.rest = self.rest.get(FRAME_HEADER_BYTES..).ok_or(CodecFault::Truncated)?;
        }
        let (length, rest) = self.rest.split_first_chunk().ok_or(CodecFault::Truncated)?;
        let length = u32::from_be_bytes(*length) as usize;
        let (block, rest) = rest.split_at_checked(length).ok_or(CodecFault::Truncated)?;
        self.rest = rest;
        Ok(block)
    }

    /// Unpacks a block, having made sure that the size it claims can be true.
    fn decode(&mut self, packed: &[u8]) -> Result<(), Stop> {
        let damaged = Stop::Fault(CodecFault::Damaged);
        let Ok(plain_bytes) = decompress_len(packed) else { return Err(damaged) };
        if plain_bytes > packed.len().saturating_mul(EXPANSION_MAX) {
            return Err(damaged);
        }
        if plain_bytes > self.bytes_max {
            return Err(Stop::TooLarge);
        }
        self.block.resize(plain_bytes, 0);
        self.given = 0;
        Decoder::new().decompress(packed, self.block).map_err(|_| damaged)?;
        Ok(())
    }
}

pub(super) fn compress(plain: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&VERSION);
    out.extend_from_slice(&VERSION);
    let mut encoder = Encoder::new();
    let mut block = vec![0; snap::raw::max_compress_len(BLOCK_BYTES)];
    for piece in plain.chunks(BLOCK_BYTES) {
        let n = super::written(encoder.compress(piece, &mut block));
        out.extend_from_slice(&(n as u32).to_be_bytes());
        out.extend_from_slice(block.get(..n).unwrap_or_default());
    }
}
