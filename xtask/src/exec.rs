//! Running other programs: with their output shown, kept, or both.
//!
//! Every command of xtask that starts a program goes through here, so that a missing tool is told
//! in the same words everywhere.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The root of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// The cargo that runs us.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

pub fn words(command: &Command) -> String {
    let name = command.get_program().to_string_lossy();
    let name = name.rsplit('/').next().unwrap_or_default().to_owned();
    let args = command.get_args().map(|arg| arg.to_string_lossy().into_owned());
    std::iter::once(name).chain(args).collect::<Vec<_>>().join(" ")
}

/// Runs with the output shown as it comes; an error unless it exits with 0.
pub fn shown(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| not_started(command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed: {status}", words(command))) }
}

/// Runs and returns stdout; an error with stderr unless it exits with 0.
pub fn stdout_of(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| not_started(command, &error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let tail: Vec<&str> = stderr.lines().rev().take(30).collect();
    let tail = tail.into_iter().rev().collect::<Vec<_>>().join("\n");
    Err(format!("`{}` failed: {}\n{tail}", words(command), output.status))
}

/// Runs with stdout shown and kept; returns it with whether the exit code was 0.
pub fn shown_and_kept(command: &mut Command) -> Result<(String, bool), String> {
    command.stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| not_started(command, &error))?;
    let mut kept = String::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            println!("{line}");
            kept.push_str(&line);
            kept.push('\n');
        }
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    Ok((kept, status.success()))
}

/// What a program said before it ended or ran out of time.
pub struct Ran {
    /// `None`: it was stopped because its time was over.
    pub code: Option<i32>,
    pub output: String,
}

/// Runs with stdout and stderr written to `log`, and kills it after `limit`.
pub fn logged(command: &mut Command, log: &Path, limit: Duration) -> Result<Ran, String> {
    let file = std::fs::File::create(log).map_err(|error| told(log, &error))?;
    let twin = file.try_clone().map_err(|error| told(log, &error))?;
    command.stdin(Stdio::null()).stdout(file).stderr(twin);
    let mut child = command.spawn().map_err(|error| not_started(command, &error))?;
    let started = Instant::now();
    let code = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break Some(status.code().unwrap_or(-1)),
            None if started.elapsed() > limit => {
                child.kill().ok();
                child.wait().ok();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let bytes = std::fs::read(log).map_err(|error| told(log, &error))?;
    Ok(Ran { code, output: String::from_utf8_lossy(&bytes).into_owned() })
}

/// Whether a program of this name can be found.
pub fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// An error of the file system, with the path it is about.
pub fn told(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

fn not_started(command: &Command, error: &std::io::Error) -> String {
    format!("`{}` could not be started: {error}", words(command))
}
