//! Frames: four bytes of length, then that many bytes. Reading and writing them is the network's
//! part.

use crate::Segment;

/// Bytes of the length before a frame.
pub const LENGTH_BYTES: usize = 4;

/// The length that begins a frame, if it may be accepted: above 0, at most `max`.
pub fn decode_length(bytes: [u8; LENGTH_BYTES], max: usize) -> Option<usize> {
    usize::try_from(i32::from_be_bytes(bytes)).ok().filter(|len| (1..=max).contains(len))
}

/// The length of a frame of these segments; `None` if it is above what four bytes can say.
pub fn encode_length(segments: &[Segment]) -> Option<[u8; LENGTH_BYTES]> {
    let len: usize = segments.iter().map(Segment::len).sum();
    i32::try_from(len).ok().map(i32::to_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        assert_eq!(decode_length([0, 0, 0, 5], 5), Some(5));
        assert_eq!(decode_length([0, 0, 0, 6], 5), None);
        assert_eq!(decode_length([0, 0, 0, 0], 5), None);
        assert_eq!(decode_length([0xff; 4], usize::MAX), None);
        let segments = [Segment::Bytes("abc".into()), Segment::Bytes("de".into())];
        assert_eq!(encode_length(&segments), Some([0, 0, 0, 5]));
    }
}
