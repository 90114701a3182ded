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
