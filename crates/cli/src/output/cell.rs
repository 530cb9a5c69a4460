//! One value of an answer, and how it is to strike the eye.

use serde_json::Value;

/// Meaning, not colour: `draw` chooses those.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Tone {
    #[default]
    Plain,
    Good,
    Bad,
    Faint,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    pub value: Value,
    pub tone: Tone,
}

impl Cell {
    /// No value: `-`, in JSON null.
    pub fn none() -> Cell {
        Cell { value: Value::Null, tone: Tone::Plain }
    }

    /// A list: with commas between, in JSON an array.
    pub fn list<T: Into<Value>>(items: impl IntoIterator<Item = T>) -> Cell {
        Cell::from(Value::Array(items.into_iter().map(Into::into).collect()))
    }

    #[must_use]
    pub fn tone(self, tone: Tone) -> Cell {
        Cell { tone, ..self }
    }

    pub fn is_number(&self) -> bool {
        self.value.is_number()
    }

    /// On one line.
    pub fn text(&self) -> String {
        text_of(&self.value)
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => crate::text::bytes::escaped(text.as_bytes()),
        Value::Array(items) => items.iter().map(text_of).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

impl<T: Into<Value>> From<T> for Cell {
    fn from(value: T) -> Cell {
        Cell { value: value.into(), tone: Tone::Plain }
    }
}
