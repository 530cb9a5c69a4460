//! After an unclean stop: what lies behind the recovery point is believed only as far as its CRCs
//! hold, and the log is cut at the first batch where they do not.
//!
//! | what is found | before the recovery point | behind it |
//! |---|---|---|
//! | a bad or half batch | HW0003, nothing is changed | the log ends there, later segments go |
//! | the end of the file | HW0004, nothing is changed | the log ends there |
//! | a gap to the next segment | HW0004, nothing is changed | the log ends there, later ones go |
//!
//! Index files of the segments that were scanned are written anew.

use std::sync::Arc;

use crc_fast::{CrcAlgorithm, Digest};
use highwater_types::{LeaderEpoch, Offset};

use crate::config::LogConfig;
use crate::epochs::Epochs;
use crate::error::LogError;
use crate::indexer::{Indexer, NewEntries};
use crate::limits::SCAN_CHUNK_BYTES;
use crate::names;
use crate::open::OpenOptions;
use crate::segment::Segment;
use crate::walk::{Met, Walk, WalkError};

/// Bytes in front of what a batch's CRC covers.
const CRC_FROM: u64 = 21;

/// What is left of a log.
pub(crate) struct Recovered {
    /// Segments that stay; the last one may be empty.
    pub(crate) kept: usize,
    /// Epochs met, oldest first.
    pub(crate) epochs: Epochs,
}

/// A segment as far as it can be believed.
struct Scan {
    size: u64,
    end: Offset,
    indexer: Indexer,
    entries: NewEntries,
    /// Why it ends before its file does, and where.
    bad: Option<(u64, String)>,
}

/// Scans the segments from the one that holds `recovery_point` on. Files are changed only once it
/// is clear that nothing below the recovery point is lost.
pub(crate) fn recover(
    segments: &[Arc<Segment>],
    options: &OpenOptions,
    mut epochs: Epochs,
) -> Result<Recovered, LogError> {
    let (config, recovery_point) = (&options.config, options.recovery_point);
    let first = segments.partition_point(|segment| segment.base <= recovery_point);
    let first = first.saturating_sub(1);
    for (number, segment) in segments.iter().enumerate().skip(first) {
        let scan = scan(segment, config, recovery_point, &mut epochs)
            .map_err(|error| segment.read_failed(error))?;
        let next = segments.get(number + 1).map(|next| next.base);
        let ends_here = judge(segment, &scan, next, options)?;
        write_back(segment, &scan)?;
        if ends_here {
            return Ok(Recovered { kept: number + 1, epochs });
        }
    }
    Ok(Recovered { kept: segments.len(), epochs })
}

/// Whether the log ends with this segment although another follows or bytes remain.
fn judge(
    segment: &Segment,
    scan: &Scan,
    next: Option<Offset>,
    options: &OpenOptions,
) -> Result<bool, LogError> {
    let recovery_point = options.recovery_point;
    let path = segment.place.file(segment.base, names::LOG);
    let end = scan.end;
    if let Some((position, what)) = &scan.bad {
        if end < recovery_point {
            let what = format!("{what} (recovery point {recovery_point}, good up to {end})");
            return Err(LogError::Damaged { path, position: *position, what });
        }
        tracing::warn!(
            path = %path.display(), position, what, log_end = %end,
            "log is cut after an unclean stop"
        );
        return Ok(true);
    }
    let Some(next) = next else { return Ok(false) };
    let may_have_gaps = options.config.compact || next <= options.compacted_to;
    if next == end || next > end && may_have_gaps {
        return Ok(false);
    }
    if end < recovery_point || next < end {
        let what = format!("the segment ends at offset {end}, the next begins at {next}");
        return Err(LogError::Missing { path, what });
    }
    tracing::warn!(
        path = %path.display(), log_end = %end, next = %next,
        "log is cut at a gap after an unclean stop"
    );
    Ok(true)
}

fn scan(
    segment: &Segment,
    config: &LogConfig,
    recovery_point: Offset,
    epochs: &mut Epochs,
) -> Result<Scan, std::io::Error> {
    let mut scan = Scan {
        size: 0,
        end: segment.base,
        indexer: Indexer::new(segment.base, config.index_interval_bytes),
        entries: NewEntries::default(),
        bad: None,
    };
    let mut walk = segment.walk_in(0, segment.size(), SCAN_CHUNK_BYTES)?;
    loop {
        let met = match walk.next() {
            Ok(Some(met)) => met,
            Ok(None) => return Ok(scan),
            Err(WalkError::Io(error)) => return Err(error),
            Err(WalkError::Bad { position, what }) => {
                scan.bad = Some((position, what));
                return Ok(scan);
            }
        };
        let is_flushed = met.header.last_offset() < recovery_point.get();
        if !is_flushed && !crc_holds(&mut walk, &met)? {
            scan.bad = Some((met.position, "the CRC of a batch does not match".to_owned()));
            return Ok(scan);
        }
        let epoch = LeaderEpoch(met.header.partition_leader_epoch);
        if epochs.latest().is_none_or(|latest| latest.epoch < epoch) {
            epochs.assign(epoch, Offset(met.header.base_offset));
        }
        scan.indexer.on_batch(segment.base, &met.header, met.position, &mut scan.entries);
        scan.size = met.end();
        scan.end = Offset(met.header.next_offset());
    }
}

fn crc_holds(walk: &mut Walk<'_>, met: &Met) -> Result<bool, std::io::Error> {
    let mut digest = Digest::new(CrcAlgorithm::Crc32Iscsi);
    let mut skip = CRC_FROM as usize;
    walk.read_through(met, |piece| {
        digest.update(piece.get(skip..).unwrap_or_default());
        skip = skip.saturating_sub(piece.len());
    })?;
    Ok(digest.finalize() as u32 == met.header.crc)
}

/// Cuts the file to what is believed, and writes its indexes anew.
fn write_back(segment: &Segment, scan: &Scan) -> Result<(), LogError> {
    let mut indexer = scan.indexer;
    let mut entries = scan.entries.clone();
    indexer.enter_newest(segment.base, &mut entries);
    let written = segment.log_file().and_then(|file| {
        if scan.size < segment.place.disk.len(&file)? {
            segment.place.disk.set_len(&file, scan.size)?;
        }
        segment.replace_indexes(&indexer, &entries)?;
        segment.truncate_aborted(scan.end)
    });
    segment.set_size(scan.size);
    written.map_err(|error| segment.write_failed(error))
}
