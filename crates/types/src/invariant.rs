//! `invariant!`: what must hold in every build. A broken one is a bug of ours, never the fault of
//! a client or a disk.

/// Stops with a message that names the invariant if `condition` does not hold, in release builds
/// too. The first argument is the invariant's number from `docs/invariants.md`, or a short name.
#[macro_export]
macro_rules! invariant {
    ($name:literal, $condition:expr) => {
        if !$condition {
            panic!(concat!("invariant ", $name, " is broken: ", stringify!($condition)));
        }
    };
    ($name:literal, $condition:expr, $($detail:tt)+) => {
        if !$condition {
            panic!(
                "invariant {} is broken: {} ({})",
                $name, stringify!($condition), format_args!($($detail)+)
            );
        }
    };
}

#[cfg(test)]
mod tests {
    #[test]
    #[should_panic(expected = "invariant HW-02 is broken: watermark <= end (3 > 2)")]
    fn names_what_broke() {
        let (watermark, end) = (3, 2);
        invariant!("HW-02", watermark <= end, "{watermark} > {end}");
    }
}
