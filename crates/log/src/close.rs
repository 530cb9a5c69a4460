//! The end of a log's life: an orderly close, or a move to where its folder waits for deletion.

use std::path::PathBuf;
use std::sync::Arc;

use highwater_types::{Offset, Timestamp};

use crate::error::LogError;
use crate::log::Log;

/// What the checkpoints say about a closed log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed {
    pub log_start: Offset,
    /// Also the recovery point, once the caller has flushed.
    pub log_end: Offset,
    /// Whether the log start lies above the first segment's base and so needs a checkpoint entry.
    pub start_was_moved: bool,
}

impl Log {
    /// Closes in order: last index entries, index files cut to size, producer snapshot. Flushes
    /// nothing: after closing all logs the caller calls [`LogDir::sync_all`] once, then writes the
    /// checkpoints, then the clean-shutdown marker.
    ///
    /// [`LogDir::sync_all`]: crate::LogDir::sync_all
    pub fn close(mut self) -> Result<Closed, LogError> {
        self.check_online()?;
        self.close_active()?;
        self.take_snapshot()?;
        // What waits for its deletion need not wait for the next start.
        self.remove_doomed(Timestamp(i64::MAX));
        for segment in &self.segments {
            segment.close_files();
        }
        Ok(Closed {
            log_start: self.log_start,
            log_end: self.log_end,
            start_was_moved: self.reader().log_start_was_moved(),
        })
    }

    /// Follows a rename of the folder (the topic is deleted). Nothing is written any more; readers
    /// that hold an open file finish.
    pub fn abandon(mut self, moved_to: PathBuf) {
        self.offline.get_or_insert_with(|| "the partition was deleted".to_owned());
        self.shared.place.moved_to(moved_to);
        let segments: Vec<Arc<_>> = std::mem::take(&mut self.segments);
        segments.iter().for_each(|segment| segment.close_files());
    }
}
