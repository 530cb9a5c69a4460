//! Opening a log: which files there are, where it ends, what state belongs to it.
//!
//! After a clean stop only the end of the last segment is read; the rest is looked at when it is
//! needed. After any other stop `recovery.rs` goes through what was not flushed.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use arc_swap::ArcSwap;
use highwater_types::{LeaderEpoch, Offset, Timestamp};
use parking_lot::Mutex;

use crate::compact;
use crate::config::LogConfig;
use crate::disk::Disk;
use crate::epochs::Epochs;
use crate::error::LogError;
use crate::fd_cache::FdCache;
use crate::indexer::Indexer;
use crate::limits::TEXT_FILE_BYTES_MAX;
use crate::log::{Active, Log, Shared};
use crate::names;
use crate::place::Place;
use crate::read::Hints;
use crate::recovery::{self, Recovered};
use crate::replay::{Replayed, Source};
use crate::segment::Segment;
use crate::snapshots;
use crate::time_index::TimeEntry;
use crate::view::View;
use crate::walk::WalkError;

/// What an open must know that the folder does not say.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    pub config: LogConfig,
    /// From the checkpoint file, 0 if it has no entry or the folder is new. Everything below is on
    /// the medium; if it is not found there, the open fails.
    pub recovery_point: Offset,
    /// From the checkpoint file, 0 if it has no entry. Where an empty folder begins.
    pub log_start: Offset,
    /// Up to where the log was ever compacted, 0 if never: below there may be gaps.
    pub compacted_to: Offset,
    /// The directory was closed in order.
    pub clean: bool,
    pub now: Timestamp,
}

impl OpenOptions {
    /// Of a folder that was just made.
    pub fn new(config: LogConfig, now: Timestamp) -> Self {
        let zero = Offset::ZERO;
        OpenOptions {
            config,
            recovery_point: zero,
            log_start: zero,
            compacted_to: zero,
            clean: true,
            now,
        }
    }
}

/// The files of a partition folder that matter.
#[derive(Default)]
struct Found {
    /// Base offset and size, rising.
    logs: Vec<(Offset, u64)>,
    /// Offsets of the snapshots, rising.
    snapshots: Vec<Offset>,
}

impl Log {
    /// Opens the log in an existing folder; an empty one gets its first segment.
    ///
    /// # Errors
    /// HW0003 and HW0004 if records that were flushed are damaged or missing; nothing is changed
    /// then. HW0005, HW0006 if the disk refuses.
    pub fn open(
        disk: Arc<dyn Disk>,
        files: Arc<FdCache>,
        path: &Path,
        options: OpenOptions,
    ) -> Result<Log, LogError> {
        let place = Arc::new(Place::new(disk, files, path));
        let mut found = survey(&place)?;
        check_first(&place, &found, &options)?;
        let mut segments: Vec<Arc<Segment>> = found
            .logs
            .iter()
            .map(|(base, size)| Arc::new(Segment::new(Arc::clone(&place), *base, *size)))
            .collect();
        let on_disk = read_epochs(&place)?;
        let mut epochs = match &on_disk {
            Some(epochs) => epochs.clone(),
            None => rebuild_epochs(&place, &segments)?,
        };
        let mut is_new = false;
        if segments.is_empty() {
            is_new = true;
            let active = Active::create(
                Arc::clone(&place),
                &options.config,
                options.log_start,
                options.now,
            )?;
            segments.push(active.segment);
        } else if !options.clean {
            let recovered = recovery::recover(&segments, &options, epochs)?;
            epochs = keep(&place, &mut segments, recovered)?;
        }
        let (active, log_end) = resume_last(&segments, &options)?;
        check_end(&place, log_end, &options)?;
        let first = segments.first().map_or(log_end, |segment| segment.base);
        let log_start = options.log_start.max(first);
        let bases: Vec<Offset> = segments.iter().map(|segment| segment.base).collect();
        snapshots::remove_stray(&place, &mut found.snapshots, &bases);
        let replayed = Source {
            place: &place,
            config: &options.config,
            segments: &segments,
            snapshots: &found.snapshots,
            log_end,
            now: options.now,
        }
        .replay()?;
        let was_clean = options.clean;
        let mut log = assemble(place, options, segments, active, (log_start, log_end), replayed);
        log.names_dirty = is_new;
        log.trim_epochs(epochs, on_disk);
        log.publish();
        if !was_clean && !is_new {
            // What only the page cache holds would be served now, and could be lost later.
            log.flush()?;
        }
        Ok(log)
    }

