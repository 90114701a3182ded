//! Plain files, read at any offset with a limited number of open files.

use std::collections::VecDeque;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use widetui_core::lock;

use super::text::{Text, at_most};

/// Modification time, ns since the epoch, UTC.
pub fn modified(meta: &Metadata) -> i64 {
    meta.mtime()
        .saturating_mul(1_000_000_000)
        .saturating_add(meta.mtime_nsec())
}

/// Modification time of standard input, ns since the epoch, UTC: of the file, or of the pipe, whose
/// writer may state no year; 0 if it is closed.
pub fn standard_input_modified() -> i64 {
    let owned = io::stdin().as_fd().try_clone_to_owned();
    let meta = owned.and_then(|input| File::from(input).metadata());
    meta.map_or(0, |meta| modified(&meta))
}

/// Maximum number of files that a pool keeps open, so that runs of many thousand logs load with a low limit on open
/// files.
const OPEN: usize = 32;

/// Pool of the most recently read files.
#[derive(Debug, Default)]
pub struct FilePool {
    open: Mutex<VecDeque<OpenFile>>,
}

/// Path and open file.
type OpenFile = (Arc<Path>, Arc<File>);

impl FilePool {
    /// Returns an open file. Opens and closes files without holding the lock: on network file systems both take
    /// milliseconds.
    fn get(&self, path: &Arc<Path>) -> io::Result<Arc<File>> {
        {
            let mut open = lock::hold(&self.open);
            if let Some(at) = open.iter().position(|(p, _)| p == path)
                && let Some(entry) = open.remove(at)
            {
                let file = entry.1.clone();
                open.push_front(entry);
                return Ok(file);
            }
        }
        let file = Arc::new(open_regular(path)?);
        let mut open = lock::hold(&self.open);
        // Another thread may have opened it meanwhile: either handle works.
        open.push_front((path.clone(), file.clone()));
        let last = open.len().min(OPEN);
        let too_many = open.split_off(last);
        drop(open);
        drop(too_many);
        Ok(file)
    }

    fn forget(&self, path: &Path) {
        lock::hold(&self.open).retain(|(p, _)| **p != *path);
    }
}

/// Opens a regular file for reading without blocking: the path may have become a named pipe without a writer.
///
/// # Errors
/// Error of the operating system, or the path is not a regular file any more.
pub fn open_regular(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let nonblock = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(nonblock)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("is not a regular file any more"));
    }
    Ok(file)
}

/// Offset of the first byte at or after `offset` that is not in a hole of a sparse file; the largest offset if none
/// follows. `offset` itself if the file system knows no holes.
pub fn next_data(file: &File, offset: u64) -> u64 {
    match rustix::fs::seek(file, rustix::fs::SeekFrom::Data(offset)) {
        Ok(data) => data,
        Err(rustix::io::Errno::NXIO) => u64::MAX,
        Err(_) => offset,
    }
}

/// Reads at `offset` until `buf` is full or the file ends.
///
/// # Errors
/// Error of the operating system.
pub fn read_fully(file: &File, mut buf: &mut [u8], mut offset: u64) -> io::Result<usize> {
    let mut done = 0;
    while !buf.is_empty() {
        match file.read_at(buf, offset) {
            Ok(0) => break,
            Ok(n) => {
                buf = buf.get_mut(n..).unwrap_or_default();
                offset += n as u64;
                done += n;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// Reads at `offset` like [`read_fully`]; returns the part of the buffer that was read.
pub(crate) fn read_part<'b>(file: &File, buf: &'b mut [u8], offset: u64) -> io::Result<&'b [u8]> {
    let n = read_fully(file, buf, offset)?;
    Ok(buf.get(..n).unwrap_or_default())
}

/// Fills the buffer at `offset` with at most `left` bytes.
fn read_limited(file: &File, buf: &mut [u8], offset: u64, left: u64) -> io::Result<usize> {
    let room = at_most(buf.len(), left);
    read_fully(file, buf.get_mut(..room).unwrap_or_default(), offset)
}

/// Open file as a text of fixed length.
#[derive(Debug)]
pub struct OpenText<'f> {
    file: &'f File,
    len: u64,
}

impl<'f> OpenText<'f> {
    /// First `len` bytes of a file.
    pub fn new(file: &'f File, len: u64) -> OpenText<'f> {
        OpenText { file, len }
    }
}

impl Text for OpenText<'_> {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        read_limited(self.file, buf, offset, self.len.saturating_sub(offset))
    }
}

/// Identity of a file: device and inode.
pub type FileId = (u64, u64);

/// Location of the text of a file.
#[derive(Clone, Debug)]
enum Location {
    /// Any file with this path.
    Named(Arc<Path>),
    /// Followed file with its current path.
    Followed(Arc<Path>, FileId),
    /// Open file, whatever its path; it may have none any more.
    Open(Arc<File>),
    /// Lost, with the reason.
    Lost(&'static str),
}

/// Text of a plain file, or of a range of one (a member of an uncompressed archive).
#[derive(Debug)]
pub struct FileText {
    place: RwLock<Location>,
    pool: Arc<FilePool>,
    start: u64,
    len: AtomicU64,
}

impl FileText {
    /// Range of `len` bytes at `start` of a file.
    pub fn new(path: PathBuf, pool: Arc<FilePool>, start: u64, len: u64) -> FileText {
        FileText {
            place: RwLock::new(Location::Named(path.into())),
            pool,
            start,
            len: AtomicU64::new(len),
        }
    }

    /// Sets the length of the file.
    pub fn set_len(&self, len: u64) {
        self.len.store(len, Ordering::Relaxed);
    }

    /// Sets the path and identity of the file; another file at that path is not read.
    pub fn set_location(&self, path: &Path, id: FileId) {
        self.set(Location::Followed(path.into(), id));
    }

    /// Sets the open file that is read, also after it was renamed or deleted.
    pub fn set_open(&self, file: Arc<File>) {
        self.set(Location::Open(file));
    }

    /// Marks the text as lost, with the reason, whatever file is at the path now.
    pub fn mark_lost(&self, why: &'static str) {
        self.set(Location::Lost(why));
    }

    fn set(&self, place: Location) {
        *lock::write(&self.place) = place;
    }

    fn place(&self) -> Location {
        lock::read(&self.place).clone()
    }

    /// Opens the file and checks its identity.
    fn file(&self) -> io::Result<Arc<File>> {
        let (path, id) = match self.place() {
            Location::Named(path) => return self.pool.get(&path),
            Location::Followed(path, id) => (path, id),
            Location::Open(file) => return Ok(file),
            Location::Lost(why) => return Err(io::Error::other(why)),
        };
        let file = self.pool.get(&path)?;
        if file_id(&file)? == id {
            return Ok(file);
        }
        // The pool may hold the file that was at this path before.
        self.pool.forget(&path);
        let file = self.pool.get(&path)?;
        match file_id(&file)? == id {
            true => Ok(file),
            false => Err(io::Error::other("another file has replaced it")),
        }
    }
}

/// Identity of an open file.
///
/// # Errors
/// Error of the operating system.
pub fn file_id(file: &File) -> io::Result<FileId> {
    let meta = file.metadata()?;
    Ok((meta.dev(), meta.ino()))
}

impl Text for FileText {
    fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let left = self.len().saturating_sub(offset);
        read_limited(&*self.file()?, buf, self.start.saturating_add(offset), left)
    }
}
