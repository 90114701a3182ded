//! Thread creation with an error that explains the remedy, and deallocation off the calling thread.
//!
//! Shared machines limit the number of threads per user over all programs.

use std::io;
use std::thread::{Builder, JoinHandle};

use super::processors;

/// Error: the system refused to create a thread. The message contains the system's error, hence no separate source.
#[derive(Debug, thiserror::Error)]
#[error("cannot start a thread: {0}; raise `ulimit -u`, or end other programs of yours")]
pub struct NoThread(io::Error);

impl From<io::Error> for NoThread {
    fn from(error: io::Error) -> NoThread {
        NoThread(error)
    }
}

/// Runs `work` on a new thread with this name.
///
/// # Errors
/// The system refuses to create a thread; `work` does not run.
pub fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, NoThread> {
    let work = || {
        processors::unpin();
        work();
    };
    Ok(Builder::new().name(name.to_owned()).spawn(work)?)
}

/// Size of one preallocated block in bytes.
const ROOM: usize = 1 << 20;

/// Grows this thread's heap by `rooms` blocks of 1 MiB ahead of use: glibc's allocator extends a heap in small steps,
/// and each step holds a kernel lock that blocks the other threads. glibc keeps memory freed here for the thread. Where
/// there is not that much memory, nothing is reserved.
pub fn preallocate_heap(rooms: usize) {
    let room = || {
        let mut bytes = Vec::<u8>::new();
        let _ = bytes.try_reserve_exact(ROOM);
        std::hint::black_box(bytes)
    };
    // Freeing the first block raises glibc's dynamic mmap threshold, so that the blocks below come from the heap.
    drop(room());
    let all: Vec<Vec<u8>> = std::iter::repeat_with(room).take(rooms).collect();
    drop(all);
}

/// Gives memory that was freed back to the system: after a load, glibc's allocator keeps a third of what the process holds,
/// between pieces that are in use. From then on, blocks of 256 KiB and more are given back when they are freed (glibc
/// otherwise raises that limit to the size of the blocks freed so far, up to 32 MiB). Takes milliseconds. Does nothing where
/// the allocator is another one.
pub fn trim_heap() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    glibc::trim();
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "no crate declares the function as safe")]
mod glibc {
    use std::sync::Once;

    // SAFETY: `int malloc_trim(size_t)` and `int mallopt(int, int)` (glibc 2.17, malloc.h) take no pointer. The former locks
    // each arena while it works on it, and gives back whole pages that are not in use only; the latter sets a number that
    // later allocations read.
    unsafe extern "C" {
        safe fn malloc_trim(pad: usize) -> i32;
        safe fn mallopt(parameter: i32, value: i32) -> i32;
    }

    /// Size from which a block is mapped by itself, bytes.
    const M_MMAP_THRESHOLD: i32 = -3;

    pub(super) fn trim() {
        static FIRST: Once = Once::new();
        FIRST.call_once(|| {
            mallopt(M_MMAP_THRESHOLD, 256 << 10);
        });
        malloc_trim(0);
    }
}

/// Number of pieces from which a value is dropped on another thread.
const MANY: usize = 1 << 12;

/// Drops a value, on a pool thread if it has many pieces: freeing very many allocations takes longer than a frame.
pub fn drop_in_background<T: Send + 'static>(what: T, pieces: impl Fn(&T) -> usize) {
    if pieces(&what) > MANY {
        rayon::spawn(move || drop(what));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_do_is_said() {
        let error = NoThread::from(io::Error::from(io::ErrorKind::WouldBlock));
        assert!(std::error::Error::source(&error).is_none());
        let error = error.to_string();
        assert!(error.starts_with("cannot start a thread: "), "{error}");
        assert!(error.contains("`ulimit -u`"), "{error}");
    }
}
