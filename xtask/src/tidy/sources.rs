//! Which files belong to the project, and their text.

use crate::exec;
use std::path::Path;
use std::process::Command;

/// Files that git knows or would add, whose path ends with `ending`; relative, sorted.
pub fn tracked(root: &Path, ending: &str) -> Result<Vec<String>, String> {
    let mut git = Command::new("git");
    git.current_dir(root).args(["ls-files", "--cached", "--others", "--exclude-standard"]);
    let listed = exec::stdout_of(&mut git)?;
    let mut paths: Vec<String> = listed
        .lines()
        .filter(|path| path.ends_with(ending) && root.join(path).is_file())
        .map(str::to_owned)
        .collect();
    paths.sort();
    paths.dedup();
    Ok(paths)
}

pub fn read(root: &Path, path: &str) -> Result<String, String> {
    let bytes = std::fs::read(root.join(path)).map_err(|error| format!("{path}: {error}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a Rust file holds tests only.
pub fn is_test(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or_default();
    ["/tests/", "/benches/", "/fixtures/"].iter().any(|part| path.contains(part))
        || file == "tests.rs"
        || file.ends_with("_tests.rs")
        || file.ends_with("_test.rs")
}
