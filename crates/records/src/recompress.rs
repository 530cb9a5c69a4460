//! Writing a batch anew in another codec. Everything but the codec stays: offsets, times,
//! producer, flags.

use bytes::Bytes;

use crate::codec::Packer;
use crate::{
    BatchBuilder, BatchError, BatchHeader, BatchOptions, BatchView, Compression, HEADER_BYTES,
    Header, LOG_OVERHEAD, NewRecord, Scratch, builder, limits,
};

/// No batch can have more bytes than its length field can tell.
const SIZE_MAX: usize = i32::MAX as usize;

/// The batch in the codec `target`. The bytes of the records, once decompressed, are the same.
///
/// # Errors
/// `UnknownCodec`, `Decompress`, `DecompressedTooLarge`; `TooLarge` of a batch that could not be.
pub fn recompress(
    batch: &BatchView<'_>,
    target: Compression,
    level: Option<i32>,
    scratch: &mut Scratch,
) -> Result<Bytes, BatchError> {
    repacked(batch, Packing { target, level, plain_bytes: None, bytes_max: SIZE_MAX }, scratch)
}

/// How to write a batch anew.
#[derive(Clone, Copy)]
pub(crate) struct Packing {
    pub target: Compression,
    pub level: Option<i32>,
    /// Bytes of its records, decompressed, where known.
    pub plain_bytes: Option<u64>,
    /// Most bytes that the new batch may have.
    pub bytes_max: usize,
}

/// As [`recompress`]. The records pass through piece by piece, so that it takes little more
/// memory than the new batch.
pub(crate) fn repacked(
    batch: &BatchView<'_>,
    packing: Packing,
    scratch: &mut Scratch,
) -> Result<Bytes, BatchError> {
    let Packing { target, level, plain_bytes, bytes_max: max } = packing;
    let mut packer = Packer::new(target, level, plain_bytes, vec![0; HEADER_BYTES]);
    scratch.pieces(batch, |piece| {
        packer.write(piece);
        match packer.out_bytes() {
            size if size > max => Err(BatchError::TooLarge { size, max }),
            _ => Ok(()),
        }
    })?;
    let out = packer.finish();
    let size = out.len();
    let batch_length = match i32::try_from(size - LOG_OVERHEAD) {
        Ok(length) if size <= max => length,
        _ => return Err(BatchError::TooLarge { size, max }),
    };
    let attributes = batch.header().attributes.with_codec(target);
    let header = BatchHeader { batch_length, attributes, ..*batch.header() };
    Ok(builder::finish(out, &header))
}

/// As [`repacked`], and the offset deltas are set to 0, 1, 2, … and the
/// records' own times count. It holds all records at once.
pub(crate) fn renumbered(
    batch: &BatchView<'_>,
    packing: Packing,
    scratch: &mut Scratch,
) -> Result<Bytes, BatchError> {
    let max = limits::RENUMBERED_BYTES_MAX;
    if packing.plain_bytes.is_none_or(|bytes| bytes > max as u64) {
        return Err(BatchError::DecompressedTooLarge { max });
    }
    let batch = batch.with_create_times();
    let mut options = BatchOptions::like(batch.header())?;
    (options.compression, options.level) = (packing.target, packing.level);
    let mut builder = BatchBuilder::new(options);
    for record in batch.records(scratch)? {
        let record = record?;
        let headers: Vec<Header<'_>> = record.headers.collect();
        let (timestamp, key, value) = (record.timestamp, record.key, record.value);
        builder.append(&NewRecord { timestamp, key, value, headers: &headers });
    }
    let out = builder.build();
    match out.len() {
        size if size > packing.bytes_max => {
            Err(BatchError::TooLarge { size, max: packing.bytes_max })
        }
        _ => Ok(out),
    }
}
