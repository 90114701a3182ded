//! Tests: clock shifts while following.

use std::time::Duration;

use crate::shifts::has;
use crate::source_entries::enter;
use widetui_core::ids::SourceId;
use widetui_time::time::NS_PER_SECOND;

use super::{Live, all};

fn line(seconds: u32, text: &str) -> Vec<u8> {
    format!("2026-01-01 00:00:{seconds:02} INFO {text}\n").into_bytes()
}

fn live() -> (Live, SourceId) {
    let mut live = Live::open(tempfile::tempdir().unwrap());
    for n in 0..5 {
        live.append("a.log", &line(2 * n, &format!("a {n}")));
        live.append("b.log", &line(2 * n + 1, &format!("b {n}")));
    }
    live.settle();
    let mut sources = live.snapshot.sources.iter();
    let b = sources.find(|s| s.path.ends_with("b.log")).unwrap().id;
    (live, b)
}

#[test]
fn what_comes_after_a_shift_extends_what_was_shifted() {
    let (mut live, b) = live();
    let before = all(&live.snapshot);
    let shifts = [(b, -20 * NS_PER_SECOND)];
    live.follower.shift(&shifts);
    let shifted = live.follower.poll_piped(live.now).unwrap();
    assert!(has(&shifted, &shifts) && !shifted.extends(&live.snapshot));
    live.snapshot = shifted;
    let messages = live.messages();
    assert!(
        messages[..5].iter().all(|m| m.starts_with('b')),
        "{messages:?}"
    );
    // The same shift again changes nothing.
    live.follower.shift(&shifts);
    assert!(live.follower.poll_piped(live.now).is_none());
    let older = live.snapshot.clone();
    live.append("a.log", &line(30, "a late"));
    live.append("b.log", &line(31, "b late"));
    live.settle();
    assert!(live.snapshot.extends(&older) && has(&live.snapshot, &shifts));
    let late = live.messages();
    assert_eq!(late[10..], ["b late", "a late"]);
    // Without a shift the times are as read.
    live.follower.shift(&[(b, 0)]);
    let own = live.follower.poll_piped(live.now).unwrap();
    assert_eq!(all(&own)[..10], before);
}

#[test]
fn a_source_that_is_read_otherwise_stays_shifted() {
    let (mut live, b) = live();
    let shifts = [(b, NS_PER_SECOND)];
    live.follower.shift(&shifts);
    let shared = &live.follower.shared;
    let log = shared
        .update(|h| h.drafts[&b.0].reader.log.clone())
        .unwrap();
    enter(shared, b, &log, None);
    live.append("b.log", &line(40, "b late"));
    live.poll(Duration::from_secs(3));
    assert!(has(&live.snapshot, &shifts));
}
