//! Putting compacted segments in the place of the old ones, in steps that a crash may cut short:
//!
//! | step | a start that finds it cut short after this |
//! |---|---|
//! | `x.log.cleaned` and its indexes are written and flushed | removes them: the old segments stand |
//! | `x.log.cleaned` becomes `x.log.swap`, its indexes follow | goes on with the next steps |
//! | the old segments are renamed to `….deleted` | goes on |
//! | `x.log.swap` becomes `x.log`, its indexes follow | goes on |

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use highwater_types::{Offset, Timestamp};

use super::job::{Compacted, Replacement};
use super::output::{Output, cleaned};
use crate::disk::{Listed, OpenMode};
use crate::error::LogError;
use crate::limits::SCAN_CHUNK_BYTES;
use crate::log::Log;
use crate::names;
use crate::place::Place;
use crate::segment::Segment;
use crate::walk::{Walk, WalkError};

impl Log {
    /// Takes over what a compaction wrote. Segments that retention or a truncation removed since
    /// are left out; then the log counts as clean only up to there.
    ///
    /// # Errors
    /// If the files cannot be renamed; the log goes offline then.
    pub fn finish_compaction(
        &mut self,
        compacted: Compacted,
        now: Timestamp,
    ) -> Result<(), LogError> {
        if let Err(error) = self.check_online() {
            compacted.discard();
            return Err(error);
        }
        for replacement in compacted.replacements {
            match self.find(&replacement.old) {
                Some(at) => {
                    self.swap_in(at, &replacement, now).map_err(|error| self.go_offline(error))?
                }
                None => replacement.new.discard(),
            }
        }
        Ok(())
    }

    /// Where the segments stand, if they still do.
    fn find(&self, old: &[Arc<Segment>]) -> Option<usize> {
        let first = old.first()?;
        let at = self.segments.iter().position(|segment| Arc::ptr_eq(segment, first))?;
        let there = self.segments.get(at..at + old.len())?;
        there.iter().zip(old).all(|(a, b)| Arc::ptr_eq(a, b)).then_some(at)
    }

    fn swap_in(
        &mut self,
        at: usize,
        replacement: &Replacement,
        now: Timestamp,
    ) -> Result<(), LogError> {
        let Replacement { old, new } = replacement;
        let place = Arc::clone(&new.place);
        for suffix in names::SEGMENT_FILES {
            rename(&place, &cleaned(&place, new.base, suffix), &swapped(&place, new.base, suffix))?;
        }
        sync(&place)?;
        let segment = Arc::new(opened(new)?);
        self.segments.splice(at..at + old.len(), [Arc::clone(&segment)]);
        self.shared.hints.clear();
        self.publish();
        // From here on a reader with the old picture that must open a file looks again.
        self.doom(old, now)?;
        settle(&place, new.base)?;
        segment.close_files();
        Ok(())
    }
}

/// The new segment, its files held open while they change their names.
fn opened(new: &Output) -> Result<Segment, LogError> {
    let segment = Segment::new(Arc::clone(&new.place), new.base, new.size());
    segment.publish_entries(&new.indexer);
    let _ = segment.newest.set(new.indexer.newest);
    let held = segment.hold(|suffix| swapped(&new.place, new.base, suffix));
    held.map_err(LogError::read(swapped(&new.place, new.base, names::LOG)))?;
    Ok(segment)
}

/// Gives the files of a swapped-in segment their names: first the log, so that as long as it lacks
/// its name a start knows that the old segments may still be there.
fn settle(place: &Place, base: Offset) -> Result<(), LogError> {
    for suffix in names::SEGMENT_FILES {
        rename(place, &swapped(place, base, suffix), &place.file(base, suffix))?;
    }
    sync(place)
}

/// Finishes swaps that the last process had begun; `all` is what the folder holds.
pub(crate) fn resume(place: &Place, all: &[Listed]) -> Result<(), LogError> {
    let path = place.path();
    let mut ends: BTreeMap<Offset, Option<Offset>> = BTreeMap::new();
    for listed in all {
        let Some(name) = listed.name.strip_suffix(names::SWAP) else { continue };
        let Some((base, suffix)) = names::parse(name) else { continue };
        let end = ends.entry(base).or_default();
        if suffix == names::LOG {
            *end = Some(end_of(place, base)?);
        }
    }
    for (base, end) in &ends {
        if let Some(end) = end {
            tracing::info!(folder = %path.display(), %base, "a compaction is finished that a stop had cut short");
            remove_replaced(place, all, *base, *end)?;
            // Names that a crash kept it from giving.
            for suffix in names::SEGMENT_FILES {
                let (from, to) = (cleaned(place, *base, suffix), swapped(place, *base, suffix));
                rename(place, &from, &to)?;
            }
        }
        settle(place, *base)?;
    }
    Ok(())
}

/// First offset behind a segment that waits to be swapped in. It was flushed before it got that
/// name, so it is whole.
fn end_of(place: &Place, base: Offset) -> Result<Offset, LogError> {
    let path = swapped(place, base, names::LOG);
    let file = place.disk.open(&path, OpenMode::Existing);
    let file = Arc::new(file.map_err(LogError::read(&path))?);
    let len = place.disk.len(&file).map_err(LogError::read(&path))?;
    let mut walk = Walk::new(&*place.disk, file, base, 0..len, SCAN_CHUNK_BYTES);
    let mut end = base.next();
    loop {
        match walk.next() {
            Ok(Some(met)) => end = Offset(met.header.next_offset()),
            Ok(None) => return Ok(end),
            Err(WalkError::Io(source)) => return Err(LogError::Read { path, source }),
            Err(WalkError::Bad { position, what }) => {
                return Err(LogError::Damaged { path, position, what });
            }
        }
    }
}

/// Old segments that still have their names. One that lost all its records may lie behind `end`;
/// it stays, and the next compaction takes it.
fn remove_replaced(
    place: &Place,
    all: &[Listed],
    base: Offset,
    end: Offset,
) -> Result<(), LogError> {
    let path = place.path();
    for listed in all {
        let Some((at, suffix)) = names::parse(&listed.name) else { continue };
        if at >= base && at < end && names::SEGMENT_FILES.contains(&suffix) {
            let old = path.join(&listed.name);
            place.disk.remove(&old).map_err(LogError::write(&old))?;
        }
    }
    Ok(())
}

fn rename(place: &Place, from: &Path, to: &Path) -> Result<(), LogError> {
    match place.disk.rename(from, to) {
        // Not every segment has every file.
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(LogError::Write { path: from.to_path_buf(), source: error })
        }
        _ => Ok(()),
    }
}

fn sync(place: &Place) -> Result<(), LogError> {
    let path = place.path();
    place.disk.sync_dir(&path).map_err(LogError::write(&*path))
}

/// The name of a file between its writing and its place.
fn swapped(place: &Place, base: Offset, suffix: &str) -> PathBuf {
    place.join(&format!("{}{}", names::file(base, suffix), names::SWAP))
}
