//! Offsets by time, of three records whose times do not rise.

use highwater_testkit::batch::{plain, record};
use highwater_testkit::now_ms;
use highwater_wire::messages::list_offsets_response::ListOffsetsPartitionResponse;

use crate::shared;

#[test]
fn offsets_by_time() {
    let broker = shared::broker();
    let mut wire = broker.connect();
    let topic = wire.new_topic(1, &[]);
    let now = now_ms();
    let at = |back| record(Some("k"), Some("v"), now - back);
    wire.must_produce(&topic, 0, &plain(&[at(5_000), at(1_000), at(3_000)]));

    let none = (-1, -1, -1);
    let cases = [
        ("latest", -1, (-1, 3, 0)),
        ("earliest", -2, (-1, 0, 0)),
        ("of the largest time", -3, (now - 1_000, 1, 0)),
        ("earliest local", -4, (-1, 0, 0)),
        ("latest tiered", -5, none),
        ("earliest pending upload", -6, none),
        ("first", now - 5_000, (now - 5_000, 0, 0)),
        ("between", now - 4_000, (now - 1_000, 1, 0)),
        ("before the one out of order", now - 2_000, (now - 1_000, 1, 0)),
        ("beyond all", now, none),
        ("1970", 0, (now - 5_000, 0, 0)),
    ];
    for (what, asked, (timestamp, offset, leader_epoch)) in cases {
        let expected =
            ListOffsetsPartitionResponse { timestamp, offset, leader_epoch, ..Default::default() };
        assert_eq!(wire.list_offset(&topic, 0, asked), expected, "{what}");
    }
}
