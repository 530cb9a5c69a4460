//! The read side of a partition, for Fetch.

use highwater_log::{ReadError, Slice};
use highwater_replication::Positions;
use highwater_types::{LeaderEpoch, Offset};
use highwater_wire::{FileRange, Records, Segment};

use super::Partition;

/// What a fetch asks of one partition.
#[derive(Debug, Clone, Copy)]
pub struct ReadRequest {
    pub from: Offset,
    pub bytes_max: usize,
    /// Give the first batch whole even if it is larger than `bytes_max`.
    pub at_least_one_batch: bool,
    pub read_committed: bool,
    /// The leader epoch the client knows, if it says.
    pub current_epoch: Option<LeaderEpoch>,
    /// Epoch of the last record the reader holds, if it says: its log is compared with ours.
    pub last_fetched_epoch: Option<LeaderEpoch>,
}

/// What a partition answers.
#[derive(Debug)]
pub struct ReadAnswer {
    pub records: Records,
    /// As they were when the records were chosen; waiting goes on from here.
    pub seen: Positions,
    pub last_stable_offset: Offset,
    /// Set instead of records: where the reader's log parts from ours.
    pub diverging: Option<(LeaderEpoch, Offset)>,
}

/// Why a read is refused.
#[derive(Debug)]
pub enum ReadRefusal {
    NotLeader,
    /// The client's epoch is older than ours.
    FencedEpoch,
    /// The client's epoch is newer than ours.
    UnknownEpoch,
    OutOfRange,
    Log(ReadError),
}

impl Partition {
    /// Compares the epoch a client knows with ours (Kafka: `current_leader_epoch`).
    ///
    /// # Errors
    /// `NotLeader`, `FencedEpoch`, `UnknownEpoch`.
    pub fn check_epoch(&self, current: Option<LeaderEpoch>) -> Result<LeaderEpoch, ReadRefusal> {
        let ours = self.leader_epoch().ok_or(ReadRefusal::NotLeader)?;
        match current {
            Some(theirs) if theirs < ours => Err(ReadRefusal::FencedEpoch),
            Some(theirs) if theirs > ours => Err(ReadRefusal::UnknownEpoch),
            _ => Ok(ours),
        }
    }

    /// Reads whole batches. The offset is checked against the log end, what is read is cut at the
    /// high watermark (or the last stable offset): between the two the answer is empty, never an
    /// error.
    ///
    /// # Errors
    /// See [`ReadRefusal`].
    pub fn read(&self, request: &ReadRequest) -> Result<ReadAnswer, ReadRefusal> {
        self.check_epoch(request.current_epoch)?;
        let seen = self.positions();
        let limit =
            if request.read_committed { self.last_stable_offset() } else { seen.high_watermark };
        let mut answer = ReadAnswer {
            records: Records::default(),
            seen,
            last_stable_offset: limit.min(seen.high_watermark),
            diverging: None,
        };
        if let Some(epoch) = request.last_fetched_epoch {
            let (known, end) = self
                .reader
                .end_offset_for_epoch(epoch)
                .map_or((LeaderEpoch::NONE, Offset::NONE), |found| (found.epoch, found.end));
            if known < epoch || end < request.from {
                answer.diverging = Some((known, end));
                return Ok(answer);
            }
        }
        if request.from < seen.log_start || request.from > seen.log_end {
            return Err(ReadRefusal::OutOfRange);
        }
        if request.from < limit {
            let slice = self
                .reader
                .read(request.from, request.bytes_max, limit, request.at_least_one_batch)
                .map_err(|error| match error {
                    // Retention moved the log start while we looked.
                    ReadError::OutOfRange { .. } => ReadRefusal::OutOfRange,
                    other => ReadRefusal::Log(other),
                })?;
            answer.records = records_of(slice);
        }
        Ok(answer)
    }
}

/// Ranges of segment files, as the wire knows them.
fn records_of(slice: Slice) -> Records {
    let segments = slice.ranges.into_iter().map(|range| {
        Segment::File(FileRange { file: range.file, position: range.position, len: range.len })
    });
    Records { segments: segments.collect() }
}
