//! Tests: following in any steps gives the snapshot of a load at once.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod any_steps;
mod containers;
mod copies;
mod databases;
mod derived_files;
mod finish;
mod growing_files;
mod piped;
mod real;
mod rotation;
mod run_names;
mod shifts;
mod shown;
mod starts;
mod steps_back;
mod summertime;
mod zones;

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions as Open};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::files;
use crate::finish::Finish;
use crate::load::{self};
use crate::load_context::LoadContext;
use crate::options::OpenOptions;
use crate::provenance::duplicates::mark_duplicates;
use widetui_core::cancel::{Cancel, Progress};
use widetui_core::ids::EventId;
use widetui_report::event::full_event;
use widetui_source::discover::discover;
use widetui_store::texts::TextReader;
use widetui_store::{EventRef, Snapshot};
use widetui_time::zone::Zone;

use super::Follower;
use super::Pace;

/// Followed folder with simulated time.
pub(super) struct Live {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) follower: Follower,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) now: Instant,
}

pub(super) fn options(dir: &Path) -> OpenOptions {
    OpenOptions {
        paths: vec![dir.to_owned()],
        threads: Some(1),
        // chrono caches the local zone at its first use, so it must be set before.
        zone: Some(Zone::Utc),
        ..OpenOptions::default()
    }
}

impl Live {
    /// Opens a folder like the explorer.
    pub(crate) fn open(dir: tempfile::TempDir) -> Live {
        let options = options(dir.path());
        Live::open_with(dir, &options)
    }

    /// Opens a folder with the given options.
    pub(crate) fn open_with(dir: tempfile::TempDir, options: &OpenOptions) -> Live {
        let cancel = Cancel::default();
        let mut shared = LoadContext::new(options, &cancel, &Progress::default()).unwrap();
        shared.follows = true;
        let (found, _) = discover(&options.paths, &cancel);
        let extra = files::Extra::default();
        shared.update(|h| files::enter_sources(h, &shared, &found, extra));
        files::read_all(&shared, &found, extra);
        let snapshot = mark_duplicates(shared.snapshot(true).unwrap(), &cancel);
        let mut finish = Finish::default();
        let read = snapshot.sources.to_vec();
        let snapshot = finish.finish(snapshot, read, &shared).unwrap();
        let mut follower = Follower::new(options, shared, &found, &snapshot, finish);
        // Removes time limits, so that results do not depend on the load of the machine.
        follower.pace = Pace {
            quiet_checks: Duration::MAX,
            new_files: Duration::MAX,
            share: 0,
        };
        let snapshot = follower.snapshot();
        Live {
            dir,
            follower,
            snapshot,
            now: Instant::now(),
        }
    }

    /// Polls after the given time.
    pub(crate) fn poll(&mut self, after: Duration) {
        self.now += after;
        if let Some(next) = self.follower.poll(self.now) {
            check_step(&self.snapshot, &next);
            self.snapshot = next;
        }
    }

    /// Polls until no change is expected any more.
    pub(crate) fn settle(&mut self) {
        for _ in 0..4 {
            self.poll(Duration::from_secs(11));
        }
    }

    pub(crate) fn append(&self, name: &str, bytes: &[u8]) {
        let path = self.dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = Open::new().create(true).append(true).open(path).unwrap();
        file.write_all(bytes).unwrap();
    }

    pub(crate) fn messages(&self) -> Vec<String> {
        let mut texts = TextReader::default();
        let ids = self.snapshot.order.iter();
        ids.map(|id| full_event(&self.snapshot.event(EventId(*id)).unwrap(), &mut texts).message)
            .collect()
    }

    pub(crate) fn problems(&self) -> String {
        let problems = self.snapshot.sources.iter().flat_map(|s| &s.problems);
        let lines: Vec<String> = problems.map(|p| p.to_string()).collect();
        lines.join("\n")
    }
}

/// Properties of an event that do not depend on ids.
pub(super) fn told(event: &EventRef<'_>) -> (i64, String, u64, String) {
    let mut keys: Vec<String> = event
        .stored()
        .into_iter()
        .map(|(key, value, _)| format!("{}={value}", event.snapshot.catalog.keys.name(key)))
        .collect();
    keys.sort();
    let (offset, len) = event.span();
    let rest = format!("{len} {:?} {:?} {keys:?}", event.time(), event.level());
    (
        event.order_time(),
        event.source().path.clone(),
        offset,
        rest,
    )
}

/// Template of each event by path and offset. Templates are merged by those of all lines that a run ever read, also of lines
/// that were cut or read in another layout before: a followed run has more of them than a load of what is left.
fn templates(snapshot: &Snapshot) -> BTreeMap<(String, u64), String> {
    let events = (0..snapshot.len()).map(|place| snapshot.at(place).unwrap());
    let line = |event: EventRef<'_>| {
        let template = event.template().map(|t| t.text.to_string());
        let at = (event.source().path.clone(), event.span().0);
        (at, template.unwrap_or_default())
    };
    events.map(line).collect()
}

pub(super) fn all(snapshot: &Snapshot) -> Vec<(i64, String, u64, String)> {
    all_of(snapshot, |_| true)
}

/// Events of the given sources.
pub(super) fn all_of(
    snapshot: &Snapshot,
    is_one: impl Fn(&widetui_store::Source) -> bool,
) -> Vec<(i64, String, u64, String)> {
    let mut all: Vec<_> = (0..snapshot.len())
        .map(|place| snapshot.at(place).unwrap())
        .filter(|event| is_one(event.source()))
        .map(|event| told(&event))
        .collect();
    // Numbers of sources differ when they are found one by one.
    all.sort();
    all
}

