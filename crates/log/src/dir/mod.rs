//! One log directory: its identity, its lock, its checkpoints, the folders in it.
//!
//! Owns every file that lies beside the partition folders, and the folders' names and lives. Does
//! not open logs: the broker does, folder by folder, with what it reads here.

mod checkpoint;
mod folder_name;
mod lock;
mod meta_properties;
mod partition_metadata;

pub use checkpoint::Checkpoint;
pub use meta_properties::MetaProperties;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use highwater_types::{Entropy, Offset, TopicId, TopicPartition};

use crate::disk::Disk;
use crate::error::LogError;
use crate::limits::TEXT_FILE_BYTES_MAX;
use crate::names;
use lock::DirLock;

const CLEAN_SHUTDOWN: &str = ".kafka_cleanshutdown";

/// A partition folder found in the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionFolder {
    pub partition: TopicPartition,
    pub path: PathBuf,
}

/// Where a partition's log is to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedFolder {
    pub path: PathBuf,
    /// It was made now: no checkpoint says anything of it.
    pub is_new: bool,
}

/// A locked log directory.
#[derive(Debug)]
pub struct LogDir {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    _lock: DirLock,
}

impl LogDir {
    /// Makes the directory if it is absent, and locks it until dropped.
    ///
    /// # Errors
    /// HW0001 if another process holds it, HW0005 if it cannot be made or written.
    pub fn open(disk: Arc<dyn Disk>, path: &Path) -> Result<LogDir, LogError> {
        disk.create_dir_all(path).map_err(LogError::write(path))?;
        let lock = DirLock::take(&*disk, path)?;
        Ok(LogDir { disk, path: path.to_path_buf(), _lock: lock })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    /// None if the directory is new.
    ///
    /// # Errors
    /// HW0002 if the file cannot be understood.
    pub fn meta_properties(&self) -> Result<Option<MetaProperties>, LogError> {
        let path = self.path.join(meta_properties::FILE_NAME);
        let Some(text) = self.text(&path)? else { return Ok(None) };
        match MetaProperties::parse(&text) {
            Ok(meta) => Ok(Some(meta)),
            Err(what) => Err(LogError::Identity { path, what }),
        }
    }

    /// `comment` is free text of one line; Kafka writes the date.
    pub fn write_meta_properties(
        &self,
        meta: &MetaProperties,
        comment: &str,
    ) -> Result<(), LogError> {
        self.replace(meta_properties::FILE_NAME, &meta.to_text(comment))
    }

    /// Offsets of a checkpoint file; a damaged file counts as absent, with a line in the log.
    pub fn read_checkpoint(
        &self,
        which: Checkpoint,
    ) -> Result<BTreeMap<TopicPartition, Offset>, LogError> {
        let path = self.path.join(which.file_name());
        let Some(text) = self.text(&path)? else { return Ok(BTreeMap::new()) };
        Ok(checkpoint::parse(&text).unwrap_or_else(|| {
            tracing::warn!(path = %path.display(), "checkpoint file is damaged and not used");
            BTreeMap::new()
        }))
    }

    /// Replaces a checkpoint file; it is on the medium when this returns.
    pub fn write_checkpoint(
        &self,
        which: Checkpoint,
        offsets: &BTreeMap<TopicPartition, Offset>,
    ) -> Result<(), LogError> {
        self.replace(which.file_name(), &checkpoint::to_text(offsets))
    }

    /// Whether the last process stopped cleanly. The marker is gone afterwards, so a crash from
    /// now on counts as one; if it cannot be removed the directory must not be used.
    pub fn take_clean_shutdown(&self) -> Result<bool, LogError> {
        let path = self.path.join(CLEAN_SHUTDOWN);
        match self.disk.remove(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(LogError::Write { path, source: error }),
        }
        self.disk.sync_dir(&self.path).map_err(LogError::write(&self.path))?;
        Ok(true)
    }

    /// Puts everything written so far, in all logs, on the medium: one call instead of one per file.
    pub fn sync_all(&self) -> Result<(), LogError> {
        self.disk.sync_all(&self.path).map_err(LogError::write(&self.path))
    }

    /// Says that everything was closed in order. The last thing a stop writes.
    pub fn mark_clean_shutdown(&self, broker_epoch: i64) -> Result<(), LogError> {
        self.replace(CLEAN_SHUTDOWN, &format!("{{\"version\":0,\"brokerEpoch\":{broker_epoch}}}"))
    }

    /// All partition folders, by name.
    pub fn partitions(&self) -> Result<Vec<PartitionFolder>, LogError> {
        let listed = self.disk.list(&self.path).map_err(LogError::read(&self.path))?;
        let mut folders = Vec::new();
        for entry in listed.iter().filter(|entry| entry.is_dir) {
            let Some(partition) = folder_name::parse(&entry.name) else { continue };
            let path = self.path.join(&entry.name);
            folders.push(PartitionFolder { partition, path });
        }
        Ok(folders)
    }

    /// The topic that a partition's folder belongs to, if it says so.
    pub fn topic_of(&self, folder: &PartitionFolder) -> Result<Option<TopicId>, LogError> {
        let text = self.text(&folder.path.join(names::PARTITION_METADATA))?;
        Ok(text.and_then(|text| partition_metadata::parse(&text)))
    }

    pub fn partition_path(&self, partition: &TopicPartition) -> PathBuf {
        self.path.join(partition.to_string())
    }

    /// Makes a partition's folder with its `partition.metadata`, unless both are there. The first
    /// flush of the log makes them durable.
    ///
    /// # Errors
    /// HW0002 if the folder belongs to another topic: its records must never be shown as this
    /// one's.
    pub fn create_partition(
        &self,
        partition: &TopicPartition,
        topic_id: TopicId,
    ) -> Result<CreatedFolder, LogError> {
        let path = self.partition_path(partition);
        let file = path.join(names::PARTITION_METADATA);
        match self.text(&file)?.and_then(|text| partition_metadata::parse(&text)) {
            Some(known) if known == topic_id => return Ok(CreatedFolder { path, is_new: false }),
            Some(other) => {
                let what = format!("the folder belongs to topic id {other}, not {topic_id}");
                return Err(LogError::Identity { path, what });
            }
            None => {}
        }
        let is_new = match self.disk.list(&path) {
            Ok(_) => false,
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            Err(error) => return Err(LogError::Read { path, source: error }),
        };
        self.disk.create_dir_all(&path).map_err(LogError::write(&path))?;
        let text = partition_metadata::to_text(topic_id);
        self.disk.replace(&file, text.as_bytes(), false).map_err(LogError::write(&file))?;
        Ok(CreatedFolder { path, is_new })
    }

    /// Renames a partition's folder so that no start takes it for a partition. Before that its
    /// checkpoint entries must be gone: one that outlives its log would say of a later partition
    /// with the same name that records are missing (HW0004). Returns the new path; [`LogDir::remove_doomed`] frees the space, after `file.delete.delay.ms`.
    pub fn doom_partition(
        &self,
        partition: &TopicPartition,
        entropy: &mut dyn Entropy,
    ) -> Result<PathBuf, LogError> {
        let from = self.partition_path(partition);
        let to = self.path.join(folder_name::doomed(partition, entropy));
        self.disk.rename(&from, &to).map_err(LogError::write(&from))?;
        self.disk.sync_dir(&self.path).map_err(LogError::write(&self.path))?;
        Ok(to)
    }

    /// Folders that wait for their deletion, perhaps since before the last start.
    pub fn doomed(&self) -> Result<Vec<PathBuf>, LogError> {
        let listed = self.disk.list(&self.path).map_err(LogError::read(&self.path))?;
        let doomed =
            listed.iter().filter(|entry| entry.is_dir && folder_name::is_doomed(&entry.name));
        Ok(doomed.map(|entry| self.path.join(&entry.name)).collect())
    }

    pub fn remove_doomed(&self, path: &Path) -> Result<(), LogError> {
        match self.disk.remove_dir_all(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(LogError::Write { path: path.to_path_buf(), source: error })
            }
            _ => Ok(()),
        }
    }

    fn text(&self, path: &Path) -> Result<Option<String>, LogError> {
        match self.disk.read_small(path, TEXT_FILE_BYTES_MAX) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LogError::Read { path: path.to_path_buf(), source: error }),
        }
    }

    fn replace(&self, name: &str, text: &str) -> Result<(), LogError> {
        let path = self.path.join(name);
        self.disk.replace(&path, text.as_bytes(), true).map_err(LogError::write(&path))
    }
}
