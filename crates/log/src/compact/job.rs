//! The work of one compaction, away from the writer: reads closed segments, which never change,
//! and writes their successors.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use highwater_records::{BatchView, Scratch};
use highwater_types::{Offset, ProducerId, Timestamp};

use super::key_map::KeyMap;
use super::output::Output;
use super::retain::{Keeper, Kept, LastOfProducer};
use super::transactions::Transactions;
use crate::config::LogConfig;
use crate::error::LogError;
use crate::limits::SCAN_CHUNK_BYTES;
use crate::log::Log;
use crate::segment::Segment;
use crate::txn_index::AbortedTransaction;
use crate::walk::{Met, Walk, WalkError};

/// What a compaction may use.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Memory for keys (Kafka: `log.cleaner.dedupe.buffer.size`, for each thread).
    pub key_bytes_max: u64,
    /// How full that memory may become (Kafka: `log.cleaner.io.buffer.load.factor`).
    pub key_load: f64,
}

/// Why a compaction came to no end. The log is as it was.
#[derive(Debug, thiserror::Error)]
pub enum CompactionError {
    /// The caller broke it off.
    #[error("compaction was stopped")]
    Stopped,
    /// Not even the first batch's keys have room.
    #[error("the keys of a single batch do not fit into log.cleaner.dedupe.buffer.size")]
    NoRoom,
    #[error(transparent)]
    Log(#[from] LogError),
}

/// A compaction that was begun. Dropping it changes nothing.
#[derive(Debug)]
pub struct CompactionJob {
    config: LogConfig,
    /// Closed segments from the log start on, as far as they may be cleaned.
    segments: Vec<Arc<Segment>>,
    clean_to: Offset,
    limit: Offset,
    now: Timestamp,
    aborted: Vec<AbortedTransaction>,
    producers: BTreeMap<ProducerId, LastOfProducer>,
}

/// A finished compaction, for [`Log::finish_compaction`].
#[derive(Debug)]
pub struct Compacted {
    pub(crate) replacements: Vec<Replacement>,
    /// Up to where the log is clean now: what the cleaner checkpoint is to say.
    pub clean_to: Offset,
    pub bytes_before: u64,
    pub bytes_after: u64,
}

/// Segments, and the files that take their place.
#[derive(Debug)]
pub(crate) struct Replacement {
    pub(crate) old: Vec<Arc<Segment>>,
    pub(crate) new: Output,
}

impl CompactionJob {
    pub(crate) fn new(
        log: &Log,
        segments: Vec<Arc<Segment>>,
        clean_to: Offset,
        limit: Offset,
        now: Timestamp,
    ) -> Result<CompactionJob, LogError> {
        let mut aborted = Vec::new();
        // A transaction may begin in a segment that is cleaned and end in one that is not.
        for segment in &log.segments {
            aborted.extend(segment.aborted().map_err(|error| segment.read_failed(error))?);
        }
        let producers = log.shared.producers.lock();
        let producers = producers.iter().map(|entry| (entry.id, LastOfProducer::of(entry)));
        Ok(CompactionJob {
            config: log.config.clone(),
            segments,
            clean_to,
            limit,
            now,
            aborted,
            producers: producers.collect(),
        })
    }

