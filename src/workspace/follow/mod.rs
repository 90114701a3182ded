//! Live runs: reads on where files grow, and hands over snapshots that extend each other.
//!
//! One thread asks the files for their sizes every half second. Files that grew lately are asked each time, the others
//! in turn; the more there is to ask, and the longer nothing came, the rarer. A poll never takes more than a small share
//! of the time. No file stays open between two polls, and none is ever written to.
//!
//! What is read is whole lines, from where reading ended before. A last line without its end is shown, but as *unfinished*:
//! each snapshot is made of all settled records plus such lines, and the next one is made without them. So the records are
//! those of a run that is opened when it is done, wherever the writers paused.
//!
//! A file that is cut, replaced or deleted keeps what was read of it, with a word under its problems; what stands in
//! its place is a source of its own. A file that is renamed (a log that rotates) is followed under its new name.

mod changes;
mod follower;
mod rescan;
#[cfg(test)]
mod tests;
mod watched;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::base::cancel::Cancel;

use super::load::{LoadMsg, Tell};

pub(super) use follower::Follower;

/// Time between two polls.
const TICK: Duration = Duration::from_millis(450);
/// Longest time between two polls of a run in which nothing happens.
const SLOW: Duration = Duration::from_millis(1500);
/// A run in which nothing happened for so long is asked more and more rarely.
const IDLE: Duration = Duration::from_secs(60);
/// Polling takes at most one part in so many of a core's time.
const SHARE: u32 = 8;
/// Time between two looks at the switch.
const NAP: Duration = Duration::from_millis(50);

/// Whether growing files are followed; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Switch(Arc<AtomicBool>);

impl Switch {
    /// On or off.
    pub fn new(on: bool) -> Switch {
        Switch(Arc::new(AtomicBool::new(on)))
    }

    /// Turns it on or off.
    pub fn set(&self, on: bool) {
        self.0.store(on, Ordering::Relaxed);
    }

    /// Whether it is on.
    pub fn is_on(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Follows until cancelled, or until nobody listens.
pub(super) fn run(mut follower: Follower, switch: &Switch, cancel: &Cancel, tell: Tell<'_>) {
    let Ok(pool) = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .thread_name(|_| "follow".to_owned())
        .build()
    else {
        return;
    };
    let mut last_news = Instant::now();
    while !cancel.is_cancelled() {
        if !switch.is_on() {
            std::thread::sleep(NAP);
            last_news = Instant::now();
            continue;
        }
        let started = Instant::now();
        let snapshot = pool.install(|| follower.poll(started));
        let took = started.elapsed();
        if let Some(snapshot) = snapshot {
            last_news = Instant::now();
            if !tell(LoadMsg::Snapshot(snapshot)) {
                return;
            }
        }
        let idle = last_news.elapsed().saturating_sub(IDLE);
        let pause = (TICK + idle / 60).min(SLOW).max(took * SHARE);
        let next = started + pause.max(took);
        while Instant::now() < next && !cancel.is_cancelled() && switch.is_on() {
            std::thread::sleep(NAP.min(next.saturating_duration_since(Instant::now())));
        }
    }
}
