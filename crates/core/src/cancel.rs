//! Cancellation and progress of long operations.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Cancellation flag that long loops poll; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Requests cancellation of all work that holds a clone of this flag.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether cancellation was requested.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Error of an operation that ended early because its [`Cancel`] flag was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

/// Progress counters (done and total) shared by clones. The unit is up to the user: bytes, files or rows.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// Adds `amount` to the total.
    pub fn expect(&self, amount: u64) {
        self.0.total.fetch_add(amount, Ordering::Relaxed);
    }

    /// Adds `amount` to the finished part.
    pub fn advance(&self, amount: u64) {
        self.0.done.fetch_add(amount, Ordering::Relaxed);
    }

    /// Returns the finished amount and the total so far.
    pub fn state(&self) -> (u64, u64) {
        (
            self.0.done.load(Ordering::Relaxed),
            self.0.total.load(Ordering::Relaxed),
        )
    }
}
