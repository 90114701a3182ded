//! Plain files: read at any place, with few of them open at a time.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use widetui_core::lock;

use super::text::Text;

/// Files that a pool keeps open, so that a run of many thousand logs loads under a low limit on open files.
const OPEN: usize = 32;

/// Keeps the files open that were read last.
#[derive(Debug, Default)]
pub struct FilePool {
    open: Mutex<VecDeque<OpenFile>>,
}

/// A path and the file that was opened there.
type OpenFile = (Arc<Path>, Arc<File>);

impl FilePool {
    /// Files are opened and closed while nobody has to wait for the list: over a network either takes milliseconds.
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
        // Somebody else may have opened it meanwhile: either will do.
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

/// Opens a file for reading without ever waiting: what was a file may by now be a named pipe without a writer.
///
/// # Errors
/// What the operating system reports; also when it is no regular file any more.
pub fn open_regular(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let nonblock = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(nonblock)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("is no regular file any more"));
    }
    Ok(file)
}

/// Reads at `offset` until `buf` is full or the file ends.
///
/// # Errors
/// What the operating system reports.
pub fn read_fully(file: &File, mut buf: &mut [u8], mut offset: u64) -> io::Result<usize> {
    let mut done = 0;
    while !buf.is_empty() {
        match file.read_at(buf, offset) {
            Ok(0) => break,
            Ok(n) => {
                buf = &mut buf[n..];
                offset += n as u64;
                done += n;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// A file that is open, as a text of so many bytes.
#[derive(Debug)]
pub struct OpenText<'f> {
    file: &'f File,
    len: u64,
}

impl<'f> OpenText<'f> {
    /// The first `len` bytes of a file.
    pub fn new(file: &'f File, len: u64) -> OpenText<'f> {
        OpenText { file, len }
    }
}

impl Text for OpenText<'_> {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let room = self.len.saturating_sub(offset).min(buf.len() as u64) as usize;
        read_fully(self.file, &mut buf[..room], offset)
    }
}

/// Which file a path names: device and inode.
pub type FileId = (u64, u64);

/// Where the text of a file is.
#[derive(Clone, Debug)]
enum Place {
    /// In whatever file has this name.
    Named(Arc<Path>),
    /// In this file, which has been followed and has this name now.
    Followed(Arc<Path>, FileId),
    /// Nowhere any more, and why.
    Lost(&'static str),
}

/// The text of a plain file, or of a stretch of one (a member of an uncompressed archive).
#[derive(Debug)]
pub struct FileText {
    place: RwLock<Place>,
    pool: Arc<FilePool>,
    start: u64,
    len: AtomicU64,
}

impl FileText {
    /// The stretch of `len` bytes at `start` of a file.
    pub fn new(path: PathBuf, pool: Arc<FilePool>, start: u64, len: u64) -> FileText {
        FileText {
            place: RwLock::new(Place::Named(path.into())),
            pool,
            start,
            len: AtomicU64::new(len),
        }
    }

    /// The file has so many bytes now.
    pub fn grown(&self, len: u64) {
        self.len.store(len, Ordering::Relaxed);
    }

    /// From now on it is the file `id` at `path`, and nothing is read from another one that stands there.
    pub fn moved(&self, path: &Path, id: FileId) {
        self.set(Place::Followed(path.into(), id));
    }

    /// The bytes that were read are gone, whatever stands at the path now; why.
    pub fn lost(&self, why: &'static str) {
        self.set(Place::Lost(why));
    }

    fn set(&self, place: Place) {
        *lock::write(&self.place) = place;
    }

    fn place(&self) -> Place {
        lock::read(&self.place).clone()
    }

    /// The file, as far as it is still the one that is meant.
    fn file(&self) -> io::Result<Arc<File>> {
        let (path, id) = match self.place() {
            Place::Named(path) => return self.pool.get(&path),
            Place::Followed(path, id) => (path, id),
            Place::Lost(why) => return Err(io::Error::other(why)),
        };
        let file = self.pool.get(&path)?;
        if file_id(&file)? == id {
            return Ok(file);
        }
        // The pool may still hold the file that stood there before.
        self.pool.forget(&path);
        let file = self.pool.get(&path)?;
        match file_id(&file)? == id {
            true => Ok(file),
            false => Err(io::Error::other("another file stands in its place")),
        }
    }
}

/// Which file this is.
///
/// # Errors
/// What the operating system reports.
pub fn file_id(file: &File) -> io::Result<FileId> {
    let meta = file.metadata()?;
    Ok((meta.dev(), meta.ino()))
}

impl Text for FileText {
    fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let room = self.len().saturating_sub(offset).min(buf.len() as u64) as usize;
        let file = self.file()?;
        read_fully(&file, &mut buf[..room], self.start + offset)
    }
}
