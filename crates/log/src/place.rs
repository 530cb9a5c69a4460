//! Where one partition's files are: its folder, the disk, and the shared set of open files.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwap;
use highwater_types::Offset;

use crate::disk::{Disk, OpenMode};
use crate::fd_cache::{FdCache, FileSlot};
use crate::names;

/// One partition folder. The path changes once, when the folder is renamed for deletion.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) files: Arc<FdCache>,
    path: ArcSwap<PathBuf>,
}

impl Place {
    pub(crate) fn new(disk: Arc<dyn Disk>, files: Arc<FdCache>, path: &Path) -> Place {
        Place { disk, files, path: ArcSwap::from_pointee(path.to_path_buf()) }
    }

    pub(crate) fn path(&self) -> Arc<PathBuf> {
        self.path.load_full()
    }

    pub(crate) fn moved_to(&self, path: PathBuf) {
        self.path.store(Arc::new(path));
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.path.load().join(name)
    }

    pub(crate) fn file(&self, base: Offset, suffix: &str) -> PathBuf {
        self.join(&names::file(base, suffix))
    }

    /// The open file of a slot, opened now if it must be. The file exists already.
    pub(crate) fn open(
        &self,
        slot: &Arc<FileSlot>,
        base: Offset,
        suffix: &str,
    ) -> io::Result<Arc<File>> {
        self.files.get(slot, || self.disk.open(&self.file(base, suffix), OpenMode::Existing))
    }
}
