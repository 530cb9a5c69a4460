//! What a person sees while records are sent; nothing where nobody watches.

use std::io::{self, IsTerminal};

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};

pub(super) struct Progress {
    /// Where files are sent and somebody watches.
    bar: Option<ProgressBar>,
    is_watched: bool,
    records: u64,
    bytes: u64,
}

impl Progress {
    /// `total`: the bytes to come, if known.
    pub(super) fn new(total: Option<u64>) -> Progress {
        let is_watched = io::stderr().is_terminal();
        let bar = total.filter(|_| is_watched).map(|total| {
            // The template is a constant that a test has seen.
            let style = ProgressStyle::with_template(TEMPLATE)
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(total).with_style(style)
        });
        if total.is_none() && is_watched && io::stdin().is_terminal() {
            eprintln!("each line is a record; Ctrl-D ends");
        }
        Progress { bar, is_watched, records: 0, bytes: 0 }
    }

    pub(super) fn add(&mut self, bytes: usize) {
        self.records += 1;
        // The byte that ended the record has been read as well.
        self.bytes += bytes as u64 + 1;
        if let Some(bar) = &self.bar {
            bar.set_position(self.bytes);
        }
    }

    pub(super) fn finish(&self, topic: &str) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if self.is_watched {
            let (records, bytes) = (HumanCount(self.records), HumanBytes(self.bytes));
            eprintln!("{records} records, {bytes}, to {topic}");
        }
    }
}

const TEMPLATE: &str = "{bar:32} {percent:>3}%  {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_one() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
    }
}
