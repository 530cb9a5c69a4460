//! Finding records by time within a batch, for each codec and both timestamp types.

mod support;

use highwater_records::{
    BatchOptions, BatchView, Compression, Scratch, TimedOffset, first_at_or_after,
    first_of_max_timestamp,
};
use support::{Owned, build, record, with_header};

fn batch(compression: Compression, timestamps: &[i64]) -> bytes::Bytes {
    let records: Vec<Owned> = timestamps.iter().map(|t| record("k", "v", *t)).collect();
    build(BatchOptions { compression, base_offset: 100, ..BatchOptions::default() }, &records)
}

fn check_at_or_after(
    timestamps: &[i64],
    from_offset: i64,
    query: i64,
    expected: Option<(i64, i64)>,
) {
    for codec in Compression::ALL {
        let batch = batch(codec, timestamps);
        let view = BatchView::parse(&batch).unwrap();
        let found = first_at_or_after(&view, query, from_offset, &mut Scratch::new()).unwrap();
        let expected = expected.map(|(offset, timestamp)| TimedOffset { offset, timestamp });
        assert_eq!(found, expected, "{codec} {query}");
    }
}

fn check_max(timestamps: &[i64], expected: Option<(i64, i64)>) {
    for codec in Compression::ALL {
        let batch = batch(codec, timestamps);
        let view = BatchView::parse(&batch).unwrap();
        let found = first_of_max_timestamp(&view, &mut Scratch::new()).unwrap();
        let expected = expected.map(|(offset, timestamp)| TimedOffset { offset, timestamp });
        assert_eq!(found, expected, "{codec}");
    }
}

#[test]
fn the_first_in_offset_order_that_is_late_enough() {
    let timestamps = [10, 20, 30, 25, 40];
    for (query, expected) in [
        (5, Some((100, 10))),
        (10, Some((100, 10))),
        (11, Some((101, 20))),
        (26, Some((102, 30))),
        (30, Some((102, 30))),
        (31, Some((104, 40))),
        (41, None),
    ] {
        check_at_or_after(&timestamps, 0, query, expected);
    }
    // From an offset in the middle, as after DeleteRecords.
    check_at_or_after(&timestamps, 103, 5, Some((103, 25)));
    check_at_or_after(&timestamps, 105, 5, None);
}

#[test]
fn the_first_of_those_with_the_largest_time() {
    check_max(&[1, 3, 2], Some((101, 3)));
    check_max(&[3, 1, 3], Some((100, 3)));
    check_max(&[-1, -1], Some((100, -1)));
    check_max(&[], None);
}

#[test]
fn under_append_time_it_is_the_first_record() {
    for compression in Compression::ALL {
        let records = [record("a", "", 5), record("b", "", 9)];
        let options =
            BatchOptions { compression, log_append_time: Some(50), ..BatchOptions::default() };
        let batch = build(options, &records);
        let view = BatchView::parse(&batch).unwrap();
        let mut scratch = Scratch::new();
        let first = Some(TimedOffset { offset: 0, timestamp: 50 });
        assert_eq!(first_of_max_timestamp(&view, &mut scratch).unwrap(), first);
        assert_eq!(first_at_or_after(&view, 50, 0, &mut scratch).unwrap(), first);
        assert_eq!(first_at_or_after(&view, 51, 0, &mut scratch).unwrap(), None);
    }
}

#[test]
fn a_wrong_maximum_in_the_header_misleads_nobody() {
    let batch = with_header(&batch(Compression::None, &[1, 3, 2]), |h| h.max_timestamp = 99);
    let view = BatchView::parse(&batch).unwrap();
    let found = first_of_max_timestamp(&view, &mut Scratch::new()).unwrap();
    assert_eq!(found, Some(TimedOffset { offset: 101, timestamp: 3 }));
}
