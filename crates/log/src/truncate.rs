//! Taking records back: a follower that diverged from its leader, and starting over elsewhere.

use std::sync::Arc;

use highwater_types::{Offset, Timestamp};

use crate::epochs::Epochs;
use crate::error::LogError;
use crate::log::{Active, Log};
use crate::names;
use crate::open::{self, OpenOptions};
use crate::replay::Source;
use crate::segment::Segment;
use crate::walk::WalkError;

impl Log {
    /// Removes all records at and above `offset`, which becomes the log end; producer state and
    /// epochs go back with it. Does nothing if the log ends there already. A batch that holds
    /// `offset` goes whole.
    pub fn truncate_to(&mut self, offset: Offset, now: Timestamp) -> Result<(), LogError> {
        self.check_online()?;
        if offset >= self.log_end {
            return Ok(());
        }
        if self.segments.first().is_some_and(|first| offset < first.base) {
            return self.truncate_fully(offset, now);
        }
        self.cut(offset, now).map_err(|error| self.go_offline(error))
    }

    /// Removes everything; the log is empty and goes on at `start`.
    pub fn truncate_fully(&mut self, start: Offset, now: Timestamp) -> Result<(), LogError> {
        self.check_online()?;
        self.start_over(start, now).map_err(|error| self.go_offline(error))
    }

    fn cut(&mut self, offset: Offset, now: Timestamp) -> Result<(), LogError> {
        let kept = self.segments.partition_point(|segment| segment.base <= offset).max(1);
        let gone: Vec<Arc<Segment>> = self.segments.drain(kept..).collect();
        let Some(last) = self.segments.pop() else { return Ok(()) };
        let cut = self.cut_segment(&last, offset, now).map_err(|error| last.damage(error))?;
        self.unflushed.retain(|segment| segment.base < cut.base);
        self.segments.push(cut);
        self.log_end = offset;
        self.settle(gone, offset, now)
    }

    /// The segment without what lies at and above `offset`, active again. Readers that know the
    /// old one find the same files.
    fn cut_segment(
        &mut self,
        segment: &Arc<Segment>,
        offset: Offset,
        now: Timestamp,
    ) -> Result<Arc<Segment>, WalkError> {
        let place = Arc::clone(&segment.place);
        let start = self.reader().start(segment.size());
        let size = match segment.locate(offset, start)? {
            Some(met) => met.position,
            None => segment.size(),
        };
        place.disk.set_len(&*segment.log_file()?, size)?;
        segment.close_files();
        let cut = Arc::new(Segment::new(place, segment.base, size));
        cut.rebuild_indexes(self.config.index_interval_bytes)?;
        cut.truncate_aborted(offset)?;
        let options = OpenOptions::new(self.config.clone(), now);
        (self.active, _) = open::resume(&cut, &options)?;
        Ok(cut)
    }

    fn start_over(&mut self, start: Offset, now: Timestamp) -> Result<(), LogError> {
        let gone: Vec<Arc<Segment>> = self.segments.drain(..).collect();
        self.doom(&gone, now)?;
        self.active = Active::create(Arc::clone(&self.shared.place), &self.config, start, now)?;
        self.segments.push(Arc::clone(&self.active.segment));
        (self.log_start, self.log_end) = (start, start);
        self.names_dirty = true;
        // What producers did in the old log says nothing about the new one.
        self.settle(Vec::new(), Offset::NONE, now)
    }

    /// Brings everything that hangs on the log end in line with it. Producer snapshots hold up to
    /// `snapshot_last`.
    fn settle(
        &mut self,
        gone: Vec<Arc<Segment>>,
        snapshot_last: Offset,
        now: Timestamp,
    ) -> Result<(), LogError> {
        self.recovery_point = self.recovery_point.min(self.log_end);
        self.log_start = self.log_start.min(self.log_end);
        self.shared.hints.clear();
        self.publish();
        self.doom(&gone, now)?;
        let mut epochs = Epochs::clone(&self.shared.epochs.load());
        let changed = epochs.truncate_end(self.log_end);
        if changed | epochs.truncate_start(self.log_start) {
            self.store_epochs(epochs)?;
        }
        let snapshots = self.snapshots_up_to(snapshot_last)?;
        let replayed = Source {
            place: &self.shared.place,
            config: &self.config,
            segments: &self.segments,
            snapshots: &snapshots,
            log_end: self.log_end,
            now,
        }
        .replay()?;
        *self.shared.producers.lock() = replayed.producers;
        self.last_snapshot = replayed.snapshot;
        Ok(())
    }

    /// Offsets of the snapshots that still hold; the others are removed.
    fn snapshots_up_to(&self, last: Offset) -> Result<Vec<Offset>, LogError> {
        let place = &self.shared.place;
        let path = place.path();
        let mut kept = Vec::new();
        for listed in place.disk.list(&path).map_err(LogError::read(&*path))? {
            match names::parse(&listed.name) {
                Some((offset, names::SNAPSHOT)) if offset <= last => kept.push(offset),
                Some((_, names::SNAPSHOT)) => {
                    let stale = path.join(&listed.name);
                    place.disk.remove(&stale).map_err(LogError::write(&stale))?;
                }
                _ => {}
            }
        }
        Ok(kept)
    }
}
