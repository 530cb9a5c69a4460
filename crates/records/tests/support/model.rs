//! Reading the records of a plain payload the obvious way: recursive, copying, without hurry.

use super::Owned;

/// The records, with offset deltas and timestamp deltas for offsets and times; none if the
/// payload is not exactly `count` well-formed records.
pub fn records(payload: &[u8], count: i32) -> Option<Vec<Owned>> {
    let mut at = 0;
    let mut out = Vec::new();
    for _ in 0..count {
        out.push(record(payload, &mut at)?);
    }
    (at == payload.len()).then_some(out)
}

fn record(bytes: &[u8], at: &mut usize) -> Option<Owned> {
    let size = usize::try_from(number(bytes, at, 5)?).ok()?;
    let start = *at;
    slice(bytes, at, 1)?;
    let timestamp = number(bytes, at, 10)? as i64;
    let offset = i64::from(number(bytes, at, 5)? as i32);
    let key = field(bytes, at)?;
    let value = field(bytes, at)?;
    let count = number(bytes, at, 5)?;
    let mut headers = Vec::new();
    if count < 0 {
        return None;
    }
    for _ in 0..count {
        headers.push((field(bytes, at)??, field(bytes, at)?));
    }
    (*at - start == size).then_some(Owned { offset, timestamp, key, value, headers })
}

fn field(bytes: &[u8], at: &mut usize) -> Option<Option<Vec<u8>>> {
    match number(bytes, at, 5)? {
        -1 => Some(None),
        n => Some(Some(slice(bytes, at, usize::try_from(n).ok()?)?.to_vec())),
    }
}

fn slice<'a>(bytes: &'a [u8], at: &mut usize, n: usize) -> Option<&'a [u8]> {
    let slice = bytes.get(*at..at.checked_add(n)?)?;
    *at += n;
    Some(slice)
}

/// A zigzag varint of at most `bytes_max` bytes; bits beyond the type's width are dropped.
fn number(bytes: &[u8], at: &mut usize, bytes_max: usize) -> Option<i128> {
    let mut raw = 0u128;
    for n in 0..bytes_max {
        let byte = slice(bytes, at, 1)?[0];
        raw |= u128::from(byte & 0x7f) << (7 * n);
        if byte < 0x80 {
            let width = if bytes_max == 5 { 32 } else { 64 };
            raw &= (1u128 << width) - 1;
            let half = (raw >> 1) as i128;
            return Some(if raw & 1 == 0 { half } else { -half - 1 });
        }
    }
    None
}
