//! Following in any steps gives the run that is read at once.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod starts;

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions as Open};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use crate::base::cancel::{Cancel, Progress};
use crate::base::ids::EventId;
use crate::base::zone::Zone;
use crate::export::event::full_event;
use crate::query::{self, TimeContext};
use crate::source::discover::discover;
use crate::store::texts::Texts;
use crate::store::{EventRef, Snapshot};
use crate::workspace::ask;
use crate::workspace::context::{Context, Neighbourhood, around};
use crate::workspace::incremental::{Known, keep_up};
use crate::workspace::load::{self, OpenOptions};
use crate::workspace::selection::Step;
use crate::workspace::strip::{Strip, StripWish, strip};
use crate::workspace::units;

use super::Follower;

/// A followed folder; time passes as the test says.
pub(super) struct Live {
    pub dir: tempfile::TempDir,
    pub follower: Follower,
    pub snapshot: Arc<Snapshot>,
    pub now: Instant,
}

fn options(dir: &Path) -> OpenOptions {
    OpenOptions {
        paths: vec![dir.to_owned()],
        threads: Some(1),
        // What the local zone is, is found out from what there is when the first time is read, and then stays so.
        zone: Some(Zone::Utc),
        ..OpenOptions::default()
    }
}

impl Live {
    /// Opens a folder as the explorer does.
    pub fn open(dir: tempfile::TempDir) -> Live {
        let options = options(dir.path());
        let cancel = Cancel::default();
        let mut shared = load::open(&options, &cancel, &Progress::default()).unwrap();
        shared.follows = true;
        let (found, _) = discover(&options.paths, &cancel);
        let extra = units::Extra::default();
        shared.harvest(|h| units::announce(h, &shared, &found, extra));
        units::read_all(&shared, &found, extra);
        let snapshot = load::snapshot(&options, &shared, true).unwrap();
        let snapshot = crate::workspace::repeated::mark_copies(snapshot, &cancel);
        let mut follower = Follower::new(&options, shared, &found, &snapshot);
        let snapshot = follower.snapshot();
        Live {
            dir,
            follower,
            snapshot,
            now: Instant::now(),
        }
    }

    /// Polls after some time.
    pub fn poll(&mut self, after: Duration) {
        self.now += after;
        if let Some(next) = self.follower.poll(self.now) {
            check_step(&self.snapshot, &next);
            self.snapshot = next;
        }
    }

    /// Polls until nothing is to be expected any more.
    pub fn settle(&mut self) {
        for _ in 0..4 {
            self.poll(Duration::from_secs(11));
        }
    }

    pub fn append(&self, name: &str, bytes: &[u8]) {
        let path = self.dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = Open::new().create(true).append(true).open(path).unwrap();
        file.write_all(bytes).unwrap();
    }

    pub fn messages(&self) -> Vec<String> {
        let mut texts = Texts::default();
        let ids = self.snapshot.order.iter();
        ids.map(|id| full_event(&self.snapshot.event(EventId(*id)).unwrap(), &mut texts).message)
            .collect()
    }

    pub fn problems(&self) -> String {
        let problems = self.snapshot.sources.iter().flat_map(|s| &s.problems);
        let lines: Vec<String> = problems.map(|p| p.to_string()).collect();
        lines.join("\n")
    }
}

/// Everything about an event that does not depend on numbers.
fn told(event: &EventRef<'_>) -> (i64, String, u64, String) {
    let mut keys: Vec<String> = event
        .stored()
        .into_iter()
        .map(|(key, value, _)| format!("{}={value}", event.snapshot.catalog.keys.name(key)))
        .collect();
    keys.sort();
    let template = event.template().map(|t| t.text.to_string());
    let (offset, len) = event.span();
    let rest = format!(
        "{len} {:?} {:?} {template:?} {keys:?}",
        event.time(),
        event.level()
    );
    (
        event.order_time(),
        event.source().path.clone(),
        offset,
        rest,
    )
}

fn all(snapshot: &Snapshot) -> Vec<(i64, String, u64, String)> {
    let mut all: Vec<_> = (0..snapshot.len())
        .map(|place| told(&snapshot.at(place).unwrap()))
        .collect();
    // Sources have other numbers when they are found one by one.
    all.sort();
    all
}

