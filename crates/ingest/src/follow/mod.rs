//! Live runs: reads on where files grow, and hands over snapshots that extend each other.
//!
//! One thread asks the files for their sizes every half second. Files that grew lately are asked each time, the others
//! in turn; the more there is to ask, and the longer nothing came, the rarer. A poll never takes more than a small share
//! of the time. No file stays open between two polls, and none is ever written to.
//!
//! What is read is whole lines, from where reading ended before. A last line without its end is shown, but as *unfinished*:
//! each snapshot is made of all settled records plus such lines, and the next one is made without them. So is a last record
//! of which lines below may say more (`Compute Failed`, and below it `Key: ...`): its values are settled when the next
//! record begins, or when so much stands below it that nothing more is looked at. Any other record is settled with its first line; lines
//! that come later, those of a traceback say, only lengthen it. So the records are those of a run that is opened
//! when it is done, wherever the writers paused.
//!
//! A file that is cut, replaced or deleted keeps what was read of it, with a word under its problems; what stands in
//! its place is a source of its own. A file that is renamed (a log that rotates) is followed under its new name; as names
//! of sources can be asked for, nothing that was computed for the snapshots before is kept then.
//!
//! Tables, also those of databases, have no lines to go on from: all of their rows are made once more when something was
//! written, and what is behind the known ones is new. Where the known ones are others now, the source is read anew.

mod changes;
mod databases;
mod derived_files;
mod derived_rows;
mod derived_sources;
mod follower;
mod growing;
mod known_zones;
mod new_lines;
mod piped_input;
mod piped_reading;
mod publish;
mod reading;
mod rescan;
mod shifts;
#[cfg(test)]
mod tests;
mod watched;
mod zones;

use std::time::{Duration, Instant};

use widetui_core::cancel::Cancel;

use super::follow_switch::FollowSwitch;
use super::options::{LoadMsg, Tell};

pub(super) use follower::Follower;

/// Time between two polls.
const TICK: Duration = Duration::from_millis(450);
/// Longest time between two polls of a run in which nothing happens.
const SLOW: Duration = Duration::from_millis(1500);
/// A run in which nothing happened for so long is asked more and more rarely.
const IDLE: Duration = Duration::from_secs(60);
/// Polling takes at most one part in so many of a core's time.
const SHARE: u32 = 8;
/// When more comes than a poll reads, it takes more of it: who is behind shall not fall back further.
const SHARE_BEHIND: u32 = 2;
/// Time between two looks at the switch.
const NAP: Duration = Duration::from_millis(50);

/// Follows until cancelled, or until nobody listens.
pub(super) fn run(mut follower: Follower, switch: &FollowSwitch, cancel: &Cancel, tell: Tell<'_>) {
    // Where the system gives no thread for it, those that everything shares do.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .thread_name(|_| "follow".to_owned())
        .build()
        .ok();
    let mut last_news = Instant::now();
    while !cancel.is_cancelled() && !follower.is_done() {
        let started = Instant::now();
        // Standard input cannot be read later.
        let wanted = switch.state();
        let mut poll = || {
            follower.shift(&wanted.shifts);
            match wanted.is_on {
                true => follower.poll(started),
                false => follower.poll_piped(started),
            }
        };
        let snapshot = match &pool {
            Some(pool) => pool.install(poll),
            None => poll(),
        };
        let took = started.elapsed();
        if let Some(snapshot) = snapshot {
            last_news = Instant::now();
            if !tell(LoadMsg::Snapshot(snapshot)) {
                return;
            }
        }
        let idle = last_news.elapsed().saturating_sub(IDLE);
        let pause = match follower.is_behind() {
            true => took * SHARE_BEHIND,
            false => (TICK + idle / 60).min(SLOW).max(took * SHARE),
        };
        let next = started + pause.max(took);
        while Instant::now() < next && !cancel.is_cancelled() && switch.state() == wanted {
            std::thread::sleep(NAP.min(next.saturating_duration_since(Instant::now())));
        }
    }
}
