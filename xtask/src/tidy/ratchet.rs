//! The agreed exceptions of `tidy` and `layers`, in `xtask/ratchet.txt`.
//!
//! One a line: `rule | path | what is allowed there | reason`. The list only gets shorter: an entry
//! whose path is gone is a fault.

use std::path::Path;

pub struct Ratchet {
    entries: Vec<Entry>,
}

struct Entry {
    rule: String,
    path: String,
    allowed: String,
}

impl Ratchet {
    pub fn load(root: &Path) -> Result<Ratchet, String> {
        let path = root.join("xtask/ratchet.txt");
        let text = std::fs::read_to_string(&path).map_err(|e| crate::exec::told(&path, &e))?;
        Ratchet::parse(&text)
    }

    fn parse(text: &str) -> Result<Ratchet, String> {
        let mut entries = Vec::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let fields: Vec<&str> = line.split('|').map(str::trim).collect();
            let [rule, path, allowed, reason] = fields[..] else {
                return Err(format!("ratchet.txt: not `rule | path | allowed | reason`: {line}"));
            };
            if reason.is_empty() {
                return Err(format!("ratchet.txt: an exception without a reason: {line}"));
            }
            let [rule, path, allowed] = [rule, path, allowed].map(str::to_owned);
            entries.push(Entry { rule, path, allowed });
        }
        Ok(Ratchet { entries })
    }

    pub fn allows(&self, rule: &str, path: &str, what: &str) -> bool {
        self.entries.iter().any(|e| e.rule == rule && e.path == path && e.allowed == what)
    }

    /// The number agreed for this path, for rules that have a limit.
    pub fn limit(&self, rule: &str, path: &str) -> Option<usize> {
        let entry = self.entries.iter().find(|e| e.rule == rule && e.path == path)?;
        entry.allowed.parse().ok()
    }

    pub fn stale(&self, root: &Path) -> Vec<String> {
        let gone = self.entries.iter().filter(|entry| !root.join(&entry.path).exists());
        gone.map(|entry| format!("ratchet.txt: {} is gone", entry.path)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_needs_a_reason() {
        assert!(Ratchet::parse("length | a.rs | 900 | one table\n").is_ok());
        assert!(Ratchet::parse("length | a.rs | 900 | \n").is_err());
        assert!(Ratchet::parse("length | a.rs | 900\n").is_err());
    }

    #[test]
    fn allows_what_is_named_and_nothing_else() {
        let ratchet = Ratchet::parse("blind | a.rs | std::fs | a handle\n").expect("parses");
        assert!(ratchet.allows("blind", "a.rs", "std::fs"));
        assert!(!ratchet.allows("blind", "b.rs", "std::fs"));
        assert_eq!(ratchet.limit("length", "a.rs"), None);
    }
}
