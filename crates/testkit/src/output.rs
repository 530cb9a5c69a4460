//! What a broker prints, kept line by line.

use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// A line that holds one of these says that something went wrong.
const ALARMS: [&str; 3] = ["panicked at", "ERROR", "fatal"];

#[derive(Clone, Default)]
pub(crate) struct Output {
    lines: Arc<Mutex<Vec<String>>>,
}

impl Output {
    /// Collects from here on, in a thread of its own, until the stream ends.
    pub(crate) fn collect(&self, stream: impl Read + Send + 'static) {
        let output = self.clone();
        thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                output.lock().push(line);
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn text(&self) -> String {
        self.lock().join("\n")
    }

    pub(crate) fn contains(&self, text: &str) -> bool {
        self.lock().iter().any(|line| line.contains(text))
    }

    /// The lines that sound an alarm, but for those that hold an expected text.
    pub(crate) fn alarms(&self, expected: &[String]) -> Vec<String> {
        let is_expected = |line: &&String| expected.iter().any(|text| line.contains(text));
        let sounds = |line: &&String| ALARMS.iter().any(|alarm| line.contains(alarm));
        self.lock().iter().filter(sounds).filter(|l| !is_expected(l)).cloned().collect()
    }
}
