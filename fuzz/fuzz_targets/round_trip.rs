//! The input steers the making of a value of every message; each comes back as it was.

#![no_main]

use highwater_wire::arbitrary::{Gen, every_message};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|choices: &[u8]| {
    for entry in every_message() {
        for version in entry.version_min..=entry.version_max {
            if let Err(failure) = (entry.round_trip)(&mut Gen::new(choices), version) {
                panic!("{} v{version}: {failure}", entry.name);
            }
        }
    }
});
