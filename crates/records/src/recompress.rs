//! Writing a batch anew in another codec. Everything but the codec stays: offsets, times,
//! producer, flags.

use bytes::Bytes;

use crate::{
    BatchBuilder, BatchError, BatchHeader, BatchOptions, BatchView, Compression, HEADER_BYTES,
    Header, LOG_OVERHEAD, NewRecord, Scratch, builder, codec,
};

/// The batch in the codec `target`. The bytes of the records, once decompressed, are the same.
///
/// # Errors
/// `UnknownCodec`, `Decompress`, `DecompressedTooLarge`.
pub fn recompress(
    batch: &BatchView<'_>,
    target: Compression,
    level: Option<i32>,
    scratch: &mut Scratch,
) -> Result<Bytes, BatchError> {
    let plain = scratch.plain_of(batch)?;
    let mut out = vec![0; HEADER_BYTES];
    codec::compress(target, level, plain, &mut out);
    scratch.shrink();
    let header = BatchHeader {
        batch_length: length_of(out.len())?,
        attributes: batch.header().attributes.with_codec(target),
        ..*batch.header()
    };
    Ok(builder::finish(out, &header))
}

/// As [`recompress`], and the offset deltas are set to 0, 1, 2, ….
pub(crate) fn renumbered(
    batch: &BatchView<'_>,
    target: Compression,
    level: Option<i32>,
    scratch: &mut Scratch,
) -> Result<Bytes, BatchError> {
    let mut options = BatchOptions::like(batch.header())?;
    (options.compression, options.level) = (target, level);
    let mut builder = BatchBuilder::new(options);
    for record in batch.records(scratch)? {
        let record = record?;
        let headers: Vec<Header<'_>> = record.headers.collect();
        let (timestamp, key, value) = (record.timestamp, record.key, record.value);
        builder.append(&NewRecord { timestamp, key, value, headers: &headers });
    }
    Ok(builder.build())
}

fn length_of(size: usize) -> Result<i32, BatchError> {
    let max = i32::MAX as usize;
    i32::try_from(size - LOG_OVERHEAD).map_err(|_| BatchError::TooLarge { size, max })
}
