//! The input into every message at every version. Nothing panics, and what is accepted is said
//! again alike.

#![no_main]

use bytes::Bytes;
use highwater_wire::arbitrary::every_message;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let input = Bytes::copy_from_slice(input);
    for entry in every_message() {
        for version in entry.version_min..=entry.version_max {
            let Ok(first) = (entry.recode)(input.clone(), version) else { continue };
            // Text that is not UTF-8 is replaced, and can then be too long to be said again.
            let Ok(said) = first.bytes else { continue };
            let second = (entry.recode)(said.clone(), version).expect("what we say we can read");
            assert_eq!((second.bytes, second.left_over), (Ok(said), 0), "{} v{version}", entry.name);
        }
    }
});
