//! Messages as JSON, by way of the notation that `#[derive(Debug)]` prints.
//!
//! The generated messages have no other reflection, and a dump has no other need of one. What
//! cannot be read stays text.

use std::fmt::Debug;

use serde_json::{Map, Value};

use crate::text::bytes::json_of_bytes;

/// Empty in nearly every message, and then not worth showing.
const UNKNOWN_TAGS: &str = "unknown_tagged_fields";

pub(super) fn json_of(message: &impl Debug) -> Value {
    let text = format!("{message:?}");
    let mut at = Parser { rest: &text };
    match at.value() {
        Some(value) if at.rest.is_empty() => value,
        _ => Value::String(text),
    }
}

/// `Topic` of `Topic(TopicRecord { … })`.
pub(super) fn variant_of(message: &impl Debug) -> String {
    let text = format!("{message:?}");
    text.split('(').next().unwrap_or_default().to_owned()
}

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn value(&mut self) -> Option<Value> {
        if self.eat("b\"") {
            return Some(json_of_bytes(&self.quoted()?));
        }
        if self.eat("\"") {
            return String::from_utf8(self.quoted()?).ok().map(Value::String);
        }
        if self.eat("[") {
            return self.items("]").map(Value::Array);
        }
        let word = self.word()?;
        if self.eat(" {") {
            return self.fields().map(Value::Object);
        }
        if self.eat("(") {
            // A newtype, or `Some`: what is in it.
            let mut items = self.items(")")?;
            return if items.len() == 1 { items.pop() } else { Some(Value::Array(items)) };
        }
        Some(plain(word))
    }

    fn items(&mut self, close: &str) -> Option<Vec<Value>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(self.value()?);
            self.eat(", ");
        }
        Some(items)
    }

    fn fields(&mut self) -> Option<Map<String, Value>> {
        let mut fields = Map::new();
        while !self.eat(" }") {
            self.eat(",");
            if !self.eat(" ") {
                return None;
            }
            let name = self.word()?;
            if !self.eat(": ") {
                return None;
            }
            let value = self.value()?;
            if name != UNKNOWN_TAGS || !value.is_null() {
                fields.insert(name.trim_start_matches("r#").to_owned(), value);
            }
        }
        Some(fields)
    }

    fn word(&mut self) -> Option<&'a str> {
        let end = self.rest.find([',', ' ', '(', ')', '[', ']', '{', '}', ':', '"']);
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    /// What stands before the closing quotation mark, without escapes.
    fn quoted(&mut self) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        loop {
            let at = self.rest.find(['"', '\\'])?;
            out.extend_from_slice(&self.rest.as_bytes()[..at]);
            let is_end = self.rest.as_bytes()[at] == b'"';
            self.rest = &self.rest[at + 1..];
            if is_end {
                return Some(out);
            }
            self.escape(&mut out)?;
        }
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let kind = self.rest.chars().next()?;
        self.rest = &self.rest[kind.len_utf8()..];
        match kind {
            'n' => out.push(b'\n'),
            'r' => out.push(b'\r'),
            't' => out.push(b'\t'),
            '0' => out.push(0),
            'x' => {
                out.push(u8::from_str_radix(self.rest.get(..2)?, 16).ok()?);
                self.rest = &self.rest[2..];
            }
            'u' => {
                let (code, rest) = self.rest.strip_prefix('{')?.split_once('}')?;
                let c = char::from_u32(u32::from_str_radix(code, 16).ok()?)?;
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                self.rest = rest;
            }
            // A quotation mark or the backslash itself.
            other => out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        Some(())
    }

    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

fn plain(word: &str) -> Value {
    match word {
        "None" => return Value::Null,
        "true" => return true.into(),
        "false" => return false.into(),
        _ => {}
    }
    let is_fraction = word.contains('.');
    if let Ok(number) = word.parse::<i64>() {
        return number.into();
    }
    match word.parse::<f64>() {
        Ok(number) if is_fraction => number.into(),
        _ => word.into(),
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use highwater_types::Uuid;
    use highwater_wire::UnknownTags;
    use serde_json::json;

    use super::*;

    #[derive(Debug)]
    #[expect(dead_code, reason = "printed, not read")]
    struct Inner {
        id: Uuid,
        ratio: f64,
        unknown_tagged_fields: UnknownTags,
    }

    #[derive(Debug)]
    #[expect(dead_code, reason = "printed, not read")]
    struct Outer {
        name: &'static str,
        blob: Bytes,
        raw: Bytes,
        none: Option<i32>,
        some: Option<i64>,
        list: Vec<Inner>,
        empty: Vec<i32>,
        flag: bool,
    }

    #[test]
    fn what_debug_prints_becomes_json() {
        let outer = Outer {
            name: "a \"quoted\" {text}, \\ 水 \u{1}\n",
            blob: Bytes::from_static(b"plain \"\x01"),
            raw: Bytes::from_static(b"\xff"),
            none: None,
            some: Some(-5),
            list: vec![Inner {
                id: Uuid([1; 16]),
                ratio: 1.5,
                unknown_tagged_fields: UnknownTags::default(),
            }],
            empty: Vec::new(),
            flag: true,
        };
        let expected = json!({
            "name": "a \"quoted\" {text}, \\ 水 \u{1}\n",
            "blob": "plain \"\u{1}",
            "raw": {"base64": "/w=="},
            "none": null,
            "some": -5,
            "list": [{"id": Uuid([1; 16]).to_string(), "ratio": 1.5}],
            "empty": [],
            "flag": true,
        });
        assert_eq!(json_of(&outer), expected);
    }

    #[test]
    fn what_is_no_message_stays_text() {
        assert_eq!(json_of(&(1, 2)), Value::String("(1, 2)".into()));
        assert_eq!(variant_of(&Some(3)), "Some");
    }
}
