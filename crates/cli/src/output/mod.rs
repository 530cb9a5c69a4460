//! How a command answers: tables for people, lines for programs, JSON for both.
//!
//! Owns the choice and the drawing. A command makes a [`Table`] or a [`Document`] and knows
//! nothing of terminals. At a terminal: aligned columns with headings, and colours unless
//! `NO_COLOR` is set. In a pipe: one row a line, cells between tabs, no headings. With `--json`:
//! the same data under the names of the columns.

mod cell;
mod document;
mod draw;

use std::io::{self, IsTerminal, Write};

pub use cell::{Cell, Tone};
pub use document::{Document, Table};
use serde_json::Value;

use crate::failure::Outcome;

/// What the answer is drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Terminal { colour: bool },
    Lines,
    Json,
}

#[derive(Clone, Copy, Debug)]
pub struct Output {
    style: Style,
}

impl Output {
    /// For standard output as it is.
    pub fn new(json: bool) -> Output {
        let colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let style = match io::stdout().is_terminal() {
            _ if json => Style::Json,
            true => Style::Terminal { colour },
            false => Style::Lines,
        };
        Output { style }
    }

    pub fn table(self, table: &Table) -> Outcome {
        self.print(&draw::table(table, self.style))
    }

    pub fn document(self, document: &Document) -> Outcome {
        self.print(&draw::documents(std::slice::from_ref(document), self.style, true))
    }

    /// Several of a kind; in JSON always an array.
    pub fn documents(self, documents: &[Document]) -> Outcome {
        self.print(&draw::documents(documents, self.style, false))
    }

    /// That something was done: a sentence, or with `--json` the facts.
    pub fn done(self, sentence: &str, facts: &Value) -> Outcome {
        match self.style {
            Style::Json => self.print(&format!("{facts}\n")),
            _ => self.print(&format!("{sentence}\n")),
        }
    }

    /// A remark that is not part of the answer.
    pub fn remark(self, text: &str) {
        eprintln!("{text}");
    }

    fn print(self, text: &str) -> Outcome {
        let mut out = io::stdout().lock();
        Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush())?)
    }
}
