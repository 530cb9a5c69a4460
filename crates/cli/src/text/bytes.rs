//! Keys and values as text: what is printable as it is, the rest escaped or in base64.

use std::fmt::Write;

use serde_json::{Map, Value};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Text on one line: control characters and bytes that are not UTF-8 as `\n`, `\t`, `\xNN`.
pub fn escaped(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                c if c.is_control() => push_hex(&mut out, c.to_string().as_bytes()),
                c => out.push(c),
            }
        }
        push_hex(&mut out, chunk.invalid());
    }
    out
}

fn push_hex(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        let _ = write!(out, "\\x{byte:02x}");
    }
}

/// Puts bytes under `name`: as text, as null, or what is not UTF-8 as `name_base64`.
pub fn insert_json(object: &mut Map<String, Value>, name: &str, bytes: Option<&[u8]>) {
    match bytes.map(|bytes| (std::str::from_utf8(bytes), bytes)) {
        None => object.insert(name.to_owned(), Value::Null),
        Some((Ok(text), _)) => object.insert(name.to_owned(), text.into()),
        Some((Err(_), bytes)) => object.insert(format!("{name}_base64"), base64(bytes).into()),
    };
}

/// As text, or what is not UTF-8 as `{"base64": "…"}`.
pub fn json_of_bytes(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => serde_json::json!({"base64": base64(bytes)}),
    }
}

fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let mut group = [0; 4];
        group[1..=chunk.len()].copy_from_slice(chunk);
        let bits = u32::from_be_bytes(group);
        for i in 0..4 {
            let index = (bits >> (18 - 6 * i)) & 63;
            out.push(if i > chunk.len() { '=' } else { ALPHABET[index as usize] as char });
        }
    }
    out
}

/// Reads `\n`, `\t`, `\r`, `\0`, `\\`, `\xNN` in what was typed for a separator.
pub fn unescaped(text: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        let (byte, after) = escape(&rest[at..])?;
        out.push(byte);
        rest = after;
    }
    out.extend_from_slice(rest.as_bytes());
    Ok(out)
}

/// The byte that the escape at the start of `text` stands for, and what follows it.
pub fn escape(text: &str) -> Result<(u8, &str), String> {
    let plain = |byte| Ok((byte, &text[2..]));
    match text.as_bytes().get(1) {
        Some(b'n') => plain(b'\n'),
        Some(b't') => plain(b'\t'),
        Some(b'r') => plain(b'\r'),
        Some(b'0') => plain(0),
        Some(b'\\') => plain(b'\\'),
        Some(b'x') => {
            let byte = text.get(2..4).and_then(|hex| u8::from_str_radix(hex, 16).ok());
            byte.map(|byte| (byte, &text[4..])).ok_or("\\x needs two hexadecimal digits".into())
        }
        _ => Err("after \\ stands one of n, t, r, 0, \\, xNN".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_lines() {
        assert_eq!(escaped("grün 水\n\t\\\u{1}".as_bytes()), "grün 水\\n\\t\\\\\\x01");
        assert_eq!(escaped(b"a\xff\x80b"), "a\\xff\\x80b");
    }

    #[test]
    fn base64_of_every_remainder() {
        for (bytes, expected) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"\xff\xfe", "//4="),
        ] {
            assert_eq!(base64(bytes), expected);
        }
    }

    #[test]
    fn json_tells_text_from_bytes() {
        let mut object = Map::new();
        insert_json(&mut object, "a", Some(b"x"));
        insert_json(&mut object, "b", Some(b"\xff"));
        insert_json(&mut object, "c", None);
        let text = serde_json::to_string(&object).unwrap();
        assert_eq!(text, r#"{"a":"x","b_base64":"/w==","c":null}"#);
    }

    #[test]
    fn escapes_are_read() {
        assert_eq!(unescaped(r"a\tb\x00\\"), Ok(b"a\tb\0\\".to_vec()));
        assert!(
            unescaped(r"\q").is_err() && unescaped(r"\x1").is_err() && unescaped("\\").is_err()
        );
        assert!(unescaped("\\xé").is_err());
    }
}