    /// Drops epochs that the log does not reach or no longer holds.
    fn trim_epochs(&mut self, mut epochs: Epochs, on_disk: Option<Epochs>) {
        epochs.truncate_end(self.log_end);
        epochs.truncate_start(self.log_start);
        self.unwritten_epochs = on_disk.is_some_and(|on_disk| on_disk != epochs);
        self.shared.epochs.store(Arc::new(epochs));
    }
}

/// Lists the folder; removes what an earlier process left half done.
fn survey(place: &Place) -> Result<Found, LogError> {
    let path = place.path();
    let list = || place.disk.list(&path).map_err(LogError::read(&*path));
    let mut all = list()?;
    if all.iter().any(|listed| listed.name.ends_with(names::SWAP)) {
        compact::swap::resume(place, &all)?;
        all = list()?;
    }
    let mut found = Found::default();
    for listed in all {
        if listed.is_dir {
            continue;
        }
        let is_scrap = [names::DELETED, ".tmp", names::CLEANED];
        if is_scrap.iter().any(|suffix| listed.name.ends_with(suffix)) {
            crate::deletion::remove(place, &path.join(&listed.name));
            continue;
        }
        match names::parse(&listed.name) {
            Some((base, names::LOG)) => {
                let log = path.join(&listed.name);
                let size = place.disk.file_len(&log).map_err(LogError::read(&log))?;
                found.logs.push((base, size));
            }
            Some((offset, names::SNAPSHOT)) => found.snapshots.push(offset),
            _ => {}
        }
    }
    Ok(found)
}

fn check_first(place: &Place, found: &Found, options: &OpenOptions) -> Result<(), LogError> {
    let path = place.path().to_path_buf();
    let OpenOptions { recovery_point, log_start, .. } = options;
    match found.logs.first() {
        None if recovery_point > log_start => {
            let what = format!("no segment is left of a log that reached offset {recovery_point}");
            Err(LogError::Missing { path, what })
        }
        _ => Ok(()),
    }
}

fn check_end(place: &Place, log_end: Offset, options: &OpenOptions) -> Result<(), LogError> {
    let path = place.path().to_path_buf();
    let OpenOptions { recovery_point, log_start, .. } = *options;
    if log_start > log_end {
        let what = format!("the log starts at offset {log_start} but ends at {log_end}");
        return Err(LogError::Missing { path, what });
    }
    if recovery_point > log_end {
        let what = format!("the log reached offset {recovery_point} but ends at {log_end}");
        return Err(LogError::Missing { path, what });
    }
    Ok(())
}

/// Epochs from the checkpoint file; None if it is absent or damaged.
fn read_epochs(place: &Place) -> Result<Option<Epochs>, LogError> {
    let path = place.join(names::EPOCHS);
    match place.disk.read_small(&path, TEXT_FILE_BYTES_MAX) {
        Ok(bytes) => Ok(String::from_utf8(bytes).ok().and_then(|text| Epochs::parse(&text))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(None),
        Err(source) => Err(LogError::Read { path, source }),
    }
}

/// Epochs as the batches say them.
fn rebuild_epochs(place: &Place, segments: &[Arc<Segment>]) -> Result<Epochs, LogError> {
    let mut epochs = Epochs::default();
    if segments.iter().all(|segment| segment.size() == 0) {
        return Ok(epochs);
    }
    let path = place.join(names::EPOCHS);
    tracing::warn!(path = %path.display(), "leader epochs are rebuilt from the batches");
    for segment in segments {
        match gather_epochs(segment, &mut epochs) {
            Ok(()) => {}
            Err(WalkError::Io(error)) => return Err(segment.read_failed(error)),
            // Recovery decides what this means.
            Err(WalkError::Bad { .. }) => break,
        }
    }
    Ok(epochs)
}

fn gather_epochs(segment: &Segment, epochs: &mut Epochs) -> Result<(), WalkError> {
    let mut walk = segment.walk(0, segment.size())?;
    while let Some(met) = walk.next()? {
        let epoch = LeaderEpoch(met.header.partition_leader_epoch);
        if epochs.latest().is_none_or(|latest| latest.epoch < epoch) {
            epochs.assign(epoch, Offset(met.header.base_offset));
        }
    }
    Ok(())
}

/// Removes the segments that recovery did not keep.
fn keep(
    place: &Place,
    segments: &mut Vec<Arc<Segment>>,
    recovered: Recovered,
) -> Result<Epochs, LogError> {
    for segment in segments.drain(recovered.kept..) {
        for suffix in [names::LOG, names::OFFSET_INDEX, names::TIME_INDEX, names::TXN_INDEX] {
            let path = place.file(segment.base, suffix);
            match place.disk.remove(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(LogError::Write { path, source: error });
                }
                _ => {}
            }
        }
    }
    Ok(recovered.epochs)
}

