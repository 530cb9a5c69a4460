//! CRC-32C over a batch: everything from the attributes on.

use crate::header::{at, put};

pub(crate) fn of_batch(batch: &[u8]) -> u32 {
    crc_fast::crc32_iscsi(batch.get(at::ATTRIBUTES..).unwrap_or_default())
}

/// As [`of_batch`], of the header's covered part and the records apart.
pub(crate) fn of_parts(header: &[u8], payload: &[u8]) -> u32 {
    let mut digest = crc_fast::Digest::new(crc_fast::CrcAlgorithm::Crc32Iscsi);
    digest.update(header);
    digest.update(payload);
    digest.finalize() as u32
}

/// Computes the CRC anew and writes it into the header.
pub(crate) fn set(batch: &mut [u8]) {
    let crc = of_batch(batch);
    put(batch, at::CRC, crc.to_be_bytes());
}
