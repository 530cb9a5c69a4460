//! Snake case of Kafka's names; shared by the build script and the importer of the schema.

/// `KRaftVersionRecord` → `kraft_version_record`, `timeoutMs` → `timeout_ms`.
pub fn snake(name: &str) -> String {
    let name = name.replace("KRaft", "Kraft");
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (at, c) in chars.iter().enumerate() {
        let after_lower = at > 0 && !chars[at - 1].is_uppercase();
        let before_lower = chars.get(at + 1).is_some_and(|n| n.is_lowercase());
        if c.is_uppercase() && at > 0 && (after_lower || before_lower) {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}
