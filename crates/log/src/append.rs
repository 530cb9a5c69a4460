//! Appending: producer checks, offsets, the patched headers, one vectored write per segment.
//!
//! The payload of a batch is never copied: its header is written from a patched copy, its records
//! from the slice of the request they came in.

use std::io::IoSlice;

use bytes::Bytes;
use highwater_records::control::EndTxnMarker;
use highwater_records::{
    BatchError, BatchHeader, BatchSummary, BatchView, HEADER_BYTES, Scratch, TimestampType,
};
use highwater_types::{LeaderEpoch, Offset, ProducerId, Timestamp};

use crate::error::LogError;
use crate::indexer::{Indexer, NewEntries};
use crate::log::Log;
use crate::producers::{
    AppendOrigin, CompletedTransaction, ProducerEntry, ProducerRefusal, Verdict, marker_of,
};
use crate::view::TailBatch;

/// Byte of a batch from which on the CRC covers it.
const CRC_FROM: usize = 21;

/// A batch on its way into the log.
#[derive(Debug, Clone)]
pub struct PendingBatch {
    /// The whole batch, header included, and nothing else.
    pub bytes: Bytes,
    pub summary: BatchSummary,
    pub origin: AppendOrigin,
    /// Set by [`Log::append`]; None if it failed before this batch was decided.
    pub outcome: Option<BatchOutcome>,
}

impl PendingBatch {
    pub fn new(bytes: Bytes, summary: BatchSummary, origin: AppendOrigin) -> Self {
        PendingBatch { bytes, summary, origin, outcome: None }
    }

    /// A batch whose header is to be believed: one built here, or copied from a leader.
    ///
    /// # Errors
    /// The bytes do not begin with a batch header.
    pub fn trusted(bytes: Bytes, origin: AppendOrigin) -> Result<Self, BatchError> {
        let summary = BatchSummary::of_trusted(BatchHeader::parse(&bytes)?);
        Ok(PendingBatch::new(bytes, summary, origin))
    }
}

/// What became of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchOutcome {
    Appended {
        base_offset: Offset,
        last_offset: Offset,
        /// Set where the broker sets the times.
        log_append_time: Option<Timestamp>,
    },
    /// A resent batch that is in the log already, at these offsets.
    Duplicate {
        base_offset: Offset,
        last_offset: Offset,
        timestamp: Timestamp,
    },
    Refused(ProducerRefusal),
    /// Larger than `segment.bytes`, which no segment may be (Kafka: RECORD_LIST_TOO_LARGE).
    TooLarge {
        size: usize,
        segment_bytes: u32,
    },
    /// A replicated batch that does not lie behind the log end.
    OutOfPlace {
        log_end: Offset,
    },
}

impl BatchOutcome {
    /// Offset after the batch, if it is in the log: what an acknowledgement waits for.
    pub fn end(&self) -> Option<Offset> {
        match self {
            BatchOutcome::Appended { last_offset, .. }
            | BatchOutcome::Duplicate { last_offset, .. } => Some(last_offset.next()),
            _ => None,
        }
    }
}

/// What will be written to the active segment in one go.
#[derive(Default)]
struct Run {
    /// Index of the first batch of the call that belongs to this run.
    first: usize,
    staged: Vec<Staged>,
    bytes: u64,
    /// Index entries of the staged batches.
    entries: NewEntries,
    /// The active segment's state without them.
    before: Option<Before>,
    /// Producers as they will be, each once.
    producers: Vec<ProducerEntry>,
    completed: Vec<CompletedTransaction>,
}

/// What staging changes of the active segment before anything is written.
#[derive(Clone, Copy)]
struct Before {
    indexer: Indexer,
    first_batch_time: Option<Timestamp>,
}

/// A batch that may be appended, with what it changes.
struct Decided {
    header: BatchHeader,
    origin: AppendOrigin,
    producer: Option<ProducerEntry>,
    completed: Option<CompletedTransaction>,
}

struct Staged {
    /// Index into the call's batches.
    batch: usize,
    header: BatchHeader,
    patched: [u8; HEADER_BYTES],
}

