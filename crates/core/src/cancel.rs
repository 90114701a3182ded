//! Stopping long work, and saying how far it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A flag that long loops look at; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks everyone who holds a clone to stop soon.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether to stop.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why there is no answer: whoever asked did not want to wait any longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

/// How much of a known amount is done; clones share the counters. The unit is the user's (bytes, files, rows).
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// Adds to what is to be done.
    pub fn expect(&self, amount: u64) {
        self.0.total.fetch_add(amount, Ordering::Relaxed);
    }

    /// Adds to what is done.
    pub fn advance(&self, amount: u64) {
        self.0.done.fetch_add(amount, Ordering::Relaxed);
    }

    /// Done and total so far.
    pub fn state(&self) -> (u64, u64) {
        (
            self.0.done.load(Ordering::Relaxed),
            self.0.total.load(Ordering::Relaxed),
        )
    }
}
