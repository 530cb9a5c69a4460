//! Control records: keys and values byte by byte, and what is not one.

mod support;

use highwater_records::control::{
    ControlType, EndTxnMarker, control_batch, kraft_version_value, leader_change_value,
    snapshot_footer_value, snapshot_header_value,
};
use highwater_records::{BatchOptions, BatchView, Scratch};
use support::{Owned, read, record};

#[test]
fn keys() {
    for code in -2..9 {
        let kind = ControlType::from_code(code);
        assert_eq!(kind.code(), code);
        assert_eq!(ControlType::of_key(&kind.key()), Some(kind));
    }
    assert_eq!(ControlType::Commit.key(), [0, 0, 0, 1]);
    // A later version may have more behind.
    assert_eq!(ControlType::of_key(&[0, 1, 0, 0, 9]), Some(ControlType::Abort));
    for not_a_key in [&[][..], &[0, 0, 0], &[255, 255, 0, 1]] {
        assert_eq!(ControlType::of_key(not_a_key), None);
    }
}

#[test]
fn markers() {
    for is_commit in [true, false] {
        let marker = EndTxnMarker { is_commit, coordinator_epoch: 0x0102_0304 };
        assert_eq!(marker.value(), [0, 0, 1, 2, 3, 4]);
        let batch = marker.batch(7, 2, 99);
        let view = BatchView::parse(&batch).unwrap();
        view.verify_crc().unwrap();
        let header = view.header();
        assert!(header.is_control() && header.is_transactional());
        assert_eq!((header.producer_id, header.producer_epoch, header.base_sequence), (7, 2, -1));
        let mut scratch = Scratch::new();
        let record = view.records(&mut scratch).unwrap().next().unwrap().unwrap();
        assert_eq!(EndTxnMarker::of_record(&record), Some(marker));
        assert_eq!(record.timestamp, 99);
    }
}

#[test]
fn raft_values() {
    let change = leader_change_value(1, &[1, 2], &[2]);
    #[rustfmt::skip]
    let expected = [
        0, 0, 0, 0, 0, 1,
        3, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0,
        2, 0, 0, 0, 2, 0,
        0,
    ];
    assert_eq!(change, expected);
    assert_eq!(snapshot_header_value(258), [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0]);
    assert_eq!(snapshot_footer_value(), [0, 0, 0]);
    assert_eq!(kraft_version_value(1), [0, 0, 0, 1, 0]);
    let many: Vec<i32> = (0..200).collect();
    let change = leader_change_value(0, &many, &[]);
    assert_eq!(change[6..8], [0x80 | 73, 1], "201 in two bytes");
}

#[test]
fn other_control_records_are_no_markers() {
    let options = BatchOptions { base_offset: 5, ..BatchOptions::default() };
    let batch = control_batch(options, ControlType::SnapshotFooter, 3, &snapshot_footer_value());
    let records = read(&batch).unwrap();
    assert_eq!((records[0].offset, records[0].timestamp), (5, 3));
    let view = BatchView::parse(&batch).unwrap();
    let mut scratch = Scratch::new();
    let footer = view.records(&mut scratch).unwrap().next().unwrap().unwrap();
    assert_eq!(ControlType::of_record(&footer), Some(ControlType::SnapshotFooter));
    assert_eq!(EndTxnMarker::of_record(&footer), None);
    let short = Owned { value: Some(vec![0; 5]), ..record("\0\0\0\u{1}", "", 0) };
    let batch = support::in_codec(highwater_records::Compression::None, &[short]);
    let view = BatchView::parse(&batch).unwrap();
    let mut scratch = Scratch::new();
    let record = view.records(&mut scratch).unwrap().next().unwrap().unwrap();
    assert_eq!(EndTxnMarker::of_record(&record), None);
}
