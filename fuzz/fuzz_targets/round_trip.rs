//! The input chooses a message and a version, and steers the making of a value; it comes back as
//! it was.

#![no_main]

use highwater_wire::arbitrary::{Gen, choose};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some(((entry, version), choices)) = choose(input) else { return };
    if let Err(failure) = (entry.round_trip)(&mut Gen::new(choices), version) {
        panic!("{} v{version}: {failure}", entry.name);
    }
});
