//! The shape of an answer: facts by name, and tables by name.

use serde_json::{Map, Value};

use super::Cell;

/// Rows under columns. The columns' names are those of JSON: small letters, `_` between words.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub columns: &'static [&'static str],
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    pub fn new(columns: &'static [&'static str]) -> Table {
        Table { columns, rows: Vec::new() }
    }

    /// A cell for each column.
    pub fn push(&mut self, row: impl Into<Vec<Cell>>) {
        let row = row.into();
        debug_assert_eq!(row.len(), self.columns.len(), "a cell for each of {:?}", self.columns);
        self.rows.push(row);
    }

    pub fn to_json(&self) -> Value {
        let object = |row: &Vec<Cell>| {
            let pairs = self.columns.iter().zip(row);
            Value::Object(pairs.map(|(k, cell)| ((*k).to_owned(), cell.value.clone())).collect())
        };
        Value::Array(self.rows.iter().map(object).collect())
    }
}

#[derive(Clone, Debug, PartialEq, Default)]
pub struct Document {
    pub facts: Vec<(&'static str, Cell)>,
    pub tables: Vec<(&'static str, Table)>,
}

impl Document {
    #[must_use]
    pub fn fact(mut self, name: &'static str, value: impl Into<Cell>) -> Document {
        self.facts.push((name, value.into()));
        self
    }

    #[must_use]
    pub fn table(mut self, name: &'static str, table: Table) -> Document {
        self.tables.push((name, table));
        self
    }

    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        for (name, cell) in &self.facts {
            object.insert((*name).to_owned(), cell.value.clone());
        }
        for (name, table) in &self.tables {
            object.insert((*name).to_owned(), table.to_json());
        }
        Value::Object(object)
    }
}
