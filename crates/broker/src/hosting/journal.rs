//! A shard's log: how its records become batches in a partition, and come back at start.

use std::os::unix::fs::FileExt;
use std::sync::Arc;

use bytes::Bytes;
use highwater_log::{AppendOrigin, BatchOutcome, LogReader, PendingBatch, ReadError};
use highwater_records::{
    BatchBuilder, BatchError, BatchHeader, BatchOptions, BatchSummary, NewRecord, Scratch, Tail,
    batches,
};
use highwater_shard::Shard;
use highwater_types::{Offset, Timestamp};

use super::host::{HostHandle, LoadNumber, LogEnd, Mail};
use super::snapshot::{self, SnapshotError};
use crate::limits::LOAD_CHUNK_BYTES;
use crate::partition::Partition;

/// Translates a shard's records to the key and value of a log record.
pub trait RecordCodec<R>: Send + Sync + 'static {
    /// `None` if the record cannot be written: a bug of ours, for which its request pays.
    fn encode(&self, record: &R) -> Option<(Option<Bytes>, Option<Bytes>)>;

    /// `None` for a record that is not the shard's (another kind, a newer version).
    fn decode(&self, key: Option<&[u8]>, value: Option<&[u8]>) -> Option<R>;

    /// Base sequence of the batches.
    const BASE_SEQUENCE: i32;
    /// Whether the log is preceded by a snapshot file.
    const HAS_SNAPSHOTS: bool = false;
}