    /// Blocks for as long as it takes. `pace` is told of bytes read and written; it may wait, and
    /// it may break the work off.
    ///
    /// # Errors
    /// See [`CompactionError`].
    pub fn run(
        self,
        effort: &Effort,
        mut pace: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Compacted, CompactionError> {
        let (keys, keys_end) = self.read_keys(effort, &mut pace)?;
        let keeper = Keeper {
            keys: &keys,
            keys_end,
            producers: &self.producers,
            now_ms: self.now.get(),
            delete_retention_ms: self.config.delete_retention_ms,
        };
        let mut transactions = Transactions::new(self.aborted.clone());
        let rewritten = self.segments.partition_point(|segment| segment.base < keys_end);
        let mut done = Compacted {
            replacements: Vec::new(),
            clean_to: keys_end,
            bytes_before: 0,
            bytes_after: 0,
        };
        let mut rest = self.segments.get(..rewritten).unwrap_or_default();
        while !rest.is_empty() {
            let (group, behind) = self.split_group(rest);
            let replacement = rewrite(group, &self.config, &keeper, &mut transactions, &mut pace);
            let new = match replacement {
                Ok(new) => new,
                Err(error) => {
                    done.discard();
                    return Err(error);
                }
            };
            done.bytes_before += group.iter().map(|segment| segment.size()).sum::<u64>();
            done.bytes_after += new.size();
            done.replacements.push(Replacement { old: group.to_vec(), new });
            rest = behind;
        }
        Ok(done)
    }

    /// Reads the dirty part for its keys: the map, and the offset up to which it knows them.
    fn read_keys(
        &self,
        effort: &Effort,
        pace: &mut impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(KeyMap, Offset), CompactionError> {
        let from = self.segments.partition_point(|segment| segment.base <= self.clean_to);
        let dirty = self.segments.get(from.saturating_sub(1)..).unwrap_or_default();
        let mut records = 0;
        for segment in dirty {
            records += count_records(segment).map_err(|error| segment.damage(error))?;
        }
        let mut keys = KeyMap::new(records, effort.key_bytes_max, effort.key_load);
        let mut transactions = Transactions::new(self.aborted.clone());
        let mut scratch = Scratch::new();
        let mut end = self.clean_to;
        for segment in dirty {
            let mut reader = BatchReader::open(segment).map_err(|error| segment.damage(error))?;
            while let Some(met) = reader.next().map_err(|error| segment.damage(error))? {
                if met.header.last_offset() < self.clean_to.get() {
                    continue;
                }
                let noted = reader
                    .batch(&met)
                    .and_then(|batch| {
                        note_keys(&batch, self.clean_to, &mut transactions, &mut keys, &mut scratch)
                            .map_err(|error| bad(&met, error))
                    })
                    .map_err(|error| segment.damage(error))?;
                if !noted {
                    if end <= self.clean_to {
                        return Err(CompactionError::NoRoom);
                    }
                    return Ok((keys, end));
                }
                end = Offset(met.header.next_offset());
                go_on(pace(met.header.size_bytes() as u64))?;
            }
        }
        Ok((keys, self.limit))
    }

    /// The first segments of `rest` that fit into one.
    fn split_group<'s>(
        &self,
        rest: &'s [Arc<Segment>],
    ) -> (&'s [Arc<Segment>], &'s [Arc<Segment>]) {
        let base = rest.first().map_or(self.limit, |segment| segment.base);
        let ends = rest.iter().skip(1).map(|next| next.base).chain([self.limit]);
        let (mut bytes, mut entries) = (0_u64, 0_u64);
        let fits = rest.iter().zip(ends).take_while(|(segment, end)| {
            bytes += segment.size();
            entries += segment.index_entries_hint(self.config.index_interval_bytes);
            bytes <= u64::from(self.config.segment_bytes)
                && entries * 12 <= u64::from(self.config.index_bytes_max)
                && end.get() - base.get() <= i64::from(i32::MAX)
        });
        rest.split_at(fits.count().max(1))
    }
}

impl Compacted {
    /// Removes the files that were written.
    pub(crate) fn discard(&self) {
        for replacement in &self.replacements {
            replacement.new.discard();
        }
    }
}

/// Writes what `keeper` keeps of the segments.
fn rewrite(
    group: &[Arc<Segment>],
    config: &LogConfig,
    keeper: &Keeper<'_>,
    transactions: &mut Transactions,
    pace: &mut impl FnMut(u64) -> ControlFlow<()>,
) -> Result<Output, CompactionError> {
    let Some(first) = group.first() else { unreachable!("a group has a segment") };
    let mut output = Output::create(first, config.index_interval_bytes)?;
    let written = fill(&mut output, group, keeper, transactions, pace);
    match written.and_then(|()| Ok(output.finish()?)) {
        Ok(()) => Ok(output),
        Err(error) => {
            output.discard();
            Err(error)
        }
    }
}

fn fill(
    output: &mut Output,
    group: &[Arc<Segment>],
    keeper: &Keeper<'_>,
    transactions: &mut Transactions,
    pace: &mut impl FnMut(u64) -> ControlFlow<()>,
) -> Result<(), CompactionError> {
    let mut scratch = Scratch::new();
    for segment in group {
        let mut reader = BatchReader::open(segment).map_err(|error| segment.damage(error))?;
        while let Some(met) = reader.next().map_err(|error| segment.damage(error))? {
            let batch = reader.batch(&met).map_err(|error| segment.damage(error))?;
            let (kept, aborted) = keeper
                .judge(&batch, transactions, &mut scratch)
                .map_err(|error| segment.damage(bad(&met, error)))?;
            let bytes = match &kept {
                Kept::Whole => batch.bytes(),
                Kept::Part(bytes) => bytes,
                Kept::Nothing => &[],
            };
            output.write(bytes, aborted)?;
            go_on(pace((met.header.size_bytes() + bytes.len()) as u64))?;
        }
    }
    Ok(())
}

/// Notes the keys of a batch; false if they do not all have room.
fn note_keys(
    batch: &BatchView<'_>,
    from: Offset,
    transactions: &mut Transactions,
    keys: &mut KeyMap,
    scratch: &mut Scratch,
) -> Result<bool, highwater_records::BatchError> {
    let header = batch.header();
    if header.is_control() {
        let record = batch.records(scratch)?.next().transpose()?;
        let marker =
            record.and_then(|record| highwater_records::control::EndTxnMarker::of_record(&record));
        transactions.on_control(header, marker);
        return Ok(true);
    }
    if transactions.on_data(header) {
        return Ok(true);
    }
    for record in batch.records(scratch)? {
        let record = record?;
        let Some(key) = record.key.filter(|_| record.offset >= from.get()) else { continue };
        if !keys.put(key, Offset(record.offset)) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn count_records(segment: &Segment) -> Result<u64, WalkError> {
    let mut walk = segment.walk(0, segment.size())?;
    let mut records = 0;
    while let Some(met) = walk.next()? {
        records += u64::try_from(met.header.record_count).unwrap_or(0);
    }
    Ok(records)
}

fn go_on(flow: ControlFlow<()>) -> Result<(), CompactionError> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(CompactionError::Stopped),
    }
}

fn bad(met: &Met, error: highwater_records::BatchError) -> WalkError {
    WalkError::Bad { position: met.position, what: error.to_string() }
}

/// The batches of a closed segment, whole and with their CRCs checked.
struct BatchReader<'a> {
    walk: Walk<'a>,
    bytes: Vec<u8>,
}

impl<'a> BatchReader<'a> {
    fn open(segment: &'a Segment) -> Result<BatchReader<'a>, WalkError> {
        let walk = segment.walk_in(0, segment.size(), SCAN_CHUNK_BYTES)?;
        Ok(BatchReader { walk, bytes: Vec::new() })
    }

    fn next(&mut self) -> Result<Option<Met>, WalkError> {
        self.walk.next()
    }

    /// The batch that was met last.
    fn batch(&mut self, met: &Met) -> Result<BatchView<'_>, WalkError> {
        self.bytes.clear();
        let bytes = &mut self.bytes;
        self.walk.read_through(met, |piece| bytes.extend_from_slice(piece))?;
        let batch = BatchView::parse(&self.bytes).map_err(|error| bad(met, error))?;
        batch.verify_crc().map_err(|error| bad(met, error))?;
        Ok(batch)
    }
}
