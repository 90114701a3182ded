//! Liveness of a run: by its newest records and by growth, never by the times at which its files were changed.

use std::sync::Arc;

use widetui_session::liveness::Liveness;
use widetui_store::Snapshot;
use widetui_testing::diagnosed::opened;
use widetui_time::time::{NS_PER_DAY, NS_PER_HOUR, NS_PER_SECOND};

/// 2026-11-21 10:00:00 UTC, ns.
const START: i64 = 1_795_255_200 * NS_PER_SECOND;

/// Run of files that are written now, each with a record at these seconds after [`START`].
fn run(files: &[&[i64]]) -> Arc<Snapshot> {
    let folder = tempfile::tempdir().unwrap();
    for (at, seconds) in files.iter().enumerate() {
        let lines = seconds.iter().map(|second| {
            let (day, second) = (21 + second / 86_400, second % 86_400);
            let (hours, minutes) = (10 + second / 3600, second / 60 % 60);
            let second = second % 60;
            format!(
                "2026-11-{day} {hours}:{minutes:02}:{second:02}.000+00:00 INFO step {second} done\n"
            )
        });
        let text: String = lines.collect();
        std::fs::write(folder.path().join(format!("{at}.log")), text).unwrap();
    }
    opened(folder.path()).0
}

#[test]
fn a_run_is_live_while_its_newest_record_is_recent_or_a_file_grows() {
    let run = run(&[&[0, 1, 2, 3], &[0, 5, 10]]);
    let (last, second) = (START + 10 * NS_PER_SECOND, NS_PER_SECOND);
    let judge = |clock, grew| Liveness::judge(&run, clock, grew);
    let live = |quiet, now| Liveness::Live {
        quiet,
        now: Some(now),
    };
    let soon = last + 3 * second;
    assert_eq!(judge(soon, None), live(3 * second, soon));
    // A copy of an old run has files that were just written.
    let later = last + 8 * NS_PER_DAY;
    assert_eq!(judge(later, None), Liveness::Ended(last));
    // Growth that was seen counts whatever the clock of the logs.
    let grown = judge(later, Some(later - 5 * second));
    assert_eq!(grown, live(5 * second, last + 5 * second));
    let silent = judge(later, Some(later - 120 * second));
    assert_eq!(silent, Liveness::Ended(last));
    assert_eq!((silent.now(), silent.is_live()), (None, false));
}

#[test]
fn clocks_ahead_are_not_taken_for_recent_records() {
    let ahead = run(&[&[0, 1, 2]]);
    let (last, second) = (START + 2 * NS_PER_SECOND, NS_PER_SECOND);
    let clock = last - 5 * NS_PER_HOUR;
    let judged = Liveness::judge(&ahead, clock, None);
    assert_eq!(judged, Liveness::Ahead(5 * NS_PER_HOUR));
    let grown = Liveness::judge(&ahead, clock, Some(clock - second));
    assert_eq!(grown.now(), Some(last + second));
    // Clocks of two machines differ by seconds.
    let judged = Liveness::judge(&ahead, last - 20 * second, None);
    assert_eq!(judged.now(), Some(last));
    // One source whose clock is days ahead does not hide the others.
    let mixed = run(&[&[0, 1, 2], &[3 * 86_400, 3 * 86_400 + 1]]);
    let clock = last + 4 * second;
    assert_eq!(Liveness::judge(&mixed, clock, None).now(), Some(clock));
}

#[test]
fn rare_records_and_records_without_times() {
    let rare = run(&[&[0, 120, 240, 360]]);
    let last = START + 360 * NS_PER_SECOND;
    let after = |seconds| Liveness::judge(&rare, last + seconds * NS_PER_SECOND, None);
    assert!(after(480).is_live() && !after(1200).is_live());
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("a.log"),
        "step one done\nstep two done\n",
    )
    .unwrap();
    let undated = opened(folder.path()).0;
    assert_eq!(Liveness::judge(&undated, START, None), Liveness::Undated);
    let grown = Liveness::judge(&undated, START, Some(START));
    assert_eq!((grown.is_live(), grown.now()), (true, None));
}
