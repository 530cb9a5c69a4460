//! Answers as text, in each of the styles. Pure.

use comfy_table::presets::NOTHING;
use comfy_table::{Attribute, Cell as Drawn, CellAlignment, Color, ContentArrangement};
use serde_json::Value;

use super::{Cell, Document, Style, Table, Tone};

pub(super) fn table(table: &Table, style: Style) -> String {
    match style {
        Style::Json => pretty(&table.to_json()),
        Style::Lines => lines(table),
        Style::Terminal { colour } => columns(table, colour),
    }
}

/// `alone`: in JSON an object, not an array of one.
pub(super) fn documents(documents: &[Document], style: Style, alone: bool) -> String {
    match (style, documents) {
        (Style::Json, [one]) if alone => pretty(&one.to_json()),
        (Style::Json, _) => {
            pretty(&Value::Array(documents.iter().map(Document::to_json).collect()))
        }
        _ => documents.iter().map(|d| sections(d, style)).collect::<Vec<_>>().join("\n"),
    }
}

fn sections(document: &Document, style: Style) -> String {
    let Style::Terminal { colour } = style else {
        let facts = document.facts.iter().map(|(name, cell)| format!("{name}\t{}\n", cell.text()));
        let tables = document.tables.iter().map(|(_, table)| lines(table));
        return facts.chain(tables).collect();
    };
    let mut out = facts(&document.facts, colour);
    for (name, table) in &document.tables {
        if !out.is_empty() {
            out.push('\n');
        }
        match table.rows.is_empty() {
            true => out.push_str(&format!("no {}\n", words(name))),
            false => out.push_str(&columns(table, colour)),
        }
    }
    out
}

fn pretty(value: &Value) -> String {
    // A `Value` is always writable as JSON.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

fn lines(table: &Table) -> String {
    let line = |row: &Vec<Cell>| row.iter().map(Cell::text).collect::<Vec<_>>().join("\t") + "\n";
    table.rows.iter().map(line).collect()
}

fn columns(table: &Table, colour: bool) -> String {
    let mut drawn = blank();
    let heading = |name: &&str| decorate(Drawn::new(words(name).to_uppercase()), colour);
    drawn.set_header(table.columns.iter().map(heading));
    for row in &table.rows {
        drawn.add_row(row.iter().map(|cell| cell_of(cell, colour)));
    }
    for (index, column) in drawn.column_iter_mut().enumerate() {
        let numeric =
            table.rows.iter().all(|row| row[index].is_number() || row[index].value.is_null());
        let alignment = if numeric { CellAlignment::Right } else { CellAlignment::Left };
        column.set_cell_alignment(alignment);
        column.set_padding((0, 2));
    }
    finish(&drawn)
}

fn facts(facts: &[(&str, Cell)], colour: bool) -> String {
    if facts.is_empty() {
        return String::new();
    }
    let mut drawn = blank();
    for (name, cell) in facts {
        let name = decorate(Drawn::new(words(name)), colour);
        drawn.add_row([name, cell_of(cell, colour)]);
    }
    for column in drawn.column_iter_mut() {
        column.set_padding((0, 2));
    }
    finish(&drawn)
}

fn blank() -> comfy_table::Table {
    let mut drawn = comfy_table::Table::new();
    drawn.load_style(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    // Whether there is a terminal has been decided already. Its width bounds the columns.
    drawn.enforce_styling();
    drawn
}

fn finish(drawn: &comfy_table::Table) -> String {
    drawn.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn words(name: &str) -> String {
    name.replace('_', " ")
}

fn decorate(cell: Drawn, colour: bool) -> Drawn {
    if colour { cell.add_attribute(Attribute::Bold) } else { cell }
}

fn cell_of(cell: &Cell, colour: bool) -> Drawn {
    let drawn = Drawn::new(cell.text());
    match cell.tone {
        _ if !colour => drawn,
        Tone::Plain => drawn,
        Tone::Good => drawn.fg(Color::Green),
        Tone::Bad => drawn.fg(Color::Red),
        Tone::Faint => drawn.add_attribute(Attribute::Dim),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn example() -> Document {
        let mut table = Table::new(&["partition", "leader", "isr", "log_end"]);
        table.push([0.into(), 1.into(), Cell::list([1, 2]), 1_000.into()]);
        table.push([1.into(), Cell::none().tone(Tone::Bad), Cell::list([2]), 5.into()]);
        Document::default()
            .fact("topic", "orders")
            .fact("internal", false)
            .table("partitions", table)
    }

    fn check(style: Style, expected: Expect) {
        expected.assert_eq(&documents(&[example()], style, true));
    }

    #[test]
    fn for_people() {
        check(
            Style::Terminal { colour: false },
            expect![[r#"
                topic     orders
                internal  false

                PARTITION  LEADER  ISR  LOG END
                        0       1  1,2     1000
                        1       -  2          5
            "#]],
        );
    }

    #[test]
    fn for_programs() {
        check(
            Style::Lines,
            expect![[r#"
                topic	orders
                internal	false
                0	1	1,2	1000
                1	-	2	5
            "#]],
        );
    }

    #[test]
    fn as_json() {
        let text = documents(&[example()], Style::Json, true);
        let json: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["partitions"][1]["leader"], Value::Null);
        assert_eq!(json["partitions"][0]["isr"], serde_json::json!([1, 2]));
        assert!(documents(&[example()], Style::Json, false).starts_with('['));
    }

    #[test]
    fn colours_only_where_wanted() {
        assert!(documents(&[example()], Style::Terminal { colour: true }, true).contains('\u{1b}'));
        assert!(!documents(&[example()], Style::Lines, true).contains('\u{1b}'));
    }

    #[test]
    fn an_empty_table_says_so() {
        let document = Document::default().table("partitions", Table::new(&["partition"]));
        let text = documents(&[document], Style::Terminal { colour: false }, true);
        assert_eq!(text, "no partitions\n");
    }
}