impl Log {
    /// Appends batches in their order; each gets its outcome. A refused batch does not stop the
    /// ones behind it.
    ///
    /// # Errors
    /// A failed write. Batches whose outcome is set before that are in the log, all others are
    /// not. The log stays online if the file could be cut back to where it was.
    pub fn append(
        &mut self,
        batches: &mut [PendingBatch],
        epoch: LeaderEpoch,
        now: Timestamp,
    ) -> Result<(), LogError> {
        self.check_online()?;
        let mut run = Run::default();
        let result = self.append_all(batches, epoch, now, &mut run);
        if result.is_err() {
            self.unstage(run.before);
            for batch in batches.iter_mut().skip(run.first) {
                batch.outcome = None;
            }
        }
        result
    }

    fn append_all(
        &mut self,
        batches: &mut [PendingBatch],
        epoch: LeaderEpoch,
        now: Timestamp,
        run: &mut Run,
    ) -> Result<(), LogError> {
        let mut end = self.log_end;
        for number in 0..batches.len() {
            let Some(batch) = batches.get(number) else { break };
            let decided = self.decide(batch, epoch, now, end, run);
            let decided = match decided {
                Ok(decided) => decided,
                Err(outcome) => {
                    set_outcome(batches, number, outcome);
                    continue;
                }
            };
            let header = decided.header;
            self.enter_epoch(LeaderEpoch(header.partition_leader_epoch), end)?;
            if self.must_roll(&header, run.bytes, now)? {
                self.write_run(batches, run)?;
                run.first = number;
                self.roll_at(end, now)?;
            }
            let outcome = self.stage(number, decided, run);
            set_outcome(batches, number, outcome);
            end = Offset(header.next_offset());
        }
        self.write_run(batches, run)
    }

    /// The batch as it will be stored, or why it will not be.
    fn decide(
        &self,
        batch: &PendingBatch,
        epoch: LeaderEpoch,
        now: Timestamp,
        end: Offset,
        run: &Run,
    ) -> Result<Decided, BatchOutcome> {
        let (size, segment_bytes) = (batch.bytes.len(), self.config.segment_bytes);
        if size > segment_bytes as usize {
            return Err(BatchOutcome::TooLarge { size, segment_bytes });
        }
        let mut header = batch.summary.header;
        if batch.origin == AppendOrigin::Replication {
            if header.base_offset < end.get() {
                return Err(BatchOutcome::OutOfPlace { log_end: end });
            }
        } else {
            header.base_offset = end.get();
            header.partition_leader_epoch = epoch.get();
            patch_times(&mut header, batch, now);
        }
        let mut decided = Decided { header, origin: batch.origin, producer: None, completed: None };
        if header.has_producer() {
            self.decide_producer(batch, &mut decided, run)?;
        }
        Ok(decided)
    }

    fn decide_producer(
        &self,
        batch: &PendingBatch,
        decided: &mut Decided,
        run: &Run,
    ) -> Result<(), BatchOutcome> {
        let header = &decided.header;
        let id = ProducerId(header.producer_id);
        let staged = run.producers.iter().find(|entry| entry.id == id).copied();
        let mut entry = staged.unwrap_or_else(|| self.shared.producers.lock().get(id));
        let marker = marker_in(batch);
        match entry.decide(header, marker, batch.origin) {
            Verdict::Duplicate(batch) => Err(BatchOutcome::Duplicate {
                base_offset: batch.base_offset(),
                last_offset: batch.last_offset,
                timestamp: batch.timestamp,
            }),
            Verdict::Refuse(refusal) => Err(BatchOutcome::Refused(refusal)),
            Verdict::Append => {
                match marker {
                    Some(marker) => decided.completed = entry.replay_marker(header, marker),
                    None if header.is_control() => return Ok(()),
                    None => entry.replay_batch(header),
                }
                decided.producer = Some(entry);
                Ok(())
            }
        }
    }

    /// Writes what is staged; on success the log ends behind it.
    fn write_run(&mut self, batches: &[PendingBatch], run: &mut Run) -> Result<(), LogError> {
        let first = run.first;
        let run = std::mem::replace(run, Run { first, ..Run::default() });
        if run.staged.is_empty() {
            return Ok(());
        }
        let mut parts = Vec::with_capacity(2 * run.staged.len());
        for staged in &run.staged {
            let bytes = batches.get(staged.batch).map(|batch| &batch.bytes[..]).unwrap_or_default();
            parts.push(IoSlice::new(&staged.patched));
            parts.push(IoSlice::new(bytes.get(HEADER_BYTES..).unwrap_or_default()));
        }
        let (segment, before) = (&self.active.segment, run.before);
        let old = before.map_or(self.active.indexer, |before| before.indexer);
        let written = segment.log_file().and_then(|file| {
            segment.place.disk.write_all_at(&file, &mut parts, self.active.size)?;
            segment.append_entries(&old, &run.entries)
        });
        if let Err(error) = written {
            let error = segment.write_failed(error);
            self.unstage(before);
            return Err(self.cut_back(error));
        }
        self.commit_run(run);
        Ok(())
    }

