//! Rebuilding producer state from a log: the newest snapshot, what lies behind it, and the batches
//! before it that belong into the duplicate windows.

use std::collections::BTreeMap;
use std::sync::Arc;

use highwater_records::control::EndTxnMarker;
use highwater_records::{BatchView, Scratch};
use highwater_types::{Offset, ProducerEpoch, ProducerId, Timestamp};

use crate::config::LogConfig;
use crate::error::LogError;
use crate::limits::WINDOW_SCAN_BYTES_MAX;
use crate::lookup::Start;
use crate::place::Place;
use crate::producers::{Producers, WindowBatch, marker_of};
use crate::segment::Segment;
use crate::snapshots;
use crate::walk::{Met, Walk, WalkError};

/// Producers as of the log end, and the offset of the snapshot they come from (0: none).
pub(crate) struct Replayed {
    pub(crate) producers: Producers,
    pub(crate) snapshot: Offset,
}

/// What the rebuilding reads.
pub(crate) struct Source<'a> {
    pub(crate) place: &'a Place,
    pub(crate) config: &'a LogConfig,
    pub(crate) segments: &'a [Arc<Segment>],
    /// Offsets of the snapshot files, rising.
    pub(crate) snapshots: &'a [Offset],
    pub(crate) log_end: Offset,
    pub(crate) now: Timestamp,
}

impl Source<'_> {
    pub(crate) fn replay(&self) -> Result<Replayed, LogError> {
        let expiration_ms = self.config.producer_id_expiration_ms;
        let loaded =
            snapshots::load(self.place, self.snapshots, self.log_end, self.now, expiration_ms)?;
        let (snapshot, mut producers) = loaded.unwrap_or((Offset::ZERO, Producers::default()));
        if !producers.is_empty() {
            self.fill_windows(snapshot, &mut producers)?;
        }
        for segment in self.from(snapshot) {
            self.replay_segment(segment, snapshot, &mut producers)
                .map_err(|error| segment.damage(error))?;
        }
        Ok(Replayed { producers, snapshot })
    }

    /// Segments that hold `offset` or later ones.
    fn from(&self, offset: Offset) -> &[Arc<Segment>] {
        let first = self.segments.partition_point(|segment| segment.base <= offset);
        match offset < self.log_end {
            true => self.segments.get(first.saturating_sub(1)..).unwrap_or_default(),
            false => &[],
        }
    }

    fn start(&self, segment: &Segment) -> Start {
        let interval_bytes = self.config.index_interval_bytes;
        Start { interval_bytes, size: segment.size() }
    }

    fn replay_segment(
        &self,
        segment: &Segment,
        from: Offset,
        producers: &mut Producers,
    ) -> Result<(), WalkError> {
        let start = self.start(segment);
        let first = match from > segment.base {
            true => segment.locate(from, start)?.map_or(start.size, |met| met.position),
            false => 0,
        };
        let mut scratch = Scratch::default();
        let mut walk = segment.walk(first, start.size)?;
        while let Some(met) = walk.next()? {
            if met.header.has_producer() {
                producers.replay(&met.header, marker_at(&walk, &met, &mut scratch)?);
            }
        }
        Ok(())
    }

    /// A snapshot holds the newest batch of each producer. Up to four older ones are found in the
    /// log before it, as far back as the limit allows.
    fn fill_windows(&self, snapshot: Offset, producers: &mut Producers) -> Result<(), LogError> {
        let mut found: BTreeMap<(ProducerId, ProducerEpoch), Vec<WindowBatch>> = BTreeMap::new();
        let mut budget = WINDOW_SCAN_BYTES_MAX;
        let mut tails = Vec::new();
        for segment in self.segments.iter().rev().filter(|segment| segment.base < snapshot) {
            if budget == 0 {
                break;
            }
            tails.push((segment, segment.size().saturating_sub(budget)));
            budget = budget.saturating_sub(segment.size());
        }
        for (segment, from) in tails.into_iter().rev() {
            self.gather(segment, from, snapshot, &mut found)
                .map_err(|error| segment.damage(error))?;
        }
        for ((id, epoch), batches) in found {
            let Some(entry) = producers.get_mut(id).filter(|entry| entry.epoch == epoch) else {
                continue;
            };
            let Some(newest) = entry.window.newest() else { continue };
            let older: Vec<WindowBatch> = batches
                .into_iter()
                .filter(|batch| batch.last_offset < newest.base_offset())
                .collect();
            entry.window.prepend(&older);
        }
        Ok(())
    }

    fn gather(
        &self,
        segment: &Segment,
        from: u64,
        below: Offset,
        found: &mut BTreeMap<(ProducerId, ProducerEpoch), Vec<WindowBatch>>,
    ) -> Result<(), WalkError> {
        let start = self.start(segment);
        let first = match from {
            0 => 0,
            _ => segment.boundary_before(from, 0, start)?,
        };
        let mut walk = segment.walk(first, start.size)?;
        while let Some(Met { header, .. }) = walk.next()? {
            if header.base_offset >= below.get() {
                break;
            }
            if header.has_producer() && !header.is_control() {
                let key = (ProducerId(header.producer_id), ProducerEpoch(header.producer_epoch));
                found.entry(key).or_default().push(WindowBatch::of(&header));
            }
        }
        Ok(())
    }
}

fn marker_at(
    walk: &Walk<'_>,
    met: &Met,
    scratch: &mut Scratch,
) -> Result<Option<EndTxnMarker>, WalkError> {
    if !met.header.is_control() {
        return Ok(None);
    }
    let bytes = walk.read(met, usize::MAX)?;
    let batch = BatchView::parse(&bytes)
        .map_err(|error| WalkError::Bad { position: met.position, what: error.to_string() })?;
    Ok(marker_of(&batch, scratch))
}
