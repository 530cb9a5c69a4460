//! The check of what a client produces, and the summary that the log is given.

use std::ops::ControlFlow;

use bytes::Bytes;

use crate::walk::{Visited, walk};
use crate::{
    BatchError, BatchHeader, BatchView, Compression, RecordError, Refusal, RefusedRecords, Scratch,
    TimestampType, codec, limits, patch,
    recompress::{self, Packing},
};

/// What a topic demands of the batches produced to it, and what the request's version allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValidateOptions {
    /// Most bytes of a batch, header included (`max.message.bytes`).
    pub batch_bytes_max: usize,
    /// Who sets the times of the topic's records (`message.timestamp.type`).
    pub timestamp_type: TimestampType,
    /// The broker's time, in milliseconds.
    pub now: i64,
    /// How much older and newer than `now` a record's time may be, in milliseconds; checked under
    /// `CreateTime` only (`message.timestamp.before.max.ms`, `….after.max.ms`).
    pub before_max_ms: i64,
    pub after_max_ms: i64,
    /// Whether records without key are refused: the topic is compacted.
    pub require_keys: bool,
    /// Whether the request may carry zstd: Produce from version 7 on.
    pub allow_zstd: bool,
    /// How the batch is to be stored.
    pub storing: Storing,
}

impl Default for ValidateOptions {
    /// A topic of default settings, at time 0.
    fn default() -> Self {
        ValidateOptions {
            batch_bytes_max: 1_048_588,
            timestamp_type: TimestampType::CreateTime,
            now: 0,
            before_max_ms: i64::MAX,
            after_max_ms: 3_600_000,
            require_keys: false,
            allow_zstd: true,
            storing: Storing::AsSent,
        }
    }
}

/// In which codec a topic's batches are stored (`compression.type`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Storing {
    /// The producer's (`producer`).
    #[default]
    AsSent,
    /// Always in this one. The level is meant for [`compress`](crate::compress).
    In { codec: Compression, level: Option<i32> },
}

/// What the log has to know of a batch that it appends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchSummary {
    /// As the batch arrived, or was built.
    pub header: BatchHeader,
    /// Who sets the times, by the topic's settings.
    pub timestamp_type: TimestampType,
    /// The true maximum, whatever the header says; under `LogAppendTime` the time of the check.
    pub max_timestamp: i64,
    /// Offset delta of the first record with that time; -1 if no record has a time.
    pub max_timestamp_delta: i32,
    /// Bytes of the records, decompressed.
    pub plain_bytes: u64,
    /// The batch is acceptable, but may not be stored as it is. [`accept_produced`] sees to that.
    pub rewrite: Option<Rewrite>,
}

/// Why, and therefore how, a produced batch must be written anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewrite {
    /// Its lz4 blocks are linked, which Java's consumers cannot read.
    Repack,
    /// Its offset deltas are not 0, 1, 2, ….
    Renumber,
}

impl BatchSummary {
    /// For a batch whose header is to be believed: built here, or read from a leader or a file.
    pub fn of_trusted(header: BatchHeader) -> BatchSummary {
        BatchSummary {
            header,
            timestamp_type: header.timestamp_type(),
            max_timestamp: header.max_timestamp,
            max_timestamp_delta: header.last_offset_delta,
            plain_bytes: header.size_bytes() as u64,
            rewrite: None,
        }
    }

    /// Whether the header's time fields differ from what they should be.
    pub fn must_patch_times(&self) -> bool {
        self.header.timestamp_type() != self.timestamp_type
            || self.header.max_timestamp != self.max_timestamp
    }

    /// Sets timestamp type and maximum timestamp in the stored bytes.
    pub fn patch_times(&self, batch: &mut [u8]) {
        match self.timestamp_type {
            TimestampType::LogAppendTime => patch::log_append_time(batch, self.max_timestamp),
            TimestampType::CreateTime => patch::max_timestamp(batch, self.max_timestamp),
        }
    }
}

/// A batch that may be appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// What to store: a slice of what was sent, or the batch written anew. Base offset, leader
    /// epoch and times are still to be patched.
    pub bytes: Bytes,
    /// Of `bytes`.
    pub summary: BatchSummary,
}

/// Checks the records of one partition in a Produce request and makes of them what is stored:
/// stray bytes behind the batch are cut off, and it is recompressed where the topic or the
/// batch's oddities demand it.
///
/// # Errors
/// As [`validate_produced`]; also `TooLarge` of the batch written anew.
pub fn accept_produced(
    records: &Bytes,
    options: &ValidateOptions,
    scratch: &mut Scratch,
) -> Result<Accepted, BatchError> {
    let summary = validate_produced(records, options, scratch)?;
    let sent = summary.header.compression()?;
    let (target, level) = match options.storing {
        Storing::AsSent => (sent, None),
        Storing::In { codec, level } => (codec, level),
    };
    if target == sent && summary.rewrite.is_none() {
        let bytes = records.slice(..summary.header.size_bytes().min(records.len()));
        return Ok(Accepted { bytes, summary });
    }
    let view = BatchView::parse(records)?;
    let plain_bytes = Some(summary.plain_bytes);
    let packing = Packing { target, level, plain_bytes, bytes_max: options.batch_bytes_max };
    let bytes = match summary.rewrite {
        Some(Rewrite::Renumber) => recompress::renumbered(&view, packing, scratch)?,
        Some(Rewrite::Repack) | None => recompress::repacked(&view, packing, scratch)?,
    };
    let header = BatchHeader::parse(&bytes)?;
    Ok(Accepted { bytes, summary: BatchSummary { header, rewrite: None, ..summary } })
}

