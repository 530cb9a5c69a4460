//! Ends a broker whose test process is gone.

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Waits for the end of its input, which only the death of the test process brings.
const SCRIPT: &str = r#"cat >/dev/null; kill -9 "$1" 2>/dev/null; rm -rf "$2""#;

/// A shell that holds the other end of a pipe to this process. However this process ends, the
/// pipe closes, and the shell kills the broker and removes its folder. So a broker may lie in a
/// `static`, which is never dropped.
pub(crate) struct Watchdog(Child);

impl Watchdog {
    pub(crate) fn over(pid: u32, folder: &Path) -> Watchdog {
        let shell = Command::new("sh")
            .args(["-c", SCRIPT, "watchdog", &pid.to_string()])
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Watchdog(shell.expect("sh starts"))
    }
}

impl Drop for Watchdog {
    /// The broker is about to be ended and reaped: its pid may soon be another's.
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