/// Finds the log's end. After a clean stop everything counts as flushed, so damage there is never
/// cut.
fn resume_last(
    segments: &[Arc<Segment>],
    options: &OpenOptions,
) -> Result<(Active, Offset), LogError> {
    let Some(last) = segments.last() else { unreachable!("a log has a segment") };
    resume(last, options).map_err(|error| last.damage(error))
}

/// Takes up writing where the segment ends.
pub(crate) fn resume(
    segment: &Arc<Segment>,
    options: &OpenOptions,
) -> Result<(Active, Offset), WalkError> {
    let interval_bytes = options.config.index_interval_bytes;
    let last = segment.with_index(interval_bytes, |index| {
        index.entries.checked_sub(1).map(|last| index.entry(last)).transpose()
    })?;
    let last_time = segment.with_times(interval_bytes, |times| {
        times.entries.checked_sub(1).map(|last| times.entry(last)).transpose()
    })?;
    let mut indexer = Indexer::new(segment.base, interval_bytes);
    indexer.index_entries = segment.index_entries.load(std::sync::atomic::Ordering::Acquire);
    indexer.time_entries = segment.time_entries.load(std::sync::atomic::Ordering::Acquire);
    indexer.last_time = last_time.unwrap_or(TimeEntry::none(segment.base));
    indexer.newest = indexer.last_time;
    let mut end = segment.base;
    let start = last.map_or(0, |entry| entry.position);
    let mut walk = segment.walk(start, segment.size())?;
    while let Some(met) = walk.next()? {
        end = Offset(met.header.next_offset());
        if met.header.max_timestamp > indexer.newest.timestamp.get() {
            let timestamp = Timestamp(met.header.max_timestamp);
            indexer.newest = TimeEntry { timestamp, offset: Offset(met.header.last_offset()) };
        }
    }
    segment.grow_indexes(options.config.index_bytes_max)?;
    let active = Active {
        segment: Arc::clone(segment),
        size: segment.size(),
        indexer,
        first_batch_time: None,
        created: options.now,
        tail: Vec::new(),
    };
    Ok((active, end))
}

fn assemble(
    place: Arc<Place>,
    options: OpenOptions,
    segments: Vec<Arc<Segment>>,
    active: Active,
    (log_start, log_end): (Offset, Offset),
    replayed: Replayed,
) -> Log {
    let view = View {
        segments: segments.as_slice().into(),
        log_start,
        log_end,
        active_size: active.size,
        newest: active.indexer.newest,
        tail: [].into(),
    };
    let shared = Shared {
        place,
        view: ArcSwap::from_pointee(view),
        epochs: ArcSwap::default(),
        producers: Mutex::new(replayed.producers),
        hints: Hints::default(),
        interval_bytes: AtomicU32::new(options.config.index_interval_bytes),
    };
    // What recovery kept is in the page cache perhaps, but not on the medium for sure.
    let first_unflushed =
        segments.partition_point(|segment| segment.base <= options.recovery_point);
    let unflushed = match options.clean {
        true => Vec::new(),
        false => {
            let closed = segments.len().saturating_sub(1);
            segments.get(first_unflushed.saturating_sub(1)..closed).unwrap_or_default().to_vec()
        }
    };
    Log {
        shared: Arc::new(shared),
        config: options.config,
        segments,
        active,
        log_start,
        log_end,
        recovery_point: if options.clean { log_end } else { options.recovery_point },
        last_snapshot: replayed.snapshot,
        unflushed,
        names_dirty: false,
        unwritten_epochs: false,
        doomed: Default::default(),
        offline: None,
    }
}
