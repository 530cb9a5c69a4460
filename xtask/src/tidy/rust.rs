//! Rules for Rust files: a head that says what the file is for, a bounded length, honest names.

use super::ratchet::Ratchet;

const LINES_MAX: usize = 800;

/// Calls and attributes that leave something undone. Split, so that this file does not hold them.
const UNDONE: &[&str] = &[
    concat!("to", "do!("),
    concat!("unimplemen", "ted!("),
    concat!("db", "g!("),
    concat!("#[ign", "ore"),
    concat!("assert!(tr", "ue)"),
    concat!("HA", "CK"),
];

const VAGUE: &[&str] = &["Manager", "Helper", "Helpers", "Util", "Utils", "Common"];

pub fn check(path: &str, text: &str, ratchet: &Ratchet, faults: &mut Vec<String>) {
    let count = text.lines().count();
    let limit = ratchet.limit("length", path).unwrap_or(LINES_MAX);
    if count > limit {
        faults.push(format!("{path}: {count} lines, more than {limit}: split by event or command"));
    }
    if !text.starts_with("//!") && !ratchet.allows("head", path, "*") {
        faults.push(format!("{path}: does not begin with `//!`"));
    }
    let stem = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
    if VAGUE.iter().any(|vague| vague.eq_ignore_ascii_case(stem)) {
        faults.push(format!("{path}: a file's name must say what is in it"));
    }
    for (at, line) in text.lines().enumerate() {
        for word in UNDONE {
            if line.contains(word) && !ratchet.allows("word", path, word) {
                faults.push(format!("{path}:{}: `{word}`", at + 1));
            }
        }
        if let Some(name) = vague_type(line) {
            faults.push(format!("{path}:{}: the name {name} does not say what it does", at + 1));
        }
    }
}

/// The type that this line declares, if its name ends in a vague word.
fn vague_type(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
    let rest = ["struct ", "enum ", "trait ", "type "].iter().find_map(|w| line.strip_prefix(w))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let name = &rest[..end];
    VAGUE.iter().any(|vague| name.ends_with(vague)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vague_names_are_found_where_they_are_declared() {
        assert_eq!(vague_type("pub struct LogManager {"), Some("LogManager"));
        assert_eq!(vague_type("    enum ParseUtil"), Some("ParseUtil"));
        assert_eq!(vague_type("let manager = LogManager::new();"), None);
        assert_eq!(vague_type("pub struct Managers;"), None);
    }
}
