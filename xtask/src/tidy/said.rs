//! Tables in documents that repeat what the code says: both must say the same. The list of settings
//! is held against the code by a test of `config`.

use std::path::Path;

use super::sources;

const LIMITS: &str = "docs/book/limits.md";
const APIS: &str = "docs/book/compatibility.md";
const HANDLERS: &str = "crates/broker/src/handlers/table.rs";

pub fn check(root: &Path, faults: &mut Vec<String>) -> Result<(), String> {
    let read = |path: &str| sources::read(root, path);
    compare_apis(&read(APIS)?, &read(HANDLERS)?, faults);
    let mut code = Vec::new();
    for path in sources::tracked(root, ".rs")? {
        if path.starts_with("crates/") {
            let text = sources::read(root, &path)?;
            code.push((path, text));
        }
    }
    check_limits(&read(LIMITS)?, &code, faults);
    Ok(())
}

/// The table of APIs has a row for each handler, in the order of the handlers.
fn compare_apis(page: &str, table: &str, faults: &mut Vec<String>) {
    let served: Vec<&str> = between(table, "Handler::of::<", ">()").collect();
    let told: Vec<&str> = rows(page)
        .filter(|cells| cells.len() == 4 && cells[0].parse::<u16>().is_ok())
        .map(|cells| cells[1])
        .collect();
    if served != told {
        let differs = served.iter().zip(&told).find(|(a, b)| a != b);
        faults.push(format!(
            "{APIS}: the table has {} APIs, the broker serves {}; first difference: {differs:?}",
            told.len(),
            served.len()
        ));
    }
}

/// Each constant that the last column names is defined in the crate that it names.
fn check_limits(page: &str, code: &[(String, String)], faults: &mut Vec<String>) {
    for cells in rows(page) {
        let Some(last) = cells.last() else { continue };
        for part in last.split(';') {
            let mut names: Vec<&str> = between(part, "`", "`").collect();
            let Some(room) = names.pop() else { continue };
            for name in names {
                let folder = format!("crates/{room}/");
                let definition = format!("const {name}:");
                let is_defined = code
                    .iter()
                    .any(|(path, text)| path.starts_with(&folder) && text.contains(&definition));
                if !is_defined {
                    faults.push(format!("{LIMITS}: there is no `{name}` in {folder}"));
                }
            }
        }
    }
}

/// The cells of each line of a table.
fn rows(page: &str) -> impl Iterator<Item = Vec<&str>> {
    page.lines().filter_map(|line| {
        let inner = line.strip_prefix('|')?.strip_suffix('|')?;
        Some(inner.split('|').map(str::trim).collect())
    })
}

fn between<'t>(text: &'t str, open: &'t str, close: &'t str) -> impl Iterator<Item = &'t str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (_, behind) = rest.split_once(open)?;
        let (found, behind) = behind.split_once(close)?;
        rest = behind;
        Some(found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_a_wrong_and_a_stale_entry_are_told() {
        let mut faults = Vec::new();
        let table = "Handler::of::<Produce>(), Handler::of::<Fetch>(),";
        compare_apis("| 0 | Produce | 0–13 | |\n| 1 | Fetch | 4–18 | x |", table, &mut faults);
        assert_eq!(faults, Vec::<String>::new());
        compare_apis("| 0 | Produce | 0–13 | |", table, &mut faults);
        assert_eq!(faults.len(), 1);

        let code = [("crates/log/src/limits.rs".to_owned(), "pub const A_MAX: u8 = 1;".to_owned())];
        check_limits("| x | 1 | `A_MAX`, `log` |\n| y (`b.c`) | 2 | – |", &code, &mut faults);
        assert_eq!(faults.len(), 1);
        check_limits("| x | 1 | `A_MAX`, `net` |", &code, &mut faults);
        assert_eq!(faults.len(), 2);
    }
}
