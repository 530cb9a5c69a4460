//! `cargo xtask tidy`: what a reader may expect of every file.
//!
//! Looks at text only and changes nothing. Rules for Rust are in `rust`, for documents in
//! `documents`, what they repeat of the code in `said`; exceptions that were agreed on are in `ratchet`.

mod documents;
pub mod ratchet;
mod rust;
mod said;
pub mod sources;

use crate::exec;
use ratchet::Ratchet;

/// Kinds of file that hold text we write.
const TEXT: &[&str] =
    &[".rs", ".md", ".toml", ".py", ".go", ".java", ".sh", ".txt", ".json", ".yml"];

/// One line for each fault.
pub fn check() -> Result<Vec<String>, String> {
    let root = exec::root();
    let ratchet = Ratchet::load(&root)?;
    let mut faults = ratchet.stale(&root);
    for ending in TEXT {
        for path in sources::tracked(&root, ending)? {
            if path.starts_with("fixtures/") || path.contains("/fixtures/") {
                continue;
            }
            let text = sources::read(&root, &path)?;
            check_lines(&path, &text, &ratchet, &mut faults);
            if *ending == ".rs" {
                rust::check(&path, &text, &ratchet, &mut faults);
            }
            if *ending == ".md" {
                documents::check_links(&root, &path, &text, &mut faults);
            }
        }
    }
    documents::check_twins(&root, &mut faults);
    said::check(&root, &mut faults)?;
    Ok(faults)
}

/// Words that must not stand in any file. Split, so that this file does not hold them.
const NOWHERE: &[&str] = &[
    concat!("FIX", "ME"),
    concat!("XX", "X:"),
    concat!("/wor", "k/"),
    concat!("../sha", "red"),
    concat!("sub", "agent"),
    concat!("not implemented ", "yet"),
];

fn check_lines(path: &str, text: &str, ratchet: &Ratchet, faults: &mut Vec<String>) {
    for (at, line) in text.lines().enumerate() {
        if line.ends_with([' ', '\t']) && !ratchet.allows("space", path, "*") {
            faults.push(format!("{path}:{}: space at the end of the line", at + 1));
        }
        for word in NOWHERE {
            if line.contains(word) && !ratchet.allows("word", path, word) {
                faults.push(format!("{path}:{}: `{word}`", at + 1));
            }
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        faults.push(format!("{path}: no newline at the end"));
    }
}
