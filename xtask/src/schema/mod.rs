//! `cargo xtask schema <dir>`: imports Kafka's message definitions (JSON, one file per message)
//! and writes Highwater's compact notation into `crates/wire/schema/`.
//!
//! Run once per Kafka release. The notation is read by the build script of `crates/wire`, which
//! documents it; nothing at run time knows of either. Owns no judgement about what a message
//! means: it reorders and abbreviates.

mod notation;
#[path = "../../../crates/wire/build/snake.rs"]
mod snake;
mod source;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use source::Message;

/// The command's entry: `args` are what follows `schema` on the command line.
pub fn run(args: &[String]) -> Result<(), String> {
    let [from] = args else {
        return Err("usage: cargo xtask schema <folder with Kafka's message JSON>".into());
    };
    let to = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/wire/schema");
    let files = import(Path::new(from))?;
    replace_folder(&to, &files).map_err(|e| format!("{}: {e}", to.display()))?;
    println!("{} files in {}", files.len(), to.display());
    Ok(())
}

/// Relative path → text of every schema file.
fn import(from: &Path) -> Result<BTreeMap<PathBuf, String>, String> {
    let mut grouped: BTreeMap<PathBuf, Vec<Message>> = BTreeMap::new();
    for path in json_files(from).map_err(|e| format!("{}: {e}", from.display()))? {
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let message = source::parse(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        grouped.entry(notation::file_of(&message)).or_default().push(message);
    }
    if grouped.is_empty() {
        return Err(format!("no .json files below {}", from.display()));
    }
    Ok(grouped.into_iter().map(|(path, messages)| (path, notation::file(messages))).collect())
}

fn json_files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(json_files(&path)?);
        } else if path.extension().is_some_and(|e| e == "json") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn replace_folder(to: &Path, files: &BTreeMap<PathBuf, String>) -> io::Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    for (path, text) in files {
        let path = to.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)?;
    }
    Ok(())
}
