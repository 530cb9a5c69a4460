//! Generates the Rust of every message from `schema/`.
//!
//! Reads the notation ([`notation`]), writes one file per message and the indexes over them into
//! `OUT_DIR`. Knows nothing of Kafka beyond what the notation says.

mod arbitrary;
mod index;
mod layout;
mod message;
mod names;
mod notation;
mod out;
mod read;
mod snake;
mod versions;
mod write;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use notation::Message;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=schema");
    println!("cargo::rerun-if-changed=build");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let mut messages = Vec::new();
    for path in schema_files(Path::new("schema"))? {
        let text = fs::read_to_string(&path)?;
        let found = notation::parse(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        messages.extend(found);
    }
    let folder = out.join("messages");
    fs::create_dir_all(&folder)?;
    for message in messages.iter().filter(|m| m.valid.is_some()) {
        let text = message::module(message).map_err(|e| format!("{}: {e}", message.name))?;
        fs::write(folder.join(format!("{}.rs", names::snake(&message.name))), text)?;
    }
    let alive: Vec<&Message> = messages.iter().filter(|m| m.valid.is_some()).collect();
    fs::write(out.join("messages.rs"), index::modules(&alive))?;
    fs::write(out.join("api_keys.rs"), index::api_keys(&messages)?)?;
    fs::write(out.join("metadata_record.rs"), index::metadata_record(&alive)?)?;
    fs::write(out.join("every_message.rs"), index::every_message(&alive))?;
    Ok(())
}

/// In a fixed order, so that the generated text depends on nothing but the schema.
fn schema_files(dir: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(schema_files(&path)?);
        } else if path.extension().is_some_and(|e| e == "schema") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
