//! One line of the dump: a word that says what it is, and named values.

use std::io::{self, Write};

use serde_json::{Map, Value};

use crate::text::{bytes, time};

/// Printed as `batch offset=0 …`, or as a JSON object whose `what` is the word.
pub(super) struct Line {
    what: &'static str,
    fields: Vec<(&'static str, Field)>,
}

enum Field {
    Word(Value),
    Time(i64),
    /// Bytes of a user, or null.
    Bytes(Option<Vec<u8>>),
}

impl Line {
    pub(super) fn new(what: &'static str) -> Line {
        Line { what, fields: Vec::new() }
    }

    pub(super) fn word(mut self, name: &'static str, value: impl Into<Value>) -> Line {
        self.fields.push((name, Field::Word(value.into())));
        self
    }

    /// For people the date, for programs the milliseconds.
    pub(super) fn time(mut self, name: &'static str, ms: i64) -> Line {
        self.fields.push((name, Field::Time(ms)));
        self
    }

    pub(super) fn bytes(mut self, name: &'static str, bytes: Option<&[u8]>) -> Line {
        self.fields.push((name, Field::Bytes(bytes.map(<[u8]>::to_vec))));
        self
    }

    fn to_text(&self) -> String {
        let mut text = self.what.to_owned();
        for (name, field) in &self.fields {
            let value = match field {
                Field::Word(Value::String(word)) => bytes::escaped(word.as_bytes()),
                Field::Word(value) => value.to_string(),
                Field::Time(ms) => time::format_ms(*ms),
                Field::Bytes(Some(value)) => format!("\"{}\"", bytes::escaped(value)),
                Field::Bytes(None) => "null".to_owned(),
            };
            text.push_str(&format!(" {name}={value}"));
        }
        text
    }

    fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("what".to_owned(), self.what.into());
        for (name, field) in &self.fields {
            match field {
                Field::Word(value) => drop(object.insert((*name).to_owned(), value.clone())),
                Field::Time(ms) => drop(object.insert((*name).to_owned(), (*ms).into())),
                Field::Bytes(value) => bytes::insert_json(&mut object, name, value.as_deref()),
            }
        }
        Value::Object(object)
    }
}

/// Where the lines go.
pub(super) struct Sink<'a> {
    json: bool,
    out: Box<dyn Write + 'a>,
}

impl<'a> Sink<'a> {
    pub(super) fn new(json: bool, out: impl Write + 'a) -> Sink<'a> {
        Sink { json, out: Box::new(out) }
    }

    pub(super) fn write(&mut self, line: Line) -> io::Result<()> {
        match self.json {
            true => writeln!(self.out, "{}", line.to_json()),
            false => writeln!(self.out, "{}", line.to_text()),
        }
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_json() {
        let line = Line::new("record")
            .word("offset", 3)
            .word("codec", "none")
            .time("time", 0)
            .bytes("key", None)
            .bytes("value", Some(b"a\nb"));
        let text =
            r#"record offset=3 codec=none time=1970-01-01T00:00:00.000Z key=null value="a\nb""#;
        assert_eq!(line.to_text(), text);
        let json =
            r#"{"codec":"none","key":null,"offset":3,"time":0,"value":"a\nb","what":"record"}"#;
        assert_eq!(line.to_json().to_string(), json);
    }
}
