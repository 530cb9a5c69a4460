//! `cargo xtask layers`: the crates are layered as the design's table says, and the pure ones are
//! blind.
//!
//! Owns the comparison only; the table is in `table`, the reading of sources in `blind`. Refuses to
//! guess: a crate that the table does not name is a fault.

mod blind;
mod table;

use crate::exec;
use serde_json::Value;

const PREFIX: &str = "highwater-";

/// Members of the workspace that are no part of the product, and so in no layer.
const OUTSIDE: &[&str] = &["xtask"];

/// One line for each fault.
pub fn check() -> Result<Vec<String>, String> {
    let metadata = exec::stdout_of(exec::cargo().args([
        "metadata",
        "--format-version=1",
        "--no-deps",
        "--offline",
    ]))
    .or_else(|_| {
        exec::stdout_of(exec::cargo().args(["metadata", "--format-version=1", "--no-deps"]))
    })?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    let mut faults = Vec::new();
    let mut pure = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let full = package["name"].as_str().unwrap_or_default();
        if OUTSIDE.contains(&full) {
            continue;
        }
        let folder = folder_of(package);
        let Some(row) = table::find(&folder) else {
            faults.push(format!("{full}: no row for crates/{folder} in xtask/src/layers/table.rs"));
            continue;
        };
        check_name(full, &folder, &mut faults);
        check_arrows(row, package, &mut faults);
        if row.pure {
            pure.push(row.name);
        }
    }
    for name in pure {
        check_no_tokio(name, &mut faults)?;
        blind::check(name, &mut faults)?;
    }
    Ok(faults)
}

fn folder_of(package: &Value) -> String {
    let manifest = package["manifest_path"].as_str().unwrap_or_default();
    manifest.rsplit('/').nth(1).unwrap_or_default().to_owned()
}

fn check_name(full: &str, folder: &str, faults: &mut Vec<String>) {
    let expected = if folder == "cli" { full.to_owned() } else { format!("{PREFIX}{folder}") };
    if full != expected {
        faults.push(format!("crates/{folder} is called {full}, not {expected}"));
    }
}

fn check_arrows(row: &table::Row, package: &Value, faults: &mut Vec<String>) {
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let name = dependency["name"].as_str().unwrap_or_default();
        let shipped = dependency["kind"].as_str() != Some("dev");
        let Some(used) = name.strip_prefix(PREFIX) else {
            if row.pure && shipped && FOREIGN_TO_PURE.contains(&name) {
                faults.push(format!("{} is pure and may not depend on {name}", row.name));
            }
            continue;
        };
        if shipped && !row.uses.contains(&used) {
            faults.push(format!("{} → {used} is not an arrow of the table", row.name));
        }
        if !shipped && table::find(used).is_some_and(|other| other.uses.contains(&row.name)) {
            let acyclic = table::find(used).is_some_and(|other| other.layer == 9);
            if !acyclic {
                faults.push(format!("{} → {used} (in tests) points up", row.name));
            }
        }
    }
}

/// Crates that bring a clock, randomness, sockets or threads with them.
const FOREIGN_TO_PURE: &[&str] =
    &["tokio", "rand", "fastrand", "getrandom", "rustix", "libc", "socket2", "parking_lot"];

fn check_no_tokio(name: &str, faults: &mut Vec<String>) -> Result<(), String> {
    let package = format!("{PREFIX}{name}");
    let mut command = exec::cargo();
    command.args(["tree", "--quiet", "-p", &package, "-i", "tokio", "-e", "normal"]);
    let output = command.output().map_err(|error| error.to_string())?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let absent =
        stderr.contains("did not match any packages") || stderr.contains("nothing to print");
    if !stdout.trim().is_empty() {
        faults.push(format!("{name} is pure but reaches tokio:\n{}", stdout.trim()));
    } else if !output.status.success() && !absent {
        return Err(format!("`{}` failed:\n{stderr}", exec::words(&command)));
    }
    Ok(())
}
