//! Observed state of a program in a pseudo-terminal. One thread reads the output, another one waits
//! for the end of the program; tests wait on a condition variable for changes.

use std::io::{ErrorKind, Read};
use std::num::NonZeroU16;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use portable_pty::Child;

use super::modes::Modes;

/// Exit of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Exit code of a normal exit.
    Code(u32),
    /// Name of the signal that ended the program, as the library names it (`Killed`, `Terminated`).
    Signal(String),
}

/// State shared by the reading thread, the waiting thread and the test.
pub struct Watched {
    seen: Mutex<Seen>,
    changed: Condvar,
}

/// State of a terminal and its program.
pub struct Seen {
    /// Emulated terminal.
    pub parser: vt100::Parser,
    /// Modes set by the output.
    pub modes: Modes,
    /// All output.
    pub raw: Vec<u8>,
    /// Whether no process has the terminal open, so that no more output can arrive.
    pub ended: bool,
    /// Exit of the program.
    pub exit: Option<Exit>,
}

impl Watched {
    /// Starts to observe a terminal of this size. The returned thread ends with the program.
    pub fn start(
        rows: NonZeroU16,
        cols: NonZeroU16,
        reader: Box<dyn Read + Send>,
        mut child: Box<dyn Child + Send + Sync>,
    ) -> (Arc<Self>, JoinHandle<()>) {
        let watched = Arc::new(Self {
            seen: Mutex::new(Seen {
                parser: vt100::Parser::new(rows, cols, 0),
                modes: Modes::default(),
                raw: Vec::new(),
                ended: false,
                exit: None,
            }),
            changed: Condvar::new(),
        });
        let reading = Arc::clone(&watched);
        std::thread::spawn(move || reading.read_all(reader));
        let waiting = Arc::clone(&watched);
        let waiter = std::thread::spawn(move || {
            let exit = match child.wait() {
                Ok(status) => match status.signal() {
                    Some(name) => Exit::Signal(name.to_owned()),
                    None => Exit::Code(status.exit_code()),
                },
                Err(error) => Exit::Signal(format!("lost: {error}")),
            };
            waiting.lock().exit = Some(exit);
            waiting.changed.notify_all();
        });
        (watched, waiter)
    }

    /// Current state, which stays readable after a panic of another thread.
    pub fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_all(&self, mut reader: Box<dyn Read + Send>) {
        let mut buffer = [0; 8192];
        loop {
            let count = match reader.read(&mut buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                result => result.unwrap_or(0),
            };
            let mut seen = self.lock();
            seen.parser.process(&buffer[..count]);
            seen.modes.feed(&buffer[..count]);
            seen.raw.extend(&buffer[..count]);
            seen.ended = count == 0;
            drop(seen);
            self.changed.notify_all();
            if count == 0 {
                return;
            }
        }
    }

    /// Waits until `check` returns a value or the limit has passed. `check` also decides when
    /// waiting is futile.
    pub fn wait<T>(&self, limit: Duration, mut check: impl FnMut(&Seen) -> Option<T>) -> Option<T> {
        let end = Instant::now() + limit;
        let mut seen = self.lock();
        loop {
            if let Some(found) = check(&seen) {
                return Some(found);
            }
            let left = end.checked_duration_since(Instant::now())?;
            (seen, _) = self
                .changed
                .wait_timeout(seen, left)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}
