//! Flushing: what makes appended records survive a power loss, and moves the recovery point.
//!
//! Three steps, so that the flush itself may run while the writer goes on: [`Log::begin_flush`],
//! [`FlushJob::run`], [`Log::finish_flush`]. [`Log::flush`] is all of them in one.

use std::io;
use std::sync::Arc;

use highwater_types::Offset;

use crate::error::LogError;
use crate::log::Log;
use crate::names;
use crate::place::Place;
use crate::segment::Segment;

/// A flush that was begun. Dropping it loses nothing: the next one covers it.
#[derive(Debug)]
pub struct FlushJob {
    place: Arc<Place>,
    /// Closed segments, then the active one.
    segments: Vec<Arc<Segment>>,
    upto: Offset,
    names: bool,
}

impl FlushJob {
    /// Everything below is on the medium once the job has run.
    pub fn upto(&self) -> Offset {
        self.upto
    }

    /// How many files [`FlushJob::run`] flushes, one after the other.
    pub fn file_count(&self) -> usize {
        self.segments.len()
    }

    /// Blocks until the medium has it. [`LogDir::sync_all`] does the same for all logs at once.
    ///
    /// [`LogDir::sync_all`]: crate::LogDir::sync_all
    pub fn run(&self) -> Result<(), LogError> {
        let disk = &*self.place.disk;
        for segment in &self.segments {
            match segment.log_file().and_then(|file| disk.sync_data(&file)) {
                // Retention removed it since the flush began.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                result => result.map_err(|error| segment.write_failed(error))?,
            }
        }
        if self.names {
            self.sync_names()?;
        }
        Ok(())
    }

    /// A new file is only found again after a power loss if its folder was flushed too.
    fn sync_names(&self) -> Result<(), LogError> {
        let (disk, path) = (&*self.place.disk, self.place.path());
        let metadata = path.join(names::PARTITION_METADATA);
        match disk.open(&metadata, crate::disk::OpenMode::Existing) {
            Ok(file) => disk.sync_data(&file).map_err(LogError::write(&metadata))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(LogError::Write { path: metadata, source: error }),
        }
        disk.sync_dir(&path).map_err(LogError::write(&*path))?;
        match path.parent() {
            Some(parent) => disk.sync_dir(parent).map_err(LogError::write(parent)),
            None => Ok(()),
        }
    }
}

impl Log {
    /// Whether anything was appended since the last flush.
    pub fn is_dirty(&self) -> bool {
        self.recovery_point < self.log_end || self.names_dirty || !self.unflushed.is_empty()
    }

    /// What a flush now would have to do; None if there is nothing.
    ///
    /// # Errors
    /// If the log is offline.
    pub fn begin_flush(&self) -> Result<Option<FlushJob>, LogError> {
        self.check_online()?;
        Ok(self.is_dirty().then(|| {
            let active = std::iter::once(&self.active.segment);
            FlushJob {
                place: Arc::clone(&self.shared.place),
                segments: self.unflushed.iter().chain(active).cloned().collect(),
                upto: self.log_end,
                names: self.names_dirty,
            }
        }))
    }

    /// Takes note of how a flush ended, and gives the recovery point, up to which everything is on
    /// the medium. Jobs finish in the order in which they began.
    ///
    /// # Errors
    /// A failed flush takes the log offline: what the medium holds is unknown then.
    pub fn finish_flush(
        &mut self,
        job: &FlushJob,
        ran: Result<(), LogError>,
    ) -> Result<Offset, LogError> {
        ran.map_err(|error| self.go_offline(error))?;
        self.unflushed.retain(|segment| {
            !job.segments.iter().any(|flushed| Arc::ptr_eq(flushed, segment))
                || job.segments.last().is_some_and(|last| Arc::ptr_eq(last, segment))
        });
        // The log may have been truncated since.
        self.recovery_point = self.recovery_point.max(job.upto.min(self.log_end));
        if job.names && job.segments.last().is_some_and(|s| Arc::ptr_eq(s, &self.active.segment)) {
            self.names_dirty = false;
        }
        Ok(self.recovery_point)
    }

    /// Flushes everything appended so far and moves the recovery point to the log end, which it
    /// returns.
    ///
    /// # Errors
    /// As [`Log::begin_flush`] and [`Log::finish_flush`].
    pub fn flush(&mut self) -> Result<Offset, LogError> {
        match self.begin_flush()? {
            Some(job) => self.finish_flush(&job, job.run()),
            None => Ok(self.recovery_point),
        }
    }
}