/// Checks the records of one partition in a Produce request, in the order in which Kafka does, so
/// that of several faults the same one is named. Stray bytes after the batch that are not a batch
/// are not looked at.
///
/// # Errors
/// Every variant of [`BatchError`].
pub fn validate_produced(
    records: &[u8],
    options: &ValidateOptions,
    scratch: &mut Scratch,
) -> Result<BatchSummary, BatchError> {
    let batch = BatchView::parse(records)?;
    check_alone(records.get(batch.bytes().len()..).unwrap_or_default())?;
    let header = batch.header();
    if !options.allow_zstd && header.compression() == Ok(Compression::Zstd) {
        return Err(BatchError::CodecNotAllowed(Compression::Zstd));
    }
    if header.base_offset != 0 {
        return Err(BatchError::BaseOffset(header.base_offset));
    }
    check_size(header.size_bytes(), options.batch_bytes_max)?;
    batch.verify_crc()?;
    let codec = header.compression()?;
    check_header(header)?;
    let mut survey = Survey::new(options);
    let plain_bytes = walk(&batch, scratch, |record| survey.on_record(&record))?;
    survey.check_refused()?;
    let linked = codec == Compression::Lz4 && !codec::lz4::has_independent_blocks(batch.payload());
    let rewrite = match survey.is_dense {
        false => Some(Rewrite::Renumber),
        true => linked.then_some(Rewrite::Repack),
    };
    let (max_timestamp, max_timestamp_delta) = survey.max_timestamp();
    Ok(BatchSummary {
        header: *header,
        timestamp_type: options.timestamp_type,
        max_timestamp,
        max_timestamp_delta,
        plain_bytes,
        rewrite,
    })
}

fn check_alone(behind: &[u8]) -> Result<(), BatchError> {
    match BatchView::parse(behind) {
        Ok(_) => Err(BatchError::MoreThanOneBatch),
        Err(BatchError::NoBatch | BatchError::Truncated { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

fn check_size(size: usize, max: usize) -> Result<(), BatchError> {
    if size > max {
        return Err(BatchError::TooLarge { size, max });
    }
    Ok(())
}

fn check_header(header: &BatchHeader) -> Result<(), BatchError> {
    let BatchHeader { record_count, last_offset_delta, .. } = *header;
    if last_offset_delta < 0 {
        return Err(BatchError::OffsetRange { record_count, last_offset_delta });
    }
    if record_count <= 0 {
        return Err(BatchError::RecordCount(record_count));
    }
    if i64::from(last_offset_delta) + 1 != i64::from(record_count) {
        return Err(BatchError::OffsetRange { record_count, last_offset_delta });
    }
    if header.is_control() {
        return Err(BatchError::ControlBatch);
    }
    if header.has_producer() && header.base_sequence < 0 {
        let BatchHeader { producer_id, base_sequence: sequence, .. } = *header;
        return Err(BatchError::Sequence { producer_id, sequence });
    }
    Ok(())
}

/// What a walk gathers.
struct Survey<'a> {
    options: &'a ValidateOptions,
    /// Time and index of the first record with the largest time above -1.
    latest: (i64, i32),
    is_dense: bool,
    refused: RefusedRecords,
}

impl<'a> Survey<'a> {
    fn new(options: &'a ValidateOptions) -> Self {
        let refused = RefusedRecords { errors: Vec::new(), total: 0 };
        Survey { options, latest: (-1, -1), is_dense: true, refused }
    }

    #[inline]
    fn on_record(&mut self, record: &Visited) -> ControlFlow<()> {
        if record.create_time > self.latest.0 {
            self.latest = (record.create_time, record.index);
        }
        self.is_dense &= record.offset_delta == record.index;
        if let Some(refusal) = self.refusal(record) {
            self.refused.total += 1;
            if self.refused.errors.len() < limits::RECORD_ERRORS_MAX {
                self.refused.errors.push(RecordError { index: record.index, refusal });
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn refusal(&self, record: &Visited) -> Option<Refusal> {
        let options = self.options;
        if options.require_keys && !record.has_key {
            return Some(Refusal::NullKey);
        }
        if options.timestamp_type == TimestampType::LogAppendTime || record.timestamp == -1 {
            return record.by_append_time.then_some(Refusal::AppendTimeByProducer);
        }
        // A claim of LogAppendTime is taken off the batch, so that the record's own time counts.
        let timestamp = record.create_time;
        let ValidateOptions { now, before_max_ms, after_max_ms, .. } = *options;
        let age_ms = now.saturating_sub(timestamp);
        let is_near = age_ms <= before_max_ms && age_ms.saturating_neg() <= after_max_ms;
        if is_near || timestamp == -1 {
            return None;
        }
        Some(Refusal::TimestampOutOfRange {
            timestamp,
            offset: record.offset_delta.into(),
            earliest: now.saturating_sub(before_max_ms),
            latest: now.saturating_add(after_max_ms),
        })
    }

    fn check_refused(&mut self) -> Result<(), BatchError> {
        if self.refused.total == 0 {
            return Ok(());
        }
        let none = RefusedRecords { errors: Vec::new(), total: 0 };
        Err(BatchError::Refused(std::mem::replace(&mut self.refused, none)))
    }

    fn max_timestamp(&self) -> (i64, i32) {
        match self.options.timestamp_type {
            TimestampType::LogAppendTime => (self.options.now, 0),
            TimestampType::CreateTime => self.latest,
        }
    }
}
