//! Rust names for Kafka's names.

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

/// A field's name, made raw where Rust has the word for itself.
pub fn field(name: &str) -> String {
    let name = snake(name);
    match name.as_str() {
        "type" | "match" | "ref" | "use" | "in" | "where" | "impl" | "move" | "self" => {
            format!("r#{name}")
        }
        _ => name,
    }
}

pub fn constant(name: &str) -> String {
    snake(name).to_uppercase()
}
