//! Snappy in both its wrappings: xerial's framing, which Java writes and so do we, and one bare
//! block, which librdkafka and Go clients write.
//!
//! ```text
//! framed: 82 53 4e 41 50 50 59 00 │ version 4 │ compatible 4 │ (length 4 │ block)*
//! ```

use snap::raw::{Decoder, Encoder, decompress_len, max_compress_len};

use super::Stop;
use crate::CodecFault;
use crate::header::put;

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

/// Writes the framing, a block for every [`BLOCK_BYTES`] of plain bytes.
pub(crate) struct Packer {
    out: Vec<u8>,
    encoder: Box<Encoder>,
    /// Plain bytes of the block being filled.
    block: Vec<u8>,
}

impl Packer {
    pub(super) fn new(mut out: Vec<u8>) -> Self {
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&VERSION);
        out.extend_from_slice(&VERSION);
        Packer { out, encoder: Box::new(Encoder::new()), block: Vec::with_capacity(BLOCK_BYTES) }
    }

    pub(super) fn write(&mut self, mut plain: &[u8]) {
        while !plain.is_empty() {
            let room = BLOCK_BYTES.saturating_sub(self.block.len());
            let (head, tail) = plain.split_at_checked(room).unwrap_or((plain, &[]));
            self.block.extend_from_slice(head);
            plain = tail;
            if self.block.len() == BLOCK_BYTES {
                self.end_block();
            }
        }
    }

    fn end_block(&mut self) {
        let start = self.out.len() + size_of::<u32>();
        self.out.resize(start + max_compress_len(self.block.len()), 0);
        let room = self.out.get_mut(start..).unwrap_or_default();
        let n = super::written(self.encoder.compress(&self.block, room));
        self.out.truncate(start + n);
        put(&mut self.out, start - size_of::<u32>(), (n as u32).to_be_bytes());
        self.block.clear();
    }

    pub(super) fn out_bytes(&self) -> usize {
        self.out.len()
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        if !self.block.is_empty() {
            self.end_block();
        }
        self.out
    }
}
