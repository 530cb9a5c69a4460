//! The spellings of each codec that clients use, damage of every kind, and bombs.

mod support;

use std::io::Write;

use highwater_records::limits::{DECOMPRESSED_BYTES_MAX, RENUMBERED_BYTES_MAX};
use highwater_records::{
    BatchError, BatchView, CodecFault, Compression, HEADER_BYTES, Rewrite, Scratch, Storing,
    ValidateOptions, accept_produced, compress, decompress, validate_produced,
};
use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};
use support::{Owned, in_codec, read, record, with_payload};

const PACKED: [Compression; 4] =
    [Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd];

fn packed(codec: Compression, plain: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    compress(codec, None, plain, &mut out);
    out
}

fn unpacked(codec: Compression, packed: &[u8]) -> Result<Vec<u8>, BatchError> {
    let mut out = Vec::new();
    decompress(codec, packed, &mut out, 64 << 20).map(|()| out)
}

/// Bytes that compress somewhat: words in an order that does not repeat soon.
fn text(bytes: usize) -> Vec<u8> {
    let mut state = 1u32;
    let mut out = Vec::new();
    while out.len() < bytes {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        out.extend_from_slice(format!("word-{} ", state >> 22).as_bytes());
    }
    out.truncate(bytes);
    out
}

#[test]
fn every_size_comes_back() {
    for codec in Compression::ALL {
        for size in [0, 1, 100, 32767, 32768, 32769, 65535, 65536, 65537, 200_000, 1_500_000] {
            let plain = text(size);
            assert_eq!(unpacked(codec, &packed(codec, &plain)).unwrap(), plain, "{codec} {size}");
        }
    }
}

#[test]
fn every_level_comes_back() {
    let plain = text(50_000);
    for (codec, levels) in [
        (Compression::Gzip, &[-1, 0, 1, 9, 99][..]),
        (Compression::Zstd, &[-200_000, -5, 1, 19, 22, 99]),
        (Compression::Lz4, &[1, 17]),
    ] {
        for level in levels {
            let mut out = Vec::new();
            compress(codec, Some(*level), &plain, &mut out);
            assert_eq!(unpacked(codec, &out).unwrap(), plain, "{codec} {level}");
        }
    }
    let size = |level| {
        let mut out = Vec::new();
        compress(Compression::Gzip, Some(level), &plain, &mut out);
        out.len()
    };
    assert!(size(9) < size(1), "levels have an effect");
}

/// A batch whose records are compressed by other means is accepted, stored as sent, and read.
fn check_spelling(codec: Compression, repack: impl Fn(&[u8]) -> Vec<u8>) {
    let values = text(150_000);
    let records: Vec<Owned> = values
        .chunks(1000)
        .map(|value| Owned { value: Some(value.to_vec()), ..record("key", "", 7) })
        .collect();
    let plain = in_codec(Compression::None, &records);
    let packed = repack(&plain[HEADER_BYTES..]);
    let batch = with_payload(&plain, &packed, |h| h.attributes = h.attributes.with_codec(codec));
    let options = ValidateOptions::default();
    let accepted = accept_produced(&batch, &options, &mut Scratch::new()).unwrap();
    assert_eq!(accepted.bytes, batch, "stored as sent");
    let expected = read(&plain).unwrap();
    assert_eq!(read(&batch).unwrap(), expected);
}

#[test]
fn gzip_of_one_member_and_of_several() {
    let gzip = |plain: &[u8]| packed(Compression::Gzip, plain);
    check_spelling(Compression::Gzip, gzip);
    check_spelling(Compression::Gzip, |plain| plain.chunks(999).flat_map(gzip).collect());
    // With an empty member, and with padding after the last: Java passes over both.
    check_spelling(Compression::Gzip, |plain| [gzip(&[]), gzip(plain), gzip(&[])].concat());
    check_spelling(Compression::Gzip, |plain| [&gzip(plain)[..], &[0; 9]].concat());
}

