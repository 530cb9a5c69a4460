//! Format strings of `consume`, in kcat's notation.
//!
//! `%s` value, `%k` key, `%S` and `%K` their lengths (-1 for null), `%t` topic, `%p` partition,
//! `%o` offset, `%T` time in milliseconds, `%h` headers, `%R` the length of what follows as four
//! bytes, `%%` a percent sign; escapes as in [`bytes::escape`].

use std::io::{self, Write};
use std::str::FromStr;

use super::bytes;

/// A record as it is shown, from whatever gave it.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    pub topic: &'a str,
    pub partition: i32,
    pub offset: i64,
    pub timestamp: i64,
    pub key: Option<&'a [u8]>,
    pub value: Option<&'a [u8]>,
    pub headers: &'a [(&'a [u8], Option<&'a [u8]>)],
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(Vec<u8>),
    Field(char),
}

/// A format string, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format {
    parts: Vec<Part>,
}

const FIELDS: &str = "stpoTkKShR";

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        let mut format = Format { parts: Vec::new() };
        let mut rest = text;
        while let Some(at) = rest.find(['%', '\\']) {
            format.push_text(&rest.as_bytes()[..at]);
            rest = match rest.as_bytes()[at] {
                b'%' => format.take_field(&rest[at + 1..])?,
                _ => {
                    let (byte, after) = bytes::escape(&rest[at..])?;
                    format.push_text(&[byte]);
                    after
                }
            };
        }
        format.push_text(rest.as_bytes());
        Ok(format)
    }
}

impl Format {
    /// The value on a line.
    pub fn value_line() -> Format {
        Format { parts: vec![Part::Field('s'), Part::Text(b"\n".to_vec())] }
    }

    /// The key, then `separator`, then the value, on a line.
    pub fn keyed(separator: &[u8]) -> Format {
        let mut format = Format { parts: vec![Part::Field('k')] };
        format.push_text(separator);
        format.parts.push(Part::Field('s'));
        format.push_text(b"\n");
        format
    }

    fn take_field<'t>(&mut self, rest: &'t str) -> Result<&'t str, String> {
        match rest.chars().next() {
            Some('%') => self.push_text(b"%"),
            Some(field) if FIELDS.contains(field) => self.parts.push(Part::Field(field)),
            Some(other) => {
                return Err(format!("%{other} is none of %s %k %t %p %o %T %h %S %K %R"));
            }
            None => return Err("a lone % at the end; write %% for a percent sign".to_owned()),
        }
        Ok(&rest[1..])
    }

    fn push_text(&mut self, text: &[u8]) {
        match self.parts.last_mut() {
            _ if text.is_empty() => {}
            Some(Part::Text(last)) => last.extend_from_slice(text),
            _ => self.parts.push(Part::Text(text.to_vec())),
        }
    }

    pub fn write(&self, out: &mut impl Write, record: &Shown<'_>) -> io::Result<()> {
        for (index, part) in self.parts.iter().enumerate() {
            match part {
                Part::Text(text) => out.write_all(text)?,
                Part::Field('R') => {
                    out.write_all(&self.length_after(index, record).to_be_bytes())?
                }
                Part::Field(field) => write_field(out, *field, record)?,
            }
        }
        Ok(())
    }

    /// The length of the next field that is a key or a value; -1 if it is null.
    fn length_after(&self, index: usize, record: &Shown<'_>) -> i32 {
        let next = self.parts[index..].iter().find_map(|part| match part {
            Part::Field('k') => Some(record.key),
            Part::Field('s') => Some(record.value),
            _ => None,
        });
        next.flatten().map_or(-1, |bytes| bytes.len() as i32)
    }
}

fn write_field(out: &mut impl Write, field: char, record: &Shown<'_>) -> io::Result<()> {
    let length = |bytes: Option<&[u8]>| bytes.map_or(-1, |bytes| bytes.len() as i64);
    match field {
        's' => out.write_all(record.value.unwrap_or_default()),
        'k' => out.write_all(record.key.unwrap_or_default()),
        'S' => write!(out, "{}", length(record.value)),
        'K' => write!(out, "{}", length(record.key)),
        't' => out.write_all(record.topic.as_bytes()),
        'p' => write!(out, "{}", record.partition),
        'o' => write!(out, "{}", record.offset),
        'T' => write!(out, "{}", record.timestamp),
        _ => write_headers(out, record),
    }
}

/// `name=value,name=value`; a null value has no `=`.
fn write_headers(out: &mut impl Write, record: &Shown<'_>) -> io::Result<()> {
    for (index, (name, value)) in record.headers.iter().enumerate() {
        out.write_all(if index == 0 { b"" } else { b"," })?;
        out.write_all(name)?;
        if let Some(value) = value {
            out.write_all(b"=")?;
            out.write_all(value)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: &str, key: Option<&[u8]>, expected: &[u8]) {
        let record = Shown {
            topic: "orders",
            partition: 3,
            offset: 42,
            timestamp: 1_764_547_200_000,
            key,
            value: Some(b"v\xff"),
            headers: &[(b"a", Some(b"1")), (b"b", None), (b"a", Some(b""))],
        };
        let mut out = Vec::new();
        format.parse::<Format>().unwrap().write(&mut out, &record).unwrap();
        assert_eq!(out, expected, "{format}");
    }

    #[test]
    fn fields() {
        check("%t %p %o %k %s\\n", Some(b"k"), b"orders 3 42 k v\xff\n");
        check("%T|%h|%K|%S", Some(b"key"), b"1764547200000|a=1,b,a=|3|2");
        check("[%k]%K 100%%\\x41\\t", None, b"[]-1 100%A\t");
        check("%R%s%R%k", None, b"\0\0\0\x02v\xff\xff\xff\xff\xff");
        check("", None, b"");
        check("水%p", None, "水3".as_bytes());
    }

    #[test]
    fn keyed_lines() {
        let record = Shown {
            topic: "t",
            partition: 0,
            offset: 0,
            timestamp: 0,
            key: Some(b"k"),
            value: None,
            headers: &[],
        };
        let mut out = Vec::new();
        Format::keyed(b": ").write(&mut out, &record).unwrap();
        assert_eq!(out, b"k: \n");
    }

    #[test]
    fn wrong_formats_say_why() {
        for (format, word) in [("%", "lone"), ("%q", "%q"), ("\\q", "after"), ("%é", "%é")] {
            let error = format.parse::<Format>().unwrap_err();
            assert!(error.contains(word), "{error}");
        }
    }
}