/// Checks invariants of each snapshot and between successive snapshots.
pub(super) fn check_step(older: &Snapshot, newer: &Snapshot) {
    let key = |e: &EventRef<'_>| (e.order_time(), e.source().id.0, e.span().0);
    let keys: Vec<_> = (0..newer.len())
        .map(|p| key(&newer.at(p).unwrap()))
        .collect();
    assert!(keys.is_sorted(), "{keys:?}");
    let mut ids = newer.order.to_vec();
    ids.sort_unstable();
    assert!(
        ids.into_iter().eq(0..newer.len() as u32),
        "every event once"
    );
    for id in newer.last_events.iter().filter(|id| **id != u32::MAX) {
        assert!(newer.event(EventId(*id)).is_some());
    }
    let Some(growth) = newer.diff_since(older) else {
        assert_ne!(
            (newer.lineage, newer.catalog.renamed),
            (older.lineage, older.catalog.renamed)
        );
        return;
    };
    assert_eq!(growth.events, older.settled..newer.len() as u32);
    for id in 0..older.settled {
        let (a, b) = (
            older.event(EventId(id)).unwrap(),
            newer.event(EventId(id)).unwrap(),
        );
        assert_eq!(key(&a).1, key(&b).1);
        assert_eq!(a.time(), b.time());
        assert_eq!(a.template().map(|t| t.hash), b.template().map(|t| t.hash));
        let keys = |event: &EventRef<'_>| {
            let keys = event.stored().into_iter().map(|(key, ..)| key);
            keys.map(|key| event.snapshot.catalog.keys.name(key).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(keys(&a), keys(&b), "{}", a.source().path);
        assert_eq!(
            a.span() != b.span(),
            growth.lengthened.contains(&id),
            "{id}"
        );
    }
    let outside = |s: &Snapshot, changed: &std::ops::Range<usize>| {
        let order = s.order.to_vec();
        [&order[..changed.start], &order[changed.end..]].concat()
    };
    assert_eq!(
        outside(older, &growth.old_places),
        outside(newer, &growth.new_places)
    );
    for id in &growth.lengthened {
        let place = newer.place_of(EventId(*id)).unwrap();
        assert!(growth.new_places.contains(&place));
    }
}

pub(super) fn counts(snapshot: &Snapshot) -> BTreeMap<String, String> {
    // The layout of an empty file is irrelevant.
    let known = |s: &&Arc<widetui_store::Source>| s.stats.records() > 0;
    let sources = snapshot.sources.iter().filter(known);
    sources
        .map(|s| {
            (
                s.path.clone(),
                format!("{:?} {} {}", s.stats, s.bytes, s.layout),
            )
        })
        .collect()
}

/// Compares the followed run with a load of the same folder at once.
pub(super) fn check_end(live: &Live) {
    let cancel = Cancel::default();
    let loaded = load::load_all(&options(live.dir.path()), &cancel, Progress::default());
    let Ok((whole, _)) = loaded else { return };
    assert_eq!(all(&live.snapshot), all(&whole));
    assert_eq!(counts(&live.snapshot), counts(&whole));
    assert_eq!(templates(&live.snapshot), templates(&whole));
    // The choice of the original among duplicates may differ when records arrive one by one, and a record that becomes
    // a duplicate later may be detected only when the run is opened again; but every detected duplicate is one.
    for (copy, first) in live.snapshot.duplicates.iter() {
        let event = |id| live.snapshot.event(EventId(id)).unwrap();
        let (copy, first) = (event(copy), event(first));
        assert_ne!(copy.source().id, first.source().id);
        assert_eq!(copy.time(), first.time());
        assert_eq!(
            copy.template().map(|t| t.id),
            first.template().map(|t| t.id)
        );
    }
}

pub(super) const PARSL: &str = "1795225387.1 2026-11-20 19:43:07 MainProcess-3288 MainThread-1396765 parsl.dataflow.dflow:734 launch INFO: ";

/// Text of one record or text fragment at the given second.
pub(super) fn piece(kind: u8, second: u32, n: u32) -> String {
    let clock = format!("{:02}:{:02}", second / 60 % 60, second % 60);
    match kind {
        0 => format!(
            "{} Task {n} done\n",
            PARSL.trim_end().replacen(
                "1795225387.1",
                &format!("{}.{n:06}", 1_795_225_387 + second),
                1
            )
        ),
        1 => format!(
            "2026-11-20 19:{clock},{:03} worker INFO took task={n} of 7\n",
            n % 1000
        ),
        2 => format!(
            "2026-11-20 19:{clock} ERROR it failed with {n}\nTraceback (most recent call last):\n  File \"x.py\", line {n}\n\nValueError: {n}\n"
        ),
        3 => format!(
            "{{\"time\": \"2026-11-20T19:{clock}.{:06}Z\", \"level\": \"info\", \"msg\": \"got {n}\", \"task\": {n}}}\n",
            n
        ),
        4 => format!("hello {n}\n"),
        5 => "\n".to_owned(),
        6 => format!("  more of it, {n}\r\n"),
        _ => "{broken: \n".to_owned(),
    }
}

/// Typical line of a log of a run.
pub(super) fn line(second: u32, n: u32) -> String {
    piece(1, second, n)
}

pub(super) fn live(lines: &str) -> Live {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.log"), lines).unwrap();
    Live::open(dir)
}

pub(super) const SOON: Duration = Duration::from_millis(500);
