//! Every message at every version: what is encoded comes back, and leaves nothing behind.

use highwater_wire::arbitrary::{Entry, Gen, every_message};
use proptest::prelude::*;

fn check(entry: &Entry, version: i16, choices: &[u8]) {
    if let Err(failure) = (entry.round_trip)(&mut Gen::new(choices), version) {
        panic!("{} version {version}: {failure}", entry.name);
    }
}

fn every_version(mut check: impl FnMut(&Entry, i16)) {
    for entry in every_message() {
        for version in entry.version_min..=entry.version_max {
            check(entry, version);
        }
    }
}

/// All choices alike: the emptiest value, and nulls, lengths and tags at their extremes.
#[test]
fn extreme_values_of_every_version() {
    for byte in [0, 1, 3, 63, 64, 127, 128, 249, 250, 254, 255] {
        every_version(|entry, version| check(entry, version, &[byte; 300]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn values_of_every_version(choices in prop::collection::vec(any::<u8>(), 0..400)) {
        every_version(|entry, version| check(entry, version, &choices));
    }
}
