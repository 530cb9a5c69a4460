//! Zigzag variable-length integers, as Kafka's records use them.

use crate::RecordFault;

/// Most bytes of a 32-bit and of a 64-bit number.
const BYTES_MAX_32: usize = 5;
const BYTES_MAX_64: usize = 10;

/// Reads a 32-bit number, asking `next` for one byte at a time.
#[inline]
pub(crate) fn read_i32<E: From<RecordFault>>(
    mut next: impl FnMut() -> Result<u8, E>,
) -> Result<i32, E> {
    let first = next()?;
    if first & 0x80 == 0 {
        return Ok(i32::from(first >> 1) ^ -i32::from(first & 1));
    }
    let mut raw = u32::from(first & 0x7f);
    for n in 1..BYTES_MAX_32 {
        let byte = next()?;
        raw |= u32::from(byte & 0x7f) << (7 * n);
        if byte & 0x80 == 0 {
            return Ok((raw >> 1) as i32 ^ -((raw & 1) as i32));
        }
    }
    Err(RecordFault::Varint.into())
}

/// Reads a 64-bit number, asking `next` for one byte at a time.
#[inline]
pub(crate) fn read_i64<E: From<RecordFault>>(
    mut next: impl FnMut() -> Result<u8, E>,
) -> Result<i64, E> {
    let first = next()?;
    if first & 0x80 == 0 {
        return Ok(i64::from(first >> 1) ^ -i64::from(first & 1));
    }
    let mut raw = u64::from(first & 0x7f);
    for n in 1..BYTES_MAX_64 {
        let byte = next()?;
        raw |= u64::from(byte & 0x7f) << (7 * n);
        if byte & 0x80 == 0 {
            return Ok((raw >> 1) as i64 ^ -((raw & 1) as i64));
        }
    }
    Err(RecordFault::Varint.into())
}

/// Appends a number; 32-bit ones have the same encoding.
pub(crate) fn write(out: &mut Vec<u8>, value: i64) {
    let mut raw = ((value << 1) ^ (value >> 63)) as u64;
    while raw >= 0x80 {
        out.push(raw as u8 | 0x80);
        raw >>= 7;
    }
    out.push(raw as u8);
}

/// Bytes that [`write`] appends.
pub(crate) fn size(value: i64) -> usize {
    let raw = ((value << 1) ^ (value >> 63)) as u64;
    (70 - (raw | 1).leading_zeros() as usize) / 7
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(value: i64) -> Vec<u8> {
        let mut out = Vec::new();
        write(&mut out, value);
        out
    }

    fn take(bytes: &[u8]) -> impl FnMut() -> Result<u8, RecordFault> + '_ {
        let mut rest = bytes.iter();
        move || rest.next().copied().ok_or(RecordFault::Truncated)
    }

    #[test]
    fn known_encodings() {
        for (value, expected) in
            [(0, &[0][..]), (-1, &[1]), (1, &[2]), (-64, &[127]), (64, &[128, 1]), (70, &[140, 1])]
        {
            assert_eq!(bytes(value), expected);
        }
        assert_eq!(bytes(i64::from(i32::MIN)), [255, 255, 255, 255, 15]);
    }

    #[test]
    fn too_long_is_an_error() {
        assert_eq!(read_i32(take(&[0x80; 5])), Err(RecordFault::Varint));
        assert_eq!(read_i64(take(&[0x80; 10])), Err(RecordFault::Varint));
        assert_eq!(read_i64(take(&[0x80; 9])), Err(RecordFault::Truncated));
    }

    proptest! {
        #[test]
        fn round_trip(value: i64) {
            prop_assert_eq!(read_i64(take(&bytes(value))), Ok(value));
            prop_assert_eq!(bytes(value).len(), size(value));
        }

        #[test]
        fn round_trip_32(value: i32) {
            prop_assert_eq!(read_i32(take(&bytes(value.into()))), Ok(value));
            prop_assert_eq!(bytes(value.into()).len(), size(value.into()));
        }
    }
}
