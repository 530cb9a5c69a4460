//! gzip: one member or several, one after the other.

use flate2::{Decompress, FlushDecompress, Status, write::GzEncoder};

use crate::CodecFault;

const WINDOW_BITS: u8 = 15;
const MAGIC: [u8; 2] = [0x1f, 0x8b];

pub(crate) struct Stream<'a> {
    rest: &'a [u8],
    /// The member being read; none before the first and after the last.
    member: Option<Decompress>,
    /// Whether a member has been read to its end.
    any_done: bool,
}

impl<'a> Stream<'a> {
    pub(super) fn new(packed: &'a [u8]) -> Self {
        Stream { rest: packed, member: None, any_done: false }
    }

    pub(super) fn read(&mut self, out: &mut [u8]) -> Result<usize, CodecFault> {
        loop {
            // What follows a complete member and is not another one is passed over, as Java does.
            if self.member.is_none() && self.any_done && !self.rest.starts_with(&MAGIC) {
                return Ok(0);
            }
            let member = self.member.get_or_insert_with(|| Decompress::new_gzip(WINDOW_BITS));
            let (before_in, before_out) = (member.total_in(), member.total_out());
            let status = member
                .decompress(self.rest, out, FlushDecompress::None)
                .map_err(|_| CodecFault::Damaged)?;
            let used = (member.total_in() - before_in) as usize;
            let made = (member.total_out() - before_out) as usize;
            self.rest = self.rest.get(used..).unwrap_or_default();
            if status == Status::StreamEnd {
                self.member = None;
                self.any_done = true;
            }
            if made > 0 {
                return Ok(made);
            }
            if status != Status::StreamEnd && used == 0 {
                return Err(CodecFault::Truncated);
            }
        }
    }
}

pub(crate) type Packer = GzEncoder<Vec<u8>>;

/// Kafka's range is 1 to 9, and -1 for the default.
pub(super) fn packer(level: Option<i32>, out: Vec<u8>) -> Packer {
    let level = match level {
        None | Some(-1) => flate2::Compression::default(),
        Some(level) => flate2::Compression::new(level.clamp(1, 9) as u32),
    };
    GzEncoder::new(out, level)
}