#[test]
fn snappy_framed_and_bare() {
    let framed = |plain: &[u8]| packed(Compression::Snappy, plain);
    let bare = |plain: &[u8]| snap::raw::Encoder::new().compress_vec(plain).unwrap();
    check_spelling(Compression::Snappy, framed);
    check_spelling(Compression::Snappy, bare);
    // Blocks of another size than ours, as other writers choose them, and joined streams.
    check_spelling(Compression::Snappy, |plain| {
        let mut out = framed(&[]);
        for block in plain.chunks(70_000).map(bare) {
            out.extend_from_slice(&(block.len() as u32).to_be_bytes());
            out.extend_from_slice(&block);
        }
        out
    });
    check_spelling(Compression::Snappy, |plain| plain.chunks(40_000).flat_map(framed).collect());
}

fn lz4(plain: &[u8], info: FrameInfo) -> Vec<u8> {
    let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn lz4_with_and_without_sizes_and_checksums() {
    for block in [BlockSize::Max64KB, BlockSize::Max256KB, BlockSize::Max1MB, BlockSize::Max4MB] {
        for bits in 0..8 {
            check_spelling(Compression::Lz4, |plain| {
                let size = (bits & 4 != 0).then_some(plain.len() as u64);
                let info = FrameInfo::new()
                    .block_size(block)
                    .block_mode(BlockMode::Independent)
                    .block_checksums(bits & 1 != 0)
                    .content_checksum(bits & 2 != 0)
                    .content_size(size);
                lz4(plain, info)
            });
        }
    }
}

#[test]
fn lz4_of_linked_blocks_is_rewritten() {
    let records: Vec<Owned> =
        (0..200).map(|n| record("key", &format!("{n}{}", "v".repeat(2000)), n)).collect();
    let plain = in_codec(Compression::None, &records);
    let info = FrameInfo::new().block_size(BlockSize::Max64KB).block_mode(BlockMode::Linked);
    let payload = lz4(&plain[HEADER_BYTES..], info);
    let batch = with_payload(&plain, &payload, |h| {
        h.attributes = h.attributes.with_codec(Compression::Lz4);
    });
    assert_eq!(read(&batch).unwrap(), read(&plain).unwrap());
    let options = ValidateOptions::default();
    let summary = validate_produced(&batch, &options, &mut Scratch::new()).unwrap();
    assert_eq!(summary.rewrite, Some(Rewrite::Repack));
    let accepted = accept_produced(&batch, &options, &mut Scratch::new()).unwrap();
    assert_eq!(accepted.bytes, in_codec(Compression::Lz4, &records));
}

#[test]
fn zstd_with_and_without_content_size() {
    check_spelling(Compression::Zstd, |plain| zstd::bulk::compress(plain, 3).unwrap());
    check_spelling(Compression::Zstd, |plain| {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
        encoder.include_contentsize(false).unwrap();
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    });
    // The largest window that Kafka's highest level makes, and several frames.
    check_spelling(Compression::Zstd, |plain| {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(27).unwrap();
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    });
    check_spelling(Compression::Zstd, |plain| {
        plain.chunks(20_000).flat_map(|p| packed(Compression::Zstd, p)).collect()
    });
}

#[test]
fn every_cut_is_noticed() {
    let plain = text(3000);
    for codec in PACKED {
        let whole = packed(codec, &plain);
        for cut in 0..whole.len() {
            match unpacked(codec, &whole[..cut]) {
                Err(BatchError::Decompress { codec: named, .. }) => assert_eq!(named, codec),
                // Framed snappy has no end mark: at a block's end it may end.
                Ok(part) if codec == Compression::Snappy => assert!(part.len() < plain.len()),
                other => panic!("{codec} cut at {cut}: {other:?}"),
            }
        }
    }
}

#[test]
fn other_bytes_are_damage() {
    for codec in [Compression::Gzip, Compression::Lz4, Compression::Zstd] {
        let error = unpacked(codec, b"this is not compressed at all").unwrap_err();
        assert_eq!(error, BatchError::Decompress { codec, fault: CodecFault::Damaged });
    }
    // The legacy frame and skippable frames of lz4.
    for magic in [0x184C_2102u32, 0x184D_2A50] {
        let bytes = [&magic.to_le_bytes()[..], &[0; 20]].concat();
        assert!(unpacked(Compression::Lz4, &bytes).is_err());
    }
}

#[test]
fn bombs_are_capped() {
    let zeros = vec![0; 8 << 20];
    for codec in PACKED {
        let bomb = packed(codec, &zeros);
        let expected = Err(BatchError::DecompressedTooLarge { max: 1 << 20 });
        let mut out = Vec::new();
        assert_eq!(decompress(codec, &bomb, &mut out, 1 << 20), expected, "{codec}");
        assert!(out.capacity() < 4 << 20, "{codec} {}", out.capacity());
        let batch = with_payload(&in_codec(codec, &[record("k", "v", 0)]), &bomb, |_| {});
        let mut scratch = Scratch::with_limit(1 << 20);
        let view = BatchView::parse(&batch).unwrap();
        assert_eq!(view.records(&mut scratch).err(), expected.err(), "{codec}");
        // The walk stops at the first record that is none: the zeros are not even unpacked.
        let options = ValidateOptions::default();
        let error = validate_produced(&batch, &options, &mut scratch).unwrap_err();
        assert!(matches!(error, BatchError::Record { index: 0, .. }), "{codec} {error}");
    }
    assert!(unpacked(Compression::Snappy, &snappy_claiming(u32::MAX)).is_err());
}

/// A snappy block that claims to unpack to `size` bytes.
fn snappy_claiming(size: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = size;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.extend_from_slice(&[rest as u8, 0, 0, 0]);
    out
}

#[test]
fn a_well_formed_bomb_is_capped_at_the_limit() {
    // One record whose value alone passes the limit that a Scratch has by default.
    let value = vec![0; DECOMPRESSED_BYTES_MAX];
    let huge = Owned { value: Some(value), ..record("k", "", 0) };
    let batch = in_codec(Compression::Zstd, &[huge]);
    assert!(batch.len() < 100_000);
    let options = ValidateOptions::default();
    let error = validate_produced(&batch, &options, &mut Scratch::new()).unwrap_err();
    assert_eq!(error, BatchError::DecompressedTooLarge { max: DECOMPRESSED_BYTES_MAX });
}

#[test]
fn recompressing_stops_at_the_size_that_the_topic_takes() {
    // What repeats after 200 KB only zstd sees.
    let value = text(200_000);
    let records = vec![Owned { value: Some(value), ..record("k", "", 0) }; 100];
    let sent = in_codec(Compression::Zstd, &records);
    for codec in [Compression::None, Compression::Gzip, Compression::Snappy, Compression::Lz4] {
        let options = ValidateOptions {
            batch_bytes_max: sent.len(),
            storing: Storing::In { codec, level: None },
            ..ValidateOptions::default()
        };
        let error = accept_produced(&sent, &options, &mut Scratch::new()).map(drop).unwrap_err();
        let BatchError::TooLarge { size, max } = error else { panic!("{codec} {error}") };
        assert_eq!(max, sent.len());
        assert!(size < max + (1 << 20), "{codec} {size}");
    }
}

#[test]
fn renumbering_has_a_limit_of_its_own() {
    let value = vec![0; RENUMBERED_BYTES_MAX];
    let huge = Owned { value: Some(value), ..record("k", "", 0) };
    let plain = in_codec(Compression::None, &[huge]);
    // The offset delta follows the size (four bytes), attributes and timestamp delta.
    let mut payload = plain[HEADER_BYTES..].to_vec();
    assert_eq!(payload[6], 0);
    payload[6] = 2;
    let payload = packed(Compression::Zstd, &payload);
    let sent = with_payload(&plain, &payload, |h| {
        h.attributes = h.attributes.with_codec(Compression::Zstd);
    });
    let options = ValidateOptions::default();
    let error = accept_produced(&sent, &options, &mut Scratch::new()).unwrap_err();
    assert_eq!(error, BatchError::DecompressedTooLarge { max: RENUMBERED_BYTES_MAX });
}