    /// Adds a batch to the run; the active segment's index state moves with it.
    fn stage(&mut self, number: usize, decided: Decided, run: &mut Run) -> BatchOutcome {
        let Decided { header, origin, producer, completed } = decided;
        if let Some(entry) = producer {
            run.producers.retain(|old| old.id != entry.id);
            run.producers.push(entry);
        }
        run.completed.extend(completed);
        let active = &mut self.active;
        let (indexer, first_batch_time) = (active.indexer, active.first_batch_time);
        run.before.get_or_insert(Before { indexer, first_batch_time });
        let position = active.size + run.bytes;
        if position == 0 {
            active.first_batch_time = Some(Timestamp(header.max_timestamp));
        }
        active.indexer.on_batch(active.segment.base, &header, position, &mut run.entries);
        run.bytes += header.size_bytes() as u64;
        run.staged.push(Staged { batch: number, header, patched: header.to_bytes() });
        let by_broker = origin == AppendOrigin::Client
            && header.timestamp_type() == TimestampType::LogAppendTime;
        BatchOutcome::Appended {
            base_offset: Offset(header.base_offset),
            last_offset: Offset(header.last_offset()),
            log_append_time: by_broker.then_some(Timestamp(header.max_timestamp)),
        }
    }

    fn unstage(&mut self, before: Option<Before>) {
        if let Some(Before { indexer, first_batch_time }) = before {
            self.active.indexer = indexer;
            self.active.first_batch_time = first_batch_time;
        }
    }

    fn commit_run(&mut self, run: Run) {
        let active = &mut self.active;
        for Staged { header, .. } in &run.staged {
            active.push_tail(TailBatch {
                base_offset: Offset(header.base_offset),
                last_offset: Offset(header.last_offset()),
                position: active.size,
            });
            active.size += header.size_bytes() as u64;
            self.log_end = Offset(header.next_offset());
        }
        active.segment.set_size(active.size);
        active.segment.publish_entries(&active.indexer);
        if !run.producers.is_empty() {
            let mut producers = self.shared.producers.lock();
            run.producers.into_iter().for_each(|entry| producers.put(entry));
        }
        for transaction in run.completed.iter().filter(|done| !done.is_commit) {
            self.note_aborted(transaction);
        }
        self.publish();
    }

    /// Takes back a write that failed. If that fails too, the log is offline.
    fn cut_back(&mut self, error: LogError) -> LogError {
        let segment = &self.active.segment;
        let cut =
            segment.log_file().and_then(|file| segment.place.disk.set_len(&file, self.active.size));
        match cut {
            Ok(()) => error,
            Err(_) => self.go_offline(error),
        }
    }
}

fn set_outcome(batches: &mut [PendingBatch], number: usize, outcome: BatchOutcome) {
    if let Some(batch) = batches.get_mut(number) {
        batch.outcome = Some(outcome);
    }
}

/// Sets timestamp type and largest timestamp as the topic wants them, and the CRC with them.
fn patch_times(header: &mut BatchHeader, batch: &PendingBatch, now: Timestamp) {
    let kind = batch.summary.timestamp_type;
    let max_timestamp = match kind {
        TimestampType::LogAppendTime if batch.origin == AppendOrigin::Client => now.get(),
        _ => batch.summary.max_timestamp,
    };
    if header.timestamp_type() == kind && header.max_timestamp == max_timestamp {
        return;
    }
    header.attributes = header.attributes.with_timestamp_type(kind);
    header.max_timestamp = max_timestamp;
    let mut digest = crc_fast::Digest::new(crc_fast::CrcAlgorithm::Crc32Iscsi);
    digest.update(header.to_bytes().get(CRC_FROM..).unwrap_or_default());
    digest.update(batch.bytes.get(HEADER_BYTES..).unwrap_or_default());
    header.crc = digest.finalize() as u32;
}

fn marker_in(batch: &PendingBatch) -> Option<EndTxnMarker> {
    if !batch.summary.header.is_control() {
        return None;
    }
    let view = BatchView::parse(&batch.bytes).ok()?;
    marker_of(&view, &mut Scratch::default())
}
