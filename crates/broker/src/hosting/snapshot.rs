//! Snapshot files of the metadata log: `<end offset>-<epoch>.checkpoint`, record batches between a
//! header and a footer control record, as Kafka's KRaft writes them.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use highwater_records::control::{self, ControlType};
use highwater_records::{
    BatchBuilder, BatchError, BatchOptions, NewRecord, Scratch, Tail, batches,
};
use highwater_types::{LeaderEpoch, Offset, Timestamp};

/// Records of one batch of a snapshot.
const RECORDS_PER_BATCH: usize = 1_000;
/// Snapshots kept; older ones are removed once a newer one is on disk.
const SNAPSHOTS_KEPT: usize = 1;

const SUFFIX: &str = ".checkpoint";

/// Why a snapshot cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    #[error("{path}: {error}")]
    Io { path: PathBuf, error: io::Error },
    #[error("{path}: {error}")]
    Batch { path: PathBuf, error: BatchError },
    #[error("{path}: the snapshot has no footer, so it is not whole")]
    NoFooter { path: PathBuf },
}

/// Offset up to which a snapshot covers the log, and its records' values with the offset that
/// stands for them.
pub type Snapshot = (Offset, Vec<(Offset, Bytes)>);

/// The newest whole snapshot in `dir`, if there is one.
///
/// # Errors
/// If the newest cannot be read: starting from an older one would lose what the log no longer has.
pub fn load_latest(dir: &Path) -> Result<Option<Snapshot>, SnapshotError> {
    let Some((covered, path)) = list(dir)?.pop() else { return Ok(None) };
    let bytes = fs::read(&path).map_err(|error| SnapshotError::Io { path: path.clone(), error })?;
    let mut scratch = Scratch::default();
    let mut records = Vec::new();
    let mut has_footer = false;
    let last = covered.plus(-1);
    let fault = |error| SnapshotError::Batch { path: path.clone(), error };
    for batch in batches(&bytes, Tail::Strict) {
        let batch = batch.map_err(fault)?;
        batch.verify_crc().map_err(fault)?;
        let is_control = batch.header().is_control();
        for record in batch.records(&mut scratch).map_err(fault)? {
            let record = record.map_err(fault)?;
            if is_control {
                has_footer |= ControlType::of_record(&record) == Some(ControlType::SnapshotFooter);
            } else if let Some(value) = record.value {
                records.push((last, Bytes::copy_from_slice(value)));
            }
        }
    }
    if has_footer { Ok(Some((covered, records))) } else { Err(SnapshotError::NoFooter { path }) }
}

/// Writes a snapshot of everything below `end`, then removes older ones.
///
/// # Errors
/// If the disk refuses; an unfinished file is never taken for a snapshot.
pub fn write(
    dir: &Path,
    end: Offset,
    epoch: LeaderEpoch,
    now: Timestamp,
    values: &[Bytes],
) -> Result<(), SnapshotError> {
    let path = dir.join(format!("{:020}-{:010}{SUFFIX}", end.get(), epoch.get()));
    let part = path.with_extension("checkpoint.part");
    let io = |error| SnapshotError::Io { path: path.clone(), error };
    let mut file = io::BufWriter::new(fs::File::create(&part).map_err(io)?);
    for batch in snapshot_batches(epoch, now, values) {
        file.write_all(&batch).map_err(io)?;
    }
    let file = file.into_inner().map_err(|error| io(error.into_error()))?;
    file.sync_all().map_err(io)?;
    fs::rename(&part, &path).map_err(io)?;
    fs::File::open(dir).and_then(|dir| dir.sync_all()).map_err(io)?;
    let mut kept = list(dir)?;
    kept.truncate(kept.len().saturating_sub(SNAPSHOTS_KEPT));
    for (_, old) in kept {
        fs::remove_file(&old).map_err(|error| SnapshotError::Io { path: old, error })?;
    }
    Ok(())
}

fn snapshot_batches(epoch: LeaderEpoch, now: Timestamp, values: &[Bytes]) -> Vec<Bytes> {
    let mut offset = 0;
    let mut made = Vec::new();
    let mut batch = |is_control: bool, records: &[(Option<Bytes>, Bytes)]| {
        let mut builder = BatchBuilder::new(BatchOptions {
            base_offset: offset,
            leader_epoch: epoch.get(),
            is_control,
            ..BatchOptions::default()
        });
        for (key, value) in records {
            builder.append(&NewRecord {
                timestamp: now.get(),
                key: key.as_deref(),
                value: Some(value),
                headers: &[],
            });
        }
        offset += records.len() as i64;
        made.push(builder.build());
    };
    let control = |kind: ControlType, value: Vec<u8>| {
        (Some(Bytes::copy_from_slice(&kind.key())), Bytes::from(value))
    };
    batch(true, &[control(ControlType::SnapshotHeader, control::snapshot_header_value(now.get()))]);
    for chunk in values.chunks(RECORDS_PER_BATCH) {
        let records: Vec<_> = chunk.iter().map(|value| (None, value.clone())).collect();
        batch(false, &records);
    }
    batch(true, &[control(ControlType::SnapshotFooter, control::snapshot_footer_value())]);
    made
}

/// Snapshots in `dir`, oldest first.
fn list(dir: &Path) -> Result<Vec<(Offset, PathBuf)>, SnapshotError> {
    let io = |error| SnapshotError::Io { path: dir.to_path_buf(), error };
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let end = name
            .strip_suffix(SUFFIX)
            .and_then(|stem| stem.split_once('-'))
            .and_then(|(end, _)| end.parse().ok());
        if let Some(end) = end {
            found.push((Offset(end), path));
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_older_ones_go() {
        let dir = tempfile::tempdir().unwrap();
        assert!(load_latest(dir.path()).unwrap().is_none());
        let values: Vec<_> = (0..2_500u32).map(|n| Bytes::from(n.to_string())).collect();
        write(dir.path(), Offset(7), LeaderEpoch(1), Timestamp(5), &values[..3]).unwrap();
        write(dir.path(), Offset(2_500), LeaderEpoch(2), Timestamp(6), &values).unwrap();
        let (covered, read) = load_latest(dir.path()).unwrap().unwrap();
        assert_eq!(covered, Offset(2_500));
        assert_eq!(read.into_iter().map(|(_, value)| value).collect::<Vec<_>>(), values);
        assert_eq!(list(dir.path()).unwrap().len(), 1);
    }

    #[test]
    fn a_snapshot_that_is_cut_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), Offset(3), LeaderEpoch(1), Timestamp(5), &[Bytes::from("x")]).unwrap();
        let (_, path) = list(dir.path()).unwrap().pop().unwrap();
        let whole = fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            assert!(load_latest(dir.path()).is_err(), "cut at {cut}");
        }
    }
}
