//! `cargo xtask bench`: programs that measure, beside Kafka 4.4.0 in the same run.

pub fn run(_args: &[String]) -> Result<(), String> {
    Err("usage: cargo xtask bench start".to_owned())
}
