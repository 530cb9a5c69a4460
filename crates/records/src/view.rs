//! A borrowed batch: its header and its bytes, and the way to its records.

use crate::codec::{self, Contexts, Unpacker};
use crate::{
    BatchError, BatchHeader, Compression, HEADER_BYTES, RecordView, TimestampType, crc, limits,
};

/// One whole batch. The header is the one that the bytes begin with; the CRC is not checked until
/// [`BatchView::verify_crc`].
#[derive(Debug, Clone, Copy)]
pub struct BatchView<'a> {
    header: BatchHeader,
    bytes: &'a [u8],
}

impl<'a> BatchView<'a> {
    /// The batch at the start of `bytes`, which may hold more than it.
    ///
    /// # Errors
    /// As [`BatchHeader::parse`], and `Truncated` if the batch is not there whole.
    pub fn parse(bytes: &'a [u8]) -> Result<BatchView<'a>, BatchError> {
        let header = BatchHeader::parse(bytes)?;
        let need = header.size_bytes();
        let bytes = bytes.get(..need).ok_or(BatchError::Truncated { have: bytes.len(), need })?;
        Ok(BatchView { header, bytes })
    }

    pub fn header(&self) -> &BatchHeader {
        &self.header
    }

    /// The same batch with a header that says `CreateTime`.
    pub(crate) fn with_create_times(mut self) -> Self {
        let attributes = self.header.attributes;
        self.header.attributes = attributes.with_timestamp_type(TimestampType::CreateTime);
        self
    }

    /// The whole batch, header included.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// What follows the header: the records, compressed if the batch is.
    pub fn payload(&self) -> &'a [u8] {
        self.bytes.get(HEADER_BYTES..).unwrap_or_default()
    }

    pub fn verify_crc(&self) -> Result<(), BatchError> {
        let computed = crc::of_batch(self.bytes);
        match self.header.crc {
            stored if stored == computed => Ok(()),
            stored => Err(BatchError::Crc { stored, computed }),
        }
    }

    /// The records in their order. Those of a compressed batch are decompressed into `scratch`,
    /// up to its limit; those of a plain one are read where they lie.
    ///
    /// # Errors
    /// `UnknownCodec`, `Decompress`, `DecompressedTooLarge`; of the records only when reached.
    pub fn records<'s>(&self, scratch: &'s mut Scratch) -> Result<Records<'s>, BatchError>
    where
        'a: 's,
    {
        Ok(Records { header: self.header, rest: scratch.plain_of(self)?, index: 0 })
    }
}

/// The records of a batch; after an error it ends.
#[derive(Debug, Clone)]
pub struct Records<'a> {
    header: BatchHeader,
    rest: &'a [u8],
    index: i32,
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<RecordView<'a>, BatchError>;

    fn next(&mut self) -> Option<Self::Item> {
        let record_count = self.header.record_count;
        if self.index >= record_count {
            let remain = !std::mem::take(&mut self.rest).is_empty();
            return remain.then_some(Err(BatchError::RecordsRemain { record_count }));
        }
        let index = self.index;
        match RecordView::parse(self.rest, &self.header) {
            Ok((record, rest)) => {
                self.index += 1;
                self.rest = rest;
                Some(Ok(record))
            }
            Err(fault) => {
                self.index = record_count;
                self.rest = &[];
                Some(Err(BatchError::Record { index, fault }))
            }
        }
    }
}

/// Buffers and codec states to read batches with. One for each thread or task that reads many,
/// never shared.
pub struct Scratch {
    plain: Vec<u8>,
    contexts: Contexts,
    bytes_max: usize,
}

impl Default for Scratch {
    fn default() -> Self {
        Self::with_limit(limits::DECOMPRESSED_BYTES_MAX)
    }
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scratch").field("bytes_max", &self.bytes_max).finish_non_exhaustive()
    }
}

impl Scratch {
    pub fn new() -> Scratch {
        Self::default()
    }

    /// With another bound on the decompressed bytes of one batch.
    pub fn with_limit(bytes_max: usize) -> Scratch {
        Scratch { plain: Vec::new(), contexts: Contexts::default(), bytes_max }
    }

    /// The bytes of the batch's records, decompressed.
    pub(crate) fn plain_of<'s>(
        &'s mut self,
        batch: &BatchView<'s>,
    ) -> Result<&'s [u8], BatchError> {
        let codec = batch.header.compression()?;
        if codec == Compression::None {
            return Ok(batch.payload());
        }
        self.shrink();
        let Scratch { plain, contexts, bytes_max } = self;
        plain.clear();
        codec::decompress_with(codec, batch.payload(), plain, contexts, *bytes_max)?;
        Ok(plain)
    }

    /// Hands the bytes of the batch's records to `each`, decompressed, in their order.
    pub(crate) fn pieces(
        &mut self,
        batch: &BatchView<'_>,
        mut each: impl FnMut(&[u8]) -> Result<(), BatchError>,
    ) -> Result<(), BatchError> {
        let codec = batch.header.compression()?;
        if codec == Compression::None {
            return each(batch.payload());
        }
        let (mut unpacker, window) = self.unpacker(codec, batch.payload())?;
        loop {
            let n = unpacker.read(window)?;
            match window.get(..n) {
                Some(piece) if n > 0 => each(piece)?,
                _ => break,
            }
        }
        self.shrink();
        Ok(())
    }

    /// A way through compressed bytes, and a window to look at them.
    pub(crate) fn unpacker<'s>(
        &'s mut self,
        codec: Compression,
        packed: &'s [u8],
    ) -> Result<(Unpacker<'s>, &'s mut [u8]), BatchError> {
        let Scratch { plain, contexts, bytes_max } = self;
        plain.resize(plain.len().max(limits::WINDOW_BYTES), 0);
        let window = plain.get_mut(..limits::WINDOW_BYTES).unwrap_or_default();
        Ok((Unpacker::open(codec, packed, contexts, *bytes_max)?, window))
    }

    /// Gives back what an unusually large batch made grow.
    pub(crate) fn shrink(&mut self) {
        if self.plain.capacity() > limits::KEEP_BYTES_MAX {
            self.plain = Vec::new();
        }
        self.contexts.shrink();
    }
}
