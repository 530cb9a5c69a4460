//! The input into a message at a version, which its first three bytes choose. Nothing panics, and
//! what is accepted is said again alike.

#![no_main]

use bytes::Bytes;
use highwater_wire::arbitrary::choose;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some(((entry, version), body)) = choose(input) else { return };
    let Ok(first) = (entry.recode)(Bytes::copy_from_slice(body), version) else { return };
    // Text that is not UTF-8 is replaced, and can then be too long to be said again.
    let Ok(said) = first.bytes else { return };
    let second = (entry.recode)(said.clone(), version).expect("what we say we can read");
    assert_eq!((second.bytes, second.left_over), (Ok(said), 0), "{} v{version}", entry.name);
});
