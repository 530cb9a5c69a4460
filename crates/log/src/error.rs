//! The failures of a log: coded ones of the environment, typed ones that a caller maps.
//!
//! A coded error (`HW0003`) takes a partition or a directory offline; acknowledged data stays on
//! disk. Every code has a page in `docs/book/errors/`.

use std::io;
use std::path::{Path, PathBuf};

use highwater_types::Offset;

/// What the environment did to a log or a log directory. Never caused by a request's content.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error(
        "HW0001: data directory {path} is in use{holder}; stop that process or choose another directory with --data-dir"
    )]
    Locked { path: PathBuf, holder: String },

    #[error(
        "HW0002: {path}: {what}; restore the file, or move the data directory away to start empty"
    )]
    Identity { path: PathBuf, what: String },

    #[error("HW0003: {path} is damaged at position {position}: {what}; nothing was cut")]
    Damaged { path: PathBuf, position: u64, what: String },

    #[error("HW0004: {path}: records are missing: {what}; nothing was cut")]
    Missing { path: PathBuf, what: String },

    #[error("HW0005: cannot write {path}: {source}")]
    Write { path: PathBuf, source: io::Error },

    #[error("HW0006: cannot read {path}: {source}")]
    Read { path: PathBuf, source: io::Error },

    #[error("HW0007: the log in {path} is offline after an earlier failure: {why}")]
    Offline { path: PathBuf, why: String },
}

impl LogError {
    /// The stable code, as on the error's page.
    pub fn code(&self) -> &'static str {
        match self {
            LogError::Locked { .. } => "HW0001",
            LogError::Identity { .. } => "HW0002",
            LogError::Damaged { .. } => "HW0003",
            LogError::Missing { .. } => "HW0004",
            LogError::Write { .. } => "HW0005",
            LogError::Read { .. } => "HW0006",
            LogError::Offline { .. } => "HW0007",
        }
    }

    pub(crate) fn write(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> LogError {
        move |source| LogError::Write { path: path.as_ref().to_path_buf(), source }
    }

    pub(crate) fn read(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> LogError {
        move |source| LogError::Read { path: path.as_ref().to_path_buf(), source }
    }
}

/// Why a read gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Kafka: OFFSET_OUT_OF_RANGE.
    #[error("offset {offset} is not between the log start {start} and the log end {end}")]
    OutOfRange { offset: Offset, start: Offset, end: Offset },
    /// Kafka: KAFKA_STORAGE_ERROR.
    #[error(transparent)]
    Storage(#[from] LogError),
}

/// Why a request to move the log start was refused.
#[derive(Debug, thiserror::Error)]
pub enum LogStartError {
    /// Kafka: OFFSET_OUT_OF_RANGE.
    #[error("log start cannot move to {asked}: the high watermark is {high_watermark}")]
    BeyondWatermark { asked: Offset, high_watermark: Offset },
    #[error(transparent)]
    Storage(#[from] LogError),
}
