//! Reads the sources of the pure crates for what a blind crate may not name.
//!
//! A search of text, so it can be deceived; it is there against slips. Tests are not searched.

use crate::exec;
use crate::tidy::ratchet::Ratchet;
use crate::tidy::sources;

/// What may not be named, and why.
const FORBIDDEN: &[(&str, &str)] = &[
    ("std::fs", "files"),
    ("std::process", "processes"),
    ("std::thread", "threads"),
    ("std::env", "the environment"),
    ("TcpStream", "sockets"),
    ("TcpListener", "sockets"),
    ("UdpSocket", "sockets"),
    ("SystemTime", "a clock"),
    ("Instant::now", "a clock"),
    ("HashMap", "hash order"),
    ("HashSet", "hash order"),
    ("rand::", "randomness"),
    ("thread_rng", "randomness"),
    ("RandomState", "randomness"),
];

pub fn check(name: &str, faults: &mut Vec<String>) -> Result<(), String> {
    let root = exec::root();
    let ratchet = Ratchet::load(&root)?;
    let folder = format!("crates/{name}/src/");
    for path in sources::tracked(&root, ".rs")?.iter().filter(|path| path.starts_with(&folder)) {
        if sources::is_test(path) {
            continue;
        }
        let text = sources::read(&root, path)?;
        for (number, line) in shipped_lines(&text) {
            for (word, what) in FORBIDDEN {
                if line.contains(word) && !ratchet.allows("blind", path, word) {
                    faults
                        .push(format!("{path}:{number}: a pure crate may not use {what}: {word}"));
                }
            }
        }
    }
    Ok(())
}

/// The lines before the first `#[cfg(test)] mod`, without comments.
fn shipped_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let end = text.find("#[cfg(test)]\nmod ").unwrap_or(text.len());
    text[..end]
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.split("//").next().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_tests_are_not_read() {
        let text = "use a; // HashMap\n#[cfg(test)]\nmod tests { use std::fs; }\n";
        let lines: Vec<_> = shipped_lines(text).collect();
        assert_eq!(lines, vec![(1, "use a; ")]);
    }
}
