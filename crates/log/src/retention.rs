//! What may go: segments too old, too many, or below the log start. Also DeleteRecords.

use std::sync::Arc;

use highwater_types::{Offset, Timestamp};

use crate::epochs::Epochs;
use crate::error::{LogError, LogStartError};
use crate::log::Log;
use crate::segment::Segment;

/// What a sweep removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    pub segments: usize,
    pub bytes: u64,
}

impl Log {
    /// Moves the log start up (DeleteRecords): records below are no longer served, whole segments
    /// below go at the next sweep. An offset at or below the log start changes nothing.
    ///
    /// The caller writes the log-start checkpoint before it answers.
    pub fn set_log_start(
        &mut self,
        offset: Offset,
        high_watermark: Offset,
    ) -> Result<Offset, LogStartError> {
        self.check_online()?;
        if offset > high_watermark.min(self.log_end) {
            return Err(LogStartError::BeyondWatermark { asked: offset, high_watermark });
        }
        if offset > self.log_start {
            self.log_start = offset;
            self.forget_epochs_below_start()?;
            self.publish();
        }
        Ok(self.log_start)
    }

    /// Removes segments that the settings no longer keep: never one with records at or above the
    /// high watermark, always the oldest first. If all go, the log is empty at its end offset.
    pub fn apply_retention(
        &mut self,
        now: Timestamp,
        high_watermark: Offset,
    ) -> Result<Swept, LogError> {
        self.check_online()?;
        let below_start = self.count_below_start();
        let mut doomed = below_start;
        if self.config.delete_old {
            doomed = doomed.max(self.count_over_size(below_start));
            doomed = doomed.max(self.count_too_old(doomed, now)?);
        }
        let doomed = doomed.min(self.count_below(high_watermark));
        let swept = self.delete_oldest(doomed, now)?;
        self.remove_doomed(now);
        Ok(swept)
    }

    /// Segments, from the oldest on, that end at or below an offset.
    fn count_below(&self, offset: Offset) -> usize {
        let ends = self.segments.iter().skip(1).map(|next| next.base);
        ends.chain([self.log_end]).take_while(|end| *end <= offset).count()
    }

    /// The active segment stays, even if all its records lie below the log start.
    fn count_below_start(&self) -> usize {
        self.count_below(self.log_start).min(self.segments.len() - 1)
    }

    fn count_over_size(&self, already: usize) -> usize {
        let Ok(limit) = u64::try_from(self.config.retention_bytes) else { return already };
        let kept = self.segments.iter().skip(already).map(|segment| segment.size()).sum::<u64>();
        let mut excess = kept.saturating_sub(limit);
        let over = self.segments.iter().skip(already).take_while(|segment| {
            let fits = excess > 0 && segment.size() > 0 && segment.size() <= excess;
            excess = excess.saturating_sub(segment.size());
            fits
        });
        already + over.count()
    }

    /// By the largest timestamp of a segment; strictly more than `retention.ms`.
    fn count_too_old(&self, already: usize, now: Timestamp) -> Result<usize, LogError> {
        if self.config.retention_ms < 0 {
            return Ok(already);
        }
        let mut count = already;
        for segment in self.segments.iter().skip(already) {
            if Arc::ptr_eq(segment, &self.active.segment) && self.active.size == 0 {
                break;
            }
            let age = now.get().saturating_sub(self.newest_of(segment)?.get());
            if age <= self.config.retention_ms {
                break;
            }
            count += 1;
        }
        Ok(count)
    }

    /// Largest timestamp of a segment; records without any count from when the file was written.
    pub(crate) fn newest_of(&self, segment: &Arc<Segment>) -> Result<Timestamp, LogError> {
        let is_active = Arc::ptr_eq(segment, &self.active.segment);
        let newest = match is_active {
            true => self.active.indexer.newest,
            false => segment
                .newest(self.config.index_interval_bytes)
                .map_err(|error| segment.damage(error))?,
        };
        if newest.timestamp.get() >= 0 {
            return Ok(newest.timestamp);
        }
        let modified = segment.log_file().and_then(|file| file.metadata()?.modified());
        let modified = modified.map_err(|error| segment.read_failed(error))?;
        let since = modified.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Ok(Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
    }

    fn delete_oldest(&mut self, count: usize, now: Timestamp) -> Result<Swept, LogError> {
        if count == 0 {
            return Ok(Swept::default());
        }
        if count == self.segments.len() {
            // There is always an active segment: offsets go on where they were.
            self.roll_at(self.log_end, now)?;
        }
        let gone: Vec<Arc<Segment>> = self.segments.drain(..count).collect();
        let first = self.segments.first().map_or(self.log_end, |segment| segment.base);
        self.log_start = self.log_start.max(first);
        self.publish();
        self.forget_epochs_below_start()?;
        let bytes = gone.iter().map(|segment| segment.size()).sum();
        tracing::debug!(
            folder = %self.shared.place.path().display(), segments = count, bytes,
            log_start = %self.log_start, "old segments are deleted"
        );
        self.doom(&gone, now).map_err(|error| self.go_offline(error))?;
        Ok(Swept { segments: count, bytes })
    }

    fn forget_epochs_below_start(&mut self) -> Result<(), LogError> {
        let mut epochs = Epochs::clone(&self.shared.epochs.load());
        if epochs.truncate_start(self.log_start) {
            self.store_epochs(epochs)?;
        }
        Ok(())
    }

    /// Drops the state of producers that were silent for `producer.id.expiration.ms`.
    pub fn expire_producers(&mut self, now: Timestamp) {
        self.shared.producers.lock().expire(now, self.config.producer_id_expiration_ms);
    }
}
