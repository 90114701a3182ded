//! Live runs: reads growing files and publishes snapshots that extend each other.
//!
//! One thread polls file sizes every half second. Files that grew recently are checked at each poll, others in turn;
//! the more files and the longer the silence, the longer the interval. Polling takes a small share of a core's time. No
//! file is ever written to. The files that grew last stay open, so that they are read to their end, and remain readable,
//! after they were deleted; a rotation of one of them causes a poll at once.
//!
//! Reading proceeds by whole lines from the previous position. A last line without a line feed is shown as
//! *unfinished*: each snapshot consists of all settled records plus unfinished ones, and the next snapshot is built
//! without the latter. The same applies to a last record with values in continuation lines (`Compute Failed` followed
//! by `Key: …`): it is settled when the next record begins or the continuation exceeds the lookahead. All other records
//! are settled with their first line; continuation lines such as a traceback only extend their text. Hence the records
//! equal those of a run opened after the fact, wherever the writers paused.
//!
//! A file that is truncated, replaced or deleted keeps the records that were read, and its source gets a problem; the
//! new content becomes another source. A renamed file (log rotation) is followed under its new name, and a truncated one
//! in the copy that was made of it before; as filters may refer to names of sources, results computed for earlier
//! snapshots are dropped.
//!
//! Inputs whose lines are not their records (tables, documents, archives, databases) are read again by the steps of a load
//! when they changed. A source within them goes on after its known records if its text begins with the known one, and else
//! is read from its start.

use std::time::{Duration, Instant};

use widetui_core::cancel::Cancel;

use crate::follow_switch::FollowSwitch;
use crate::follower::Follower;
use crate::options::{LoadMsg, MsgSink};

/// Interval between polls.
const TICK: Duration = Duration::from_millis(450);
/// Maximum interval between polls of an idle run.
const SLOW: Duration = Duration::from_millis(1500);
/// Time without changes after which the interval grows.
const IDLE: Duration = Duration::from_secs(60);
/// Inverse of the maximum share of a core's time for polling.
const SHARE: u32 = 8;
/// As `SHARE`, while data arrives faster than one poll reads, so that the backlog does not grow.
const SHARE_BEHIND: u32 = 2;
/// Interval between checks of the switch.
const NAP: Duration = Duration::from_millis(50);

/// Follows until cancelled, or until the receiver of snapshots is gone.
pub(super) fn run(
    mut follower: Follower,
    switch: &FollowSwitch,
    cancel: &Cancel,
    send_msg: MsgSink<'_>,
) {
    // Without a thread of its own, polling uses the global pool.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .thread_name(|_| "follow".to_owned())
        .build()
        .ok();
    let mut last_news = Instant::now();
    while !cancel.is_cancelled() && !follower.is_done() {
        let started = Instant::now();
        // Standard input is read even while following is off, as it cannot be read later.
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
            if !send_msg(LoadMsg::Snapshot(snapshot)) {
                return;
            }
        }
        let idle = last_news.elapsed().saturating_sub(IDLE);
        let pause = match follower.is_behind() {
            true => took * SHARE_BEHIND,
            false => (TICK + idle / 60).min(SLOW).max(took * SHARE),
        };
        let next = started + pause.max(took);
        let mut guard = Duration::ZERO;
        while Instant::now() < next && !cancel.is_cancelled() && switch.state() == wanted {
            std::thread::sleep(NAP.min(next.saturating_duration_since(Instant::now())));
            // On a network file system, looking at the paths may take as long as a poll.
            if wanted.is_on && guard * SHARE <= NAP {
                let begun = Instant::now();
                if follower.has_rotated(begun) {
                    break;
                }
                guard = begun.elapsed();
            }
        }
    }
}
