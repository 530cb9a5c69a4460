//! Removing whole segments: renamed at once, freed after `file.delete.delay.ms`.
//!
//! The delay lets a reader that found a segment just before finish; one that already has the file
//! open keeps it for as long as it likes.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use highwater_types::Timestamp;

use crate::error::LogError;
use crate::log::Log;
use crate::names;
use crate::place::Place;
use crate::segment::Segment;

/// Renamed files that wait for their deletion.
#[derive(Debug)]
pub(crate) struct Doomed {
    due: Timestamp,
    paths: Vec<PathBuf>,
}

impl Log {
    /// Takes segments out of the log. The caller has removed them from the list and shown that to
    /// the readers.
    pub(crate) fn doom(
        &mut self,
        segments: &[Arc<Segment>],
        now: Timestamp,
    ) -> Result<(), LogError> {
        let place = Arc::clone(&self.shared.place);
        let mut paths = Vec::new();
        for segment in segments {
            doom_files(&place, segment, &mut paths)?;
            self.unflushed.retain(|kept| !Arc::ptr_eq(kept, segment));
        }
        if !paths.is_empty() {
            let due = now.plus_ms(self.config.file_delete_delay_ms);
            self.doomed.push_back(Doomed { due, paths });
            self.names_dirty = true;
        }
        self.remove_doomed(now);
        Ok(())
    }

    /// Frees deleted segments whose delay is over. Called by every sweep; may be called more often.
    pub fn remove_doomed(&mut self, now: Timestamp) {
        let place = Arc::clone(&self.shared.place);
        while let Some(doomed) = self.doomed.pop_front_if(|doomed| doomed.due <= now) {
            for path in doomed.paths {
                remove(&place, &path);
            }
        }
    }
}

fn doom_files(place: &Place, segment: &Segment, paths: &mut Vec<PathBuf>) -> Result<(), LogError> {
    segment.retire();
    let all =
        [names::LOG, names::OFFSET_INDEX, names::TIME_INDEX, names::TXN_INDEX, names::SNAPSHOT];
    for suffix in all {
        let from = place.file(segment.base, suffix);
        let mut to = from.clone().into_os_string();
        to.push(names::DELETED);
        let to = PathBuf::from(to);
        match place.disk.rename(&from, &to) {
            Ok(()) => paths.push(to),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(LogError::Write { path: from, source }),
        }
    }
    Ok(())
}

/// Frees a file; what cannot be removed now is tried again at the next open.
pub(crate) fn remove(place: &Place, path: &Path) {
    match place.disk.remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(path = %path.display(), %error, "deleted file could not be removed");
        }
        _ => {}
    }
}