/// Why a shard's log cannot be read back.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("reading the log: {0}")]
    Read(#[from] ReadError),
    #[error("reading a segment: {0}")]
    Io(#[from] std::io::Error),
    #[error("a batch of the log is damaged: {0}")]
    Batch(#[from] BatchError),
    #[error("{0}")]
    Snapshot(#[from] SnapshotError),
}

/// The log of one shard.
pub struct Journal<C> {
    partition: Arc<Partition>,
    codec: Arc<C>,
}

impl<C> Journal<C> {
    pub fn new(partition: Arc<Partition>, codec: C) -> Self {
        Journal { partition, codec: Arc::new(codec) }
    }

    /// Appends records as one batch that must begin at `at`; the host hears how it ended.
    pub(super) fn append<S>(
        &self,
        at: Offset,
        records: &[S::Record],
        now: Timestamp,
        host: &HostHandle<S>,
    ) where
        S: Shard + 'static,
        S::Record: Send,
        S::Request: Send,
        S::Reply: Send,
        C: RecordCodec<S::Record>,
    {
        let count = i64::try_from(records.len()).unwrap_or(i64::MAX);
        let Some(batch) = self.batch(records, now) else {
            tracing::error!(partition = %self.partition.name(), "a coordinator record cannot be written");
            host.send(Mail::AppendFailed(at));
            return;
        };
        let host = host.clone();
        let done = move |result: crate::storage::AppendResult| {
            let landed = result.ok().and_then(|outcomes| match outcomes.first()? {
                BatchOutcome::Appended { base_offset, .. } => Some(*base_offset),
                _ => None,
            });
            host.send(if landed == Some(at) {
                Mail::CommittedTo(at.plus(count))
            } else {
                Mail::AppendFailed(at)
            });
        };
        self.partition.append(vec![batch], true, Box::new(done));
    }

    fn batch<R>(&self, records: &[R], now: Timestamp) -> Option<PendingBatch>
    where
        C: RecordCodec<R>,
    {
        // Kafka's coordinators write base sequence 0 although there is no producer.
        let mut builder = BatchBuilder::new(BatchOptions {
            base_sequence: C::BASE_SEQUENCE,
            ..Default::default()
        });
        for record in records {
            let (key, value) = self.codec.encode(record)?;
            builder.append(&NewRecord {
                timestamp: now.get(),
                key: key.as_deref(),
                value: value.as_deref(),
                headers: &[],
            });
        }
        let bytes = builder.build();
        let summary = BatchSummary::of_trusted(BatchHeader::parse(&bytes).ok()?);
        Some(PendingBatch::new(bytes, summary, AppendOrigin::Coordinator))
    }

    /// Reads the log from its start and sends its records to the host.
    pub(super) fn load<S>(&self, load: LoadNumber, host: &HostHandle<S>)
    where
        S: Shard + 'static,
        S::Record: Send,
        S::Request: Send,
        S::Reply: Send,
        C: RecordCodec<S::Record>,
    {
        let (partition, codec, host) = (self.partition.clone(), self.codec.clone(), host.clone());
        tokio::spawn(async move {
            // After every append that is still queued: the end is final then.
            let Some(end) = partition.with_log(|_, log| log.log_end()).await else { return };
            let reading = partition.clone();
            let sender = host.clone();
            let read = tokio::task::spawn_blocking(move || {
                let mut send = |records| sender.send(Mail::Loaded(load, records));
                read_all::<S, C>(&reading, &*codec, end, &mut send)
            });
            match read.await {
                Ok(Ok(())) => {
                    let committed = partition.positions().high_watermark;
                    host.send(Mail::LoadEnded(load, LogEnd { end, committed }));
                }
                // The shard stays in Loading, its partition takes nothing more: clients are told
                // so, and an operator why.
                Ok(Err(error)) => {
                    partition.become_idle();
                    tracing::error!(partition = %partition.name(), %error, "a coordinator's log cannot be loaded");
                }
                Err(error) => {
                    partition.become_idle();
                    tracing::error!(partition = %partition.name(), %error, "loading a coordinator failed");
                }
            }
        });
    }
}

/// Records of a shard with their offsets, as they go to the host in one piece of mail.
type Loaded<R> = Vec<(Offset, R)>;

fn read_all<S: Shard, C: RecordCodec<S::Record>>(
    partition: &Partition,
    codec: &C,
    end: Offset,
    send: &mut dyn FnMut(Loaded<S::Record>),
) -> Result<(), LoadError> {
    let reader = partition.reader();
    let mut from = reader.log_start();
    if C::HAS_SNAPSHOTS
        && let Some((covered, records)) = snapshot::load_latest(&partition.dir())?
    {
        let decoded = records
            .into_iter()
            .filter_map(|(offset, value)| Some((offset, codec.decode(None, Some(&value))?)));
        send(decoded.collect());
        from = from.max(covered);
    }
    while from < end {
        let bytes = read_chunk(reader, from, end)?;
        if bytes.is_empty() {
            break;
        }
        let (next, records) = decode_chunk(&bytes, from, codec)?;
        send(records);
        from = next;
    }
    Ok(())
}

fn read_chunk(reader: &LogReader, from: Offset, end: Offset) -> Result<Bytes, LoadError> {
    let slice = reader.read(from, LOAD_CHUNK_BYTES, end, true)?;
    let mut bytes = vec![0; slice.len];
    let mut filled = 0;
    for range in &slice.ranges {
        let part = bytes.get_mut(filled..filled + range.len).unwrap_or_default();
        range.file.read_exact_at(part, range.position)?;
        filled += range.len;
    }
    Ok(Bytes::from(bytes))
}

/// Decodes whole batches; gives the offset after the last of them.
fn decode_chunk<R, C: RecordCodec<R>>(
    bytes: &[u8],
    from: Offset,
    codec: &C,
) -> Result<(Offset, Loaded<R>), LoadError> {
    let mut scratch = Scratch::default();
    let mut records = Vec::new();
    let mut next = from;
    for batch in batches(bytes, Tail::Strict) {
        let batch = batch?;
        next = Offset(batch.header().next_offset());
        if batch.header().is_control() {
            continue;
        }
        for record in batch.records(&mut scratch)? {
            let record = record?;
            if record.offset < from.get() {
                continue;
            }
            if let Some(decoded) = codec.decode(record.key, record.value) {
                records.push((Offset(record.offset), decoded));
            }
        }
    }
    Ok((next, records))
}
