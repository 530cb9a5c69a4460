//! Control records: what the broker writes between the data, and no consumer is shown.
//!
//! A control batch has the control flag and, here, one record. Its key says what it is:
//!
//! ```text
//! version 2 (0) │ type 2
//! ```
//! The values of the Raft kinds are Kafka's messages of the same names at version 0.

use bytes::Bytes;

use crate::{BatchBuilder, BatchOptions, NewRecord, RecordView};

const KEY_VERSION: i16 = 0;
const KEY_BYTES: usize = 4;
const MARKER_BYTES: usize = 6;
/// No tagged fields follow.
const NO_TAGS: u8 = 0;

/// What a control record is, by the number in its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControlType {
    Abort,
    Commit,
    LeaderChange,
    SnapshotHeader,
    SnapshotFooter,
    KRaftVersion,
    KRaftVoters,
    /// Of a later release; readers pass over it.
    Unknown(i16),
}

impl ControlType {
    pub fn from_code(code: i16) -> ControlType {
        match code {
            0 => ControlType::Abort,
            1 => ControlType::Commit,
            2 => ControlType::LeaderChange,
            3 => ControlType::SnapshotHeader,
            4 => ControlType::SnapshotFooter,
            5 => ControlType::KRaftVersion,
            6 => ControlType::KRaftVoters,
            other => ControlType::Unknown(other),
        }
    }

    pub fn code(self) -> i16 {
        match self {
            ControlType::Abort => 0,
            ControlType::Commit => 1,
            ControlType::LeaderChange => 2,
            ControlType::SnapshotHeader => 3,
            ControlType::SnapshotFooter => 4,
            ControlType::KRaftVersion => 5,
            ControlType::KRaftVoters => 6,
            ControlType::Unknown(other) => other,
        }
    }

    /// The key of such a record.
    pub fn key(self) -> [u8; KEY_BYTES] {
        let ([v0, v1], [t0, t1]) = (KEY_VERSION.to_be_bytes(), self.code().to_be_bytes());
        [v0, v1, t0, t1]
    }

    /// Reads a key, of this version or a later one; none if it is not one.
    pub fn of_key(key: &[u8]) -> Option<ControlType> {
        let &[v0, v1, t0, t1] = key.first_chunk::<KEY_BYTES>()?;
        let version = i16::from_be_bytes([v0, v1]);
        (version >= 0).then(|| ControlType::from_code(i16::from_be_bytes([t0, t1])))
    }

    /// What the record of a control batch is.
    pub fn of_record(record: &RecordView<'_>) -> Option<ControlType> {
        Self::of_key(record.key?)
    }
}

/// The end of a transaction in one partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndTxnMarker {
    pub is_commit: bool,
    /// Leader epoch of the coordinator's partition, which fences markers of deposed ones.
    pub coordinator_epoch: i32,
}

impl EndTxnMarker {
    pub fn control_type(self) -> ControlType {
        if self.is_commit { ControlType::Commit } else { ControlType::Abort }
    }

    pub fn value(self) -> [u8; MARKER_BYTES] {
        let [e0, e1, e2, e3] = self.coordinator_epoch.to_be_bytes();
        [0, 0, e0, e1, e2, e3]
    }

    /// Reads the record of a control batch; none if it is another kind of control record.
    pub fn of_record(record: &RecordView<'_>) -> Option<EndTxnMarker> {
        let is_commit = match ControlType::of_record(record)? {
            ControlType::Commit => true,
            ControlType::Abort => false,
            _ => return None,
        };
        let &[v0, v1, e0, e1, e2, e3] = record.value?.first_chunk::<MARKER_BYTES>()?;
        let coordinator_epoch = i32::from_be_bytes([e0, e1, e2, e3]);
        (i16::from_be_bytes([v0, v1]) >= 0).then_some(EndTxnMarker { is_commit, coordinator_epoch })
    }

    /// The whole batch, at offset 0 for the log to assign.
    pub fn batch(self, producer_id: i64, producer_epoch: i16, timestamp: i64) -> Bytes {
        let options = BatchOptions {
            producer_id,
            producer_epoch,
            is_transactional: true,
            ..BatchOptions::default()
        };
        control_batch(options, self.control_type(), timestamp, &self.value())
    }
}

/// A control batch of one record.
pub fn control_batch(
    options: BatchOptions,
    kind: ControlType,
    timestamp: i64,
    value: &[u8],
) -> Bytes {
    let mut builder = BatchBuilder::new(BatchOptions { is_control: true, ..options });
    let key = kind.key();
    builder.append(&NewRecord { timestamp, key: Some(&key), value: Some(value), headers: &[] });
    builder.build()
}

/// Value of a leader change: who leads, who may vote and who voted for the leader.
pub fn leader_change_value(leader_id: i32, voters: &[i32], granting: &[i32]) -> Vec<u8> {
    let mut out = vec![0, 0];
    out.extend_from_slice(&leader_id.to_be_bytes());
    for ids in [voters, granting] {
        write_count(&mut out, ids.len());
        for id in ids {
            out.extend_from_slice(&id.to_be_bytes());
            out.push(NO_TAGS);
        }
    }
    out.push(NO_TAGS);
    out
}

/// Value of the first record of a snapshot, with the time of the last record it stands for.
pub fn snapshot_header_value(last_contained_log_timestamp: i64) -> Vec<u8> {
    let mut out = vec![0, 0];
    out.extend_from_slice(&last_contained_log_timestamp.to_be_bytes());
    out.push(NO_TAGS);
    out
}

/// Value of the last record of a snapshot.
pub fn snapshot_footer_value() -> Vec<u8> {
    vec![0, 0, NO_TAGS]
}

/// Value that names the version of the Raft protocol.
pub fn kraft_version_value(kraft_version: i16) -> Vec<u8> {
    let [v0, v1] = kraft_version.to_be_bytes();
    vec![0, 0, v0, v1, NO_TAGS]
}

/// A compact array's length: one more than it has, as an unsigned varint.
fn write_count(out: &mut Vec<u8>, count: usize) {
    let mut raw = count + 1;
    while raw >= 0x80 {
        out.push(raw as u8 | 0x80);
        raw >>= 7;
    }
    out.push(raw as u8);
}