/// What holds for every snapshot, and from one to the next.
fn check_step(older: &Snapshot, newer: &Snapshot) {
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
    let Some(growth) = newer.growth_since(older) else {
        assert_ne!(newer.lineage, older.lineage);
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
        assert_eq!(a.stored().len(), b.stored().len());
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

fn counts(snapshot: &Snapshot) -> BTreeMap<String, String> {
    // What an empty file is called does not matter.
    let known = |s: &&Arc<crate::store::Source>| s.stats.records() > 0;
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

/// Compares what was followed with the same folder read at once.
fn check_end(live: &Live) {
    let cancel = Cancel::default();
    let loaded = load::load_all(&options(live.dir.path()), &cancel, Progress::default());
    let Ok((whole, _)) = loaded else { return };
    assert_eq!(all(&live.snapshot), all(&whole));
    assert_eq!(counts(&live.snapshot), counts(&whole));
    // Which of several alike records stand for each other may come out otherwise while they come in one by one, and a
    // record that comes to be the same as another may be known as a copy only when the run is opened again; but what is
    // called a copy is one.
    for (copy, first) in live.snapshot.copies.iter() {
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

const PARSL: &str = "1795225387.1 2026-11-20 19:43:07 MainProcess-3288 MainThread-1396765 parsl.dataflow.dflow:734 launch INFO: ";

/// The text of one record or piece of text, at a second.
fn piece(kind: u8, second: u32, n: u32) -> String {
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

/// A file: what its records are like, and how they go on.
fn text() -> impl Strategy<Value = String> {
    let kinds = prop_oneof![
        4 => Just(vec![0u8, 0, 0, 4]),
        3 => Just(vec![1, 1, 1, 6, 5]),
        3 => Just(vec![2, 2, 2, 5, 6]),
        3 => Just(vec![3, 3, 3, 7]),
        2 => Just(vec![4, 4, 5, 6]),
        2 => Just(vec![4, 4, 1, 2]),
    ];
    let records = prop::collection::vec((0usize..5, 0u32..9, 0u32..40), 0..25);
    (kinds, records, any::<bool>()).prop_map(|(kinds, records, ends)| {
        let mut second = 0;
        let mut text = String::new();
        for (kind, step, n) in records {
            // Clocks go back at times.
            second = if step == 8 { second / 2 } else { second + step };
            text.push_str(&piece(kinds[kind % kinds.len()], second, n));
        }
        if !ends {
            text.pop();
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Any cuts of the bytes, over any files, new ones among them: at the end the run is that of a load at once.
    #[test]
    fn following_is_loading_at_once(
        texts in prop::collection::vec(text(), 1..5),
        steps in prop::collection::vec((any::<prop::sample::Index>(), 0usize..400, any::<bool>()), 0..40),
    ) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("first.log"), "2026-11-20 19:00:00 INFO begins\n").unwrap();
        let names = ["z.log", "sub/b.log", "a.log", "deep/er/c.log"];
        let mut live = Live::open(dir);
        let mut done = vec![0; texts.len()];
        for (which, bytes, poll) in steps {
            let at = which.index(texts.len());
            let text = texts[at].as_bytes();
            let to = (done[at] + bytes).min(text.len());
            live.append(names[at], &text[done[at]..to]);
            done[at] = to;
            if poll {
                live.poll(Duration::from_millis(2100));
            }
        }
        for (at, text) in texts.iter().enumerate() {
            live.append(names[at], &text.as_bytes()[done[at]..]);
        }
        live.settle();
        check_end(&live);
    }
}

#[test]
fn a_cut_line_is_completed_and_a_traceback_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let line = piece(2, 5, 1);
    fs::write(dir.path().join("a.log"), &line.as_bytes()[..30]).unwrap();
    let mut live = Live::open(dir);
    assert_eq!(live.snapshot.len(), 1, "shown though it has no end");
    assert_eq!(live.snapshot.settled, 0);
    live.append("a.log", &line.as_bytes()[30..60]);
    live.poll(Duration::from_millis(500));
    assert_eq!(live.snapshot.len(), 1);
    assert_eq!(live.snapshot.settled, 1);
    live.append("a.log", &line.as_bytes()[60..]);
    live.poll(Duration::from_millis(500));
    assert_eq!(live.messages().len(), 1);
    assert!(
        live.messages()[0].ends_with("ValueError: 1"),
        "{:?}",
        live.messages()
    );
    live.settle();
    check_end(&live);
}

/// A line of the kind that most files of a run have.
fn line(second: u32, n: u32) -> String {
    piece(1, second, n)
}

fn live(lines: &str) -> Live {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.log"), lines).unwrap();
    Live::open(dir)
}

const SOON: Duration = Duration::from_millis(500);

#[test]
fn a_file_that_is_cut_begins_anew_as_another_source() {
    let mut live = live(&(line(1, 1) + &line(2, 2)));
    let path = live.dir.path().join("a.log");
    fs::write(&path, line(3, 3)).unwrap();
    live.poll(SOON);
    live.poll(SOON);
    assert_eq!(live.snapshot.len(), 3, "what was read stays");
    assert!(
        live.problems().contains("was cut or written anew"),
        "{}",
        live.problems()
    );
    assert!(live.messages().contains(&"took task=3 of 7".to_owned()));
    // Cut and grown beyond what it was, between two polls: its bytes tell.
    fs::write(&path, (0..50).map(|n| line(4, n)).collect::<String>()).unwrap();
    live.poll(SOON);
    live.poll(SOON);
    assert_eq!(live.snapshot.len(), 53);
}

#[test]
fn a_file_that_rotates_is_followed_under_its_new_name() {
    let mut live = live(&line(1, 1));
    let path = live.dir.path().join("a.log");
    fs::rename(&path, live.dir.path().join("a.log.1")).unwrap();
    live.append("a.log.1", line(2, 2).as_bytes());
    live.append("a.log", line(3, 3).as_bytes());
    live.poll(SOON);
    live.poll(SOON);
    live.append("a.log.1", line(4, 4).as_bytes());
    live.poll(SOON);
    let tasks: Vec<String> = live.messages();
    assert_eq!(tasks, [1, 2, 3, 4].map(|n| format!("took task={n} of 7")));
    assert!(
        live.problems().contains("was renamed"),
        "{}",
        live.problems()
    );
    live.settle();
    check_end(&live);
}

#[test]
fn files_and_folders_that_vanish_are_missed_and_come_back() {
    let mut live = live(&line(1, 1));
    live.append("sub/b.log", line(2, 2).as_bytes());
    live.poll(Duration::from_secs(3));
    assert_eq!(live.snapshot.len(), 2);
    fs::remove_file(live.dir.path().join("a.log")).unwrap();
    fs::remove_dir_all(live.dir.path().join("sub")).unwrap();
    live.poll(SOON);
    live.poll(SOON);
    assert_eq!(live.snapshot.len(), 2, "what was read stays");
    assert_eq!(
        live.problems().matches("was deleted").count(),
        2,
        "{}",
        live.problems()
    );
    live.append("a.log", line(3, 3).as_bytes());
    live.poll(Duration::from_secs(3));
    live.poll(SOON);
    assert_eq!(live.snapshot.len(), 3);
}

#[test]
fn a_pipe_in_the_place_of_a_file_stops_nothing() {
    let mut live = live(&line(1, 1));
    live.append("b.log", line(1, 2).as_bytes());
    let path = live.dir.path().join("a.log");
    fs::remove_file(&path).unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    live.append("b.log", line(2, 2).as_bytes());
    live.poll(Duration::from_secs(3));
    live.poll(SOON);
    assert_eq!(live.snapshot.len(), 3);
    assert!(
        live.problems().contains("was replaced by a named pipe"),
        "{}",
        live.problems()
    );
}

#[test]
fn a_thousand_new_files_at_once() {
    let mut live = live(&line(1, 1));
    for n in 0..1000 {
        live.append(&format!("w/{n}/worker.log"), line(n % 60, n).as_bytes());
    }
    // As many turns as a busy machine needs.
    for _ in 0..200 {
        live.poll(Duration::from_secs(3));
        if live.snapshot.len() == 1001 {
            break;
        }
    }
    assert_eq!(live.snapshot.len(), 1001);
    assert!(
        live.snapshot.segments.len() < 30,
        "{}",
        live.snapshot.segments.len()
    );
    live.settle();
    check_end(&live);
}

#[test]
fn clocks_that_go_back_and_small_steps_leave_few_segments() {
    let mut live = live(&line(1800, 1));
    for n in 0..300u32 {
        // Every tenth is from long ago.
        let second = if n.is_multiple_of(10) { n } else { 1800 + n };
        live.append("a.log", line(second, n).as_bytes());
        live.append("b.log", line(second, n).as_bytes());
        live.poll(SOON);
    }
    live.poll(Duration::from_secs(3));
    assert!(
        live.snapshot.segments.len() < 12,
        "{}",
        live.snapshot.segments.len()
    );
    live.settle();
    check_end(&live);
}

#[test]
fn a_line_that_is_too_long_to_wait_for() {
    let mut live = live(&line(1, 1));
    live.append("a.log", b"2026-11-20 19:00:03,000 worker INFO ");
    for _ in 0..5 {
        live.append("a.log", &vec![b'x'; 600_000]);
        live.poll(SOON);
    }
    live.append("a.log", b" its end\n");
    live.append("a.log", line(5, 5).as_bytes());
    live.poll(SOON);
    assert_eq!(live.snapshot.len(), 3);
    live.settle();
    assert_eq!(live.messages()[2], "took task=5 of 7");
}

#[test]
fn other_files_are_no_logs_and_compressed_ones_are_told_of() {
    let mut live = live(&line(1, 1));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(line(2, 2).as_bytes()).unwrap();
    live.append("b.log.gz", &packed.finish().unwrap());
    live.append("c.bin", &[0u8; 5000]);
    live.poll(Duration::from_secs(3));
    live.append("c.bin", &[0u8; 5000]);
    live.poll(SOON);
    assert_eq!(live.snapshot.len(), 1);
    assert!(
        live.problems().contains("compressed files"),
        "{}",
        live.problems()
    );
}

/// What is shown of a followed run, carried along.
fn known(snapshot: &Arc<Snapshot>, steps: &[Step], context: Option<Context>, word: &str) -> Known {
    let cancel = Cancel::default();
    let (rows, counts) = ask::select(snapshot, steps, &cancel).unwrap();
    let rows = around(snapshot, rows, context, &cancel).unwrap();
    let wish = StripWish {
        rows: rows.clone(),
        bins: 20,
        ..StripWish::default()
    };
    Known {
        snapshot: snapshot.clone(),
        steps: steps.to_vec(),
        context,
        search: Some((
            word.to_owned(),
            ask::search(snapshot, &rows, word, None, &cancel, &mut |_| {}).unwrap(),
        )),
        strip: strip(snapshot, &wish, &cancel),
        rows,
        counts,
    }
}

fn shown(snapshot: &Snapshot, rows: &ask::Rows) -> Vec<u32> {
    (0..rows.len(snapshot))
        .map(|row| rows.get(snapshot, row).unwrap().0)
        .collect()
}

/// A line that several files have.
fn shared_line(n: u32) -> String {
    format!(
        "2026-11-20 19:00:{:02},{:03} worker INFO both say {n}\n",
        n % 60,
        n
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// What is shown is what a question about the whole run would give, step by step.
    #[test]
    fn what_is_shown_keeps_up(
        which in 0usize..6,
        steps in prop::collection::vec((0usize..3, 0u8..8, 0u32..60, 1usize..120), 1..30),
    ) {
        let exprs: &[&str] = match which {
            0 => &[],
            1 => &["level >= error"],
            2 => &["worker", "task = 3 or task = 4"],
            3 => &["\"valueerror\""],
            _ => &["not both", "source ~ a"],
        };
        let context = (which == 5).then_some(Context { of: Neighbourhood::All, lines: 1 });
        let mut live = live(&(line(1, 1) + &line(2, 2)));
        let time = TimeContext { base_date_ns: 0, zone: Zone::Utc };
        let step = |text: &&str| Step::new((*text).to_owned(), query::parse(text, None, &time).unwrap());
        let exprs: Vec<Step> = exprs.iter().map(step).collect();
        let mut now = known(&live.snapshot, &exprs, context, "3");
        let mut lag = 0;
        for (file, kind, n, cut) in steps {
            let text = match kind {
                // The same line in two files.
                6 => {
                    live.append("z/a.log", shared_line(n).as_bytes());
                    shared_line(n)
                }
                kind => piece(kind.min(5), n * 7 % 60, n),
            };
            let name = ["a.log", "b.log", "z/a.log"][file];
            let cut = cut.min(text.len());
            live.append(name, &text.as_bytes()[..cut]);
            live.poll(Duration::from_millis(2100));
            live.append(name, &text.as_bytes()[cut..]);
            live.poll(Duration::from_millis(500));
            // Sometimes several snapshots are stepped over.
            lag += 1;
            if n.is_multiple_of(3) && lag < 4 {
                continue;
            }
            lag = 0;
            if !live.snapshot.extends(&now.snapshot) {
                now = known(&live.snapshot, &exprs, context, "3");
                continue;
            }
            let kept = keep_up(&live.snapshot, &now, &Cancel::default()).unwrap();
            let whole = known(&live.snapshot, &exprs, context, "3");
            let rows = shown(&live.snapshot, &kept.rows);
            prop_assert_eq!(&rows, &shown(&live.snapshot, &whole.rows));
            prop_assert_eq!(kept.rows.folded(&live.snapshot), whole.rows.folded(&live.snapshot));
            prop_assert_eq!(&kept.counts, &whole.counts);
            prop_assert_eq!(kept.hits.as_deref(), whole.search.as_ref().map(|s| &*s.1));
            let before = shown(&now.snapshot, &now.rows);
            prop_assert_eq!(&before[..kept.changed], &rows[..kept.changed]);
            let sum = |s: &Option<Strip>| s.as_ref().map(|s| (s.events.iter().sum::<u32>(), s.all.iter().sum::<u32>()));
            prop_assert_eq!(sum(&kept.strip), sum(&whole.strip));
            now = Known {
                snapshot: live.snapshot.clone(),
                rows: kept.rows,
                counts: kept.counts,
                search: kept.hits.map(|hits| ("3".to_owned(), hits)),
                strip: kept.strip,
                steps: exprs.clone(),
                context,
            };
        }
    }
}
