//! Bytes of files that are not in the page cache, and the threads that read them.
//!
//! A `sendfile` of such bytes would stall a network worker for as long as the disk takes. So the
//! file is asked first ([`read_if_warm`], [`is_warm`]); what is cold is read by a thread here and
//! so comes into the page cache, while the worker serves other connections.
//!
//! It is advice, not a promise: memory can be reclaimed at once, and the middle of a range is not
//! asked for. Then the worker waits for the disk, as it would have without.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, IoSliceMut};
use std::sync::Arc;
use std::thread::JoinHandle;

use bytes::{Bytes, BytesMut};
use parking_lot::{Condvar, Mutex};
use rustix::io::{Errno, ReadWriteFlags, preadv2};
use tokio::sync::oneshot;

use crate::limits::READER_THREADS;

/// Bytes that a reader thread reads at once.
const STEP_BYTES: usize = 256 << 10;

/// What the page cache gave.
pub(crate) enum Read {
    Warm(Bytes),
    Cold,
}

/// The bytes of a short range, if all of them are in memory.
///
/// # Errors
/// `UnexpectedEof` if the file is shorter.
pub(crate) fn read_if_warm(file: &File, position: u64, len: usize) -> io::Result<Read> {
    let mut bytes = BytesMut::zeroed(len);
    let mut filled = 0;
    let mut flags = ReadWriteFlags::NOWAIT;
    while filled < len {
        let mut into = [IoSliceMut::new(&mut bytes[filled..])];
        match preadv2(file, &mut into, position + filled as u64, flags) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => filled += read,
            Err(Errno::AGAIN) => return Ok(Read::Cold),
            Err(Errno::INTR) => {}
            // File systems that cannot say are those in memory, or odd; they are read directly.
            Err(Errno::OPNOTSUPP) if !flags.is_empty() => flags = ReadWriteFlags::empty(),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Read::Warm(bytes.freeze()))
}

/// Whether the first and the last byte of a range are in memory.
pub(crate) fn is_warm(file: &File, position: u64, len: usize) -> bool {
    let last = position + (len as u64).saturating_sub(1);
    is_warm_at(file, position) && is_warm_at(file, last)
}

fn is_warm_at(file: &File, position: u64) -> bool {
    let mut byte = [0];
    let mut into = [IoSliceMut::new(&mut byte)];
    // Any other failure shows when the bytes are sent.
    preadv2(file, &mut into, position, ReadWriteFlags::NOWAIT) != Err(Errno::AGAIN)
}

/// A range to read, so that it is in memory.
struct Job {
    file: Arc<File>,
    position: u64,
    len: usize,
    done: oneshot::Sender<()>,
}

/// The reader threads. Each connection waits for one job at most, so the queue is bounded by the
/// connections.
pub(crate) struct ColdReaders {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Jobs>,
    changed: Condvar,
}

#[derive(Default)]
struct Jobs {
    waiting: VecDeque<Job>,
    is_stopping: bool,
}

impl ColdReaders {
    /// Starts the threads. Where the operating system gives none, cold bytes are read by those
    /// who send them.
    pub(crate) fn start() -> Self {
        let shared = Arc::new(Shared::default());
        let threads = (0..READER_THREADS)
            .filter_map(|index| {
                let shared = shared.clone();
                let name = format!("hw-cold-{index}");
                std::thread::Builder::new().name(name).spawn(move || shared.run()).ok()
            })
            .collect();
        ColdReaders { shared, threads }
    }

    /// Has a range read. The receiver resolves when it is in memory, or was tried to be.
    pub(crate) fn warm(
        &self,
        file: &Arc<File>,
        position: u64,
        len: usize,
    ) -> oneshot::Receiver<()> {
        let (done, receiver) = oneshot::channel();
        if !self.threads.is_empty() {
            let job = Job { file: file.clone(), position, len, done };
            self.shared.queue.lock().waiting.push_back(job);
            self.shared.changed.notify_one();
        }
        receiver
    }
}

impl Drop for ColdReaders {
    fn drop(&mut self) {
        // The threads end by themselves; who drops this may be a worker that must not wait.
        let mut queue = self.shared.queue.lock();
        queue.is_stopping = true;
        queue.waiting.clear();
        drop(queue);
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn run(&self) {
        let mut scratch = vec![0; STEP_BYTES];
        while let Some(job) = self.next() {
            read_through(&job, &mut scratch);
            let _ = job.done.send(());
        }
    }

    fn next(&self) -> Option<Job> {
        let mut queue = self.queue.lock();
        loop {
            if let Some(job) = queue.waiting.pop_front() {
                return Some(job);
            }
            if queue.is_stopping {
                return None;
            }
            self.changed.wait(&mut queue);
        }
    }
}

fn read_through(job: &Job, scratch: &mut [u8]) {
    use std::os::unix::fs::FileExt;
    let mut at = job.position;
    let end = job.position + job.len as u64;
    // A failure shows again when the bytes are sent, where it can be told to somebody.
    while at < end && !job.done.is_closed() {
        let step = scratch.len().min((end - at) as usize);
        match job.file.read_at(&mut scratch[..step], at) {
            Ok(0) => return,
            Ok(read) => at += read as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::time::Duration;

    use rustix::fs::{Advice, fadvise};

    use super::*;

    const LEN: usize = 3 << 20;

    /// A file on a real file system, written and flushed.
    fn file() -> Arc<File> {
        let mut file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        file.write_all(&vec![7; LEN]).unwrap();
        file.sync_all().unwrap();
        Arc::new(file)
    }

    fn evict(file: &File) {
        fadvise(file, 0, None, Advice::DontNeed).unwrap();
    }

    #[test]
    fn warm_bytes_are_read_and_a_short_file_is_told() {
        let file = file();
        assert!(is_warm(&file, 0, LEN));
        match read_if_warm(&file, 100, 5).unwrap() {
            Read::Warm(bytes) => assert_eq!(bytes, [7; 5][..]),
            Read::Cold => panic!("just written"),
        }
        let short = read_if_warm(&file, LEN as u64 - 2, 5).err().unwrap();
        assert_eq!(short.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[tokio::test]
    async fn cold_bytes_are_warmed_by_a_thread() {
        let file = file();
        evict(&file);
        if is_warm(&file, 0, LEN) {
            eprintln!("this file system keeps or cannot tell cold bytes; nothing to check");
            return;
        }
        assert!(matches!(read_if_warm(&file, 0, 16).unwrap(), Read::Cold));
        let readers = ColdReaders::start();
        let warmed = readers.warm(&file, 0, LEN);
        tokio::time::timeout(Duration::from_secs(10), warmed).await.unwrap().unwrap();
        assert!(is_warm(&file, 0, LEN));
        assert!(matches!(read_if_warm(&file, 0, 16).unwrap(), Read::Warm(_)));
    }

    #[tokio::test]
    async fn jobs_that_nobody_will_do_resolve_too() {
        let readers = ColdReaders { shared: Arc::default(), threads: Vec::new() };
        assert!(readers.warm(&file(), 0, 1).await.is_err());
    }
}
