//! A stretch of a file: how a read answers without reading.

use std::fs::File;
use std::sync::Arc;

/// `len` bytes of `file` from `position` on. The file stays readable while this lives, also after
/// the segment was deleted.
#[derive(Debug, Clone)]
pub struct FileRange {
    pub file: Arc<File>,
    pub position: u64,
    pub len: usize,
}
