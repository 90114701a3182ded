//! Threads: where the system gives none, that is said with what to do about it, and nothing falls over.
//!
//! Machines that many share limit how many threads a user has at a time, over all programs.

use std::io;
use std::thread::{Builder, JoinHandle};

use super::processors;

/// The system gave no thread. What it says of that is part of the words, so it is no source beside them.
#[derive(Debug, thiserror::Error)]
#[error("cannot start a thread: {0}; raise `ulimit -u`, or end other programs of yours")]
pub struct NoThread(io::Error);

impl From<io::Error> for NoThread {
    fn from(error: io::Error) -> NoThread {
        NoThread(error)
    }
}

/// Does something on a thread of this name.
///
/// # Errors
/// The system gives no thread; then nothing is done.
pub fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, NoThread> {
    let work = || {
        processors::roam();
        work();
    };
    Ok(Builder::new().name(name.to_owned()).spawn(work)?)
}

/// Bytes of a room.
const ROOM: usize = 1 << 20;

/// Lets this thread's heap be as large at once as it will be soon: the allocator of glibc asks the system for each page anew
/// as a thread's heap grows, and meanwhile no other thread gets one. What was large once stays asked for.
pub fn make_room(rooms: usize) {
    let room = || std::hint::black_box(Vec::<u8>::with_capacity(ROOM));
    // The first one is given back to the system, and tells the allocator that such sizes are usual here.
    drop(room());
    let all: Vec<Vec<u8>> = std::iter::repeat_with(room).take(rooms).collect();
    drop(all);
}

/// Pieces from which on something is let go beside those who would wait for that.
const MANY: usize = 1 << 12;

/// Lets go of something that has so many pieces: to free each of very many takes longer than a frame may.
pub fn let_go<T: Send + 'static>(what: T, pieces: impl Fn(&T) -> usize) {
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
