//! Writes the compact notation. Its grammar is described where it is read, in
//! `crates/wire/build/notation.rs`; this side only abbreviates: whatever equals the message's own
//! range of versions, or the natural default of a type, is left out.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::snake::snake;
use super::source::{Field, Message, OPEN};

/// The file that a message belongs to: an API's two sides, or a record's key and value, share one.
pub fn file_of(message: &Message) -> PathBuf {
    let name = snake(&message.name);
    let stem = |suffix: &str| name.strip_suffix(suffix).unwrap_or(&name).to_owned();
    let (folder, stem) = match message.kind.as_str() {
        "request" => ("api", numbered(message.key, &stem("_request"))),
        "response" => ("api", numbered(message.key, &stem("_response"))),
        "coordinator-key" => ("coordinator", stem("_key")),
        "coordinator-value" => ("coordinator", stem("_value")),
        // Remote storage numbers its records apart from the controller's.
        "metadata" if message.name.starts_with("Remote") => ("remote", stem("_record")),
        "metadata" => ("metadata", numbered(message.key, &stem("_record"))),
        _ => ("data", name),
    };
    PathBuf::from(folder).join(format!("{stem}.schema"))
}

fn numbered(key: Option<i16>, stem: &str) -> String {
    format!("{:02}-{stem}", key.unwrap_or(-1))
}

pub fn file(mut messages: Vec<Message>) -> String {
    messages.sort_by_key(|m| (m.kind.clone(), m.name.clone()));
    // "request" sorts before "response", "coordinator-key" before "coordinator-value".
    messages.iter().map(message).collect::<Vec<_>>().join("\n")
}

fn message(m: &Message) -> String {
    let kind = match m.kind.strip_prefix("coordinator-").unwrap_or(&m.kind) {
        "metadata" if m.name.starts_with("Remote") => "remote",
        kind => kind,
    };
    let mut text = format!("{kind} {}", m.name);
    if let Some(key) = m.key {
        let _ = write!(text, " key {key}");
    }
    let Some((low, high)) = m.valid else {
        return text + " removed\n";
    };
    let _ = write!(text, " versions {}", range((low, high)));
    if let Some(flexible) = m.flexible.filter(|f| f.0 <= high) {
        let _ = write!(text, " flexible {}", range(flexible));
    }
    for (index, listener) in m.listeners.iter().enumerate() {
        let _ = write!(text, "{} {listener}", if index == 0 { " on" } else { "" });
    }
    text.push('\n');
    let valid = (low, high);
    fields(&mut text, &m.fields, valid, 1);
    for (name, of) in &m.structs {
        let _ = writeln!(text, "  struct {name}");
        fields(&mut text, of, valid, 2);
    }
    text
}

fn fields(text: &mut String, fields: &[Field], valid: (i16, i16), depth: usize) {
    for field in fields {
        let Some(present) = field.versions.and_then(|v| overlap(v, valid)) else {
            continue;
        };
        let _ = write!(text, "{:indent$}{} {}", "", field.name, field.ty, indent = depth * 2);
        if let Some(null) = field.nullable.and_then(|v| overlap(v, present)) {
            text.push('?');
            if null != present {
                text.push_str(&open_ended(null, valid));
            }
        }
        if present != valid {
            let _ = write!(text, " {}", open_ended(present, valid));
        }
        tag(text, field, present, valid);
        if let Some(default) = field.default.as_deref().and_then(|d| unusual(d, &field.ty)) {
            let _ = write!(text, " = {default}");
        }
        for (set, word) in [(field.ignorable, "ignorable"), (field.inflexible, "inflexible")] {
            if set {
                let _ = write!(text, " {word}");
            }
        }
        text.push('\n');
        self::fields(text, &field.fields, valid, depth + 1);
    }
}

fn tag(text: &mut String, field: &Field, present: (i16, i16), valid: (i16, i16)) {
    let Some((number, tagged)) = field.tag else { return };
    let Some(tagged) = tagged.and_then(|v| overlap(v, present)) else { return };
    let _ = write!(text, " tag {number}");
    if tagged != present {
        let _ = write!(text, " {}", open_ended(tagged, valid));
    }
}

fn overlap(a: (i16, i16), b: (i16, i16)) -> Option<(i16, i16)> {
    let both = (a.0.max(b.0), a.1.min(b.1));
    (both.0 <= both.1).then_some(both)
}

/// A range that lasts to the newest version stays open, so that the next version is a small diff.
fn open_ended(versions: (i16, i16), valid: (i16, i16)) -> String {
    range(if versions.1 == valid.1 { (versions.0, OPEN) } else { versions })
}

fn range((low, high): (i16, i16)) -> String {
    match high {
        OPEN => format!("{low}+"),
        high if high == low => format!("{low}"),
        high => format!("{low}-{high}"),
    }
}

/// The default in decimal, or `None` where it is what the type begins with anyway.
fn unusual(default: &str, ty: &str) -> Option<String> {
    let natural = match ty {
        "bool" => default.eq_ignore_ascii_case("false"),
        "string" => default.is_empty(),
        _ => default == "0",
    };
    if natural {
        return None;
    }
    let hex = default.strip_prefix("0x").and_then(|digits| i64::from_str_radix(digits, 16).ok());
    Some(hex.map_or_else(|| default.to_ascii_lowercase(), |n| n.to_string()))
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn a_message_in_the_notation() {
        let json = r#"{ "apiKey": 7, "type": "request", "name": "PingRequest", "listeners": ["broker"],
            "validVersions": "1-4", "flexibleVersions": "3+", "fields": [
            { "name": "Text", "type": "string", "versions": "0+", "nullableVersions": "2+" },
            { "name": "Limit", "type": "int32", "versions": "3+", "default": "0x7fffffff" },
            { "name": "Extra", "type": "[]Part", "versions": "3+", "taggedVersions": "3+", "tag": 0,
              "ignorable": true, "fields": [{ "name": "Id", "type": "uuid", "versions": "3+" }] }]}"#;
        let parsed = source::parse(json).unwrap();
        assert_eq!(file_of(&parsed), PathBuf::from("api/07-ping.schema"));
        assert_eq!(
            file(vec![parsed]),
            "request PingRequest key 7 versions 1-4 flexible 3+ on broker\n  \
             Text string?2+\n  \
             Limit int32 3+ = 2147483647\n  \
             Extra []Part 3+ tag 0 ignorable\n    \
             Id uuid 3+\n"
        );
    }
}
