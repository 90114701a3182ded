//! Tests: duplicate records across files while they are written.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::{Live, SOON, options};
use crate::load;
use crate::provenance::duplicates;
use widetui_source::text::Text;
use widetui_store::Snapshot;
use widetui_store::source::Source;

const STAMP: &str = "2026-11-20 19:00:05,250 worker ERROR";

fn folder(logs: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in logs {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn whole(dir: &std::path::Path) -> Arc<Snapshot> {
    let loaded = load::load_all(&options(dir), &Default::default(), Default::default());
    loaded.unwrap().0
}

#[test]
fn a_moment_may_have_any_number_of_records() {
    let text: String = (0..500)
        .map(|n| format!("{STAMP} it failed with {n}\n"))
        .collect();
    let dir = folder(&[
        ("a/x.log", &text),
        ("b/x.log", &text),
        ("c/y.log", "hello\n"),
    ]);
    let snapshot = whole(dir.path());
    assert_eq!(snapshot.len(), 1001);
    assert_eq!(snapshot.duplicates.len(), 500);
    // The same with records that arrive one by one.
    let dir = folder(&[("a/x.log", &text), ("b/x.log", ""), ("c/y.log", "hello\n")]);
    let mut live = Live::open(dir);
    live.append("b/x.log", text.as_bytes());
    live.settle();
    assert_eq!(live.snapshot.duplicates.len(), 500);
}

/// Text that counts its reads.
#[derive(Debug)]
struct Counted(Arc<dyn Text>, Arc<AtomicUsize>);

impl Text for Counted {
    fn len(&self) -> u64 {
        self.0.len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.read_at(offset, buf)
    }
}

/// Numbers of duplicates in a folder, and of reads of text to find them.
fn duplicates_and_reads(dir: &std::path::Path) -> (usize, usize) {
    let snapshot = whole(dir);
    let reads = Arc::new(AtomicUsize::new(0));
    let counted = snapshot.sources.iter().map(|s| {
        Arc::new(Source {
            text: Arc::new(Counted(s.text.clone(), reads.clone())),
            ..(**s).clone()
        })
    });
    let counted = Snapshot {
        sources: counted.collect(),
        ..(*snapshot).clone()
    };
    let marked = duplicates::mark_duplicates(counted, &Default::default());
    (marked.duplicates.len(), reads.load(Ordering::Relaxed))
}

/// Maximum number of reads of text, of a few hundred kilobytes, in blocks.
const FEW: usize = 400;

#[test]
fn records_of_a_moment_are_read_in_blocks() {
    // All records have the same length and template: only their bytes differ.
    let text: String = (100..900)
        .map(|n| format!("{STAMP} it failed with {n}\n"))
        .collect();
    let dir = folder(&[("a/x.log", &text), ("b/x.log", &text)]);
    let (found, reads) = duplicates_and_reads(dir.path());
    assert!(found == 800 && reads <= FEW, "{found} {reads}");
}

#[test]
fn copies_of_a_run_are_read_once_in_blocks() {
    let lines = |from: usize| {
        let line = move |n: usize| {
            let (minute, second, ms) = (n / 60_000, n / 1000 % 60, n % 1000);
            format!("2026-11-20 19:{minute:02}:{second:02},{ms:03} worker INFO step {n} is done\n")
        };
        (from..6000).step_by(2).map(line).collect::<String>()
    };
    let (even, odd) = (lines(0), lines(1));
    // The times of a file that consists of two others go back: two places of it are read in turns.
    let both = format!("{even}{odd}");
    let dir = folder(&[
        ("a/x.log", &even),
        ("b/x.log", &even),
        ("c/x.log", &odd),
        ("d/x.log", &both),
    ]);
    let (found, reads) = duplicates_and_reads(dir.path());
    assert!(found == 9000 && reads <= FEW, "{found} {reads}");
}

#[test]
fn records_that_get_longer_become_copies_and_stop_being_some() {
    let first = format!("{STAMP} it failed\n");
    let rest = "Traceback (most recent call last):\n  File \"x.py\", line 7\nValueError: 7\n";
    let dir = folder(&[
        ("a/x.log", &format!("{first}{rest}")),
        ("b/x.log", ""),
        ("c/x.log", &first),
    ]);
    let mut live = Live::open(dir);
    live.append("b/x.log", first.as_bytes());
    live.settle();
    assert_eq!(
        live.snapshot.duplicates.len(),
        1,
        "the first lines of two of them"
    );
    live.append("b/x.log", rest.as_bytes());
    live.settle();
    assert_eq!(live.snapshot.duplicates.len(), 1, "the whole of two others");
    let (copy, of) = live.snapshot.duplicates.iter().next().unwrap();
    let path = |id| {
        live.snapshot
            .event(widetui_core::ids::EventId(id))
            .unwrap()
            .source()
            .path
            .clone()
    };
    assert!(path(copy).contains("b/x.log") && path(of).contains("a/x.log"));
    live.append("c/x.log", rest.as_bytes());
    live.settle();
    assert_eq!(live.snapshot.duplicates.len(), 2);
    live.append("a/x.log", b"  and more of it\n");
    live.settle();
    assert_eq!(live.snapshot.duplicates.len(), 1);
    assert_eq!(whole(live.dir.path()).duplicates.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// However the lines of several files arrive, the final duplicates equal those of a load at once.
    #[test]
    fn copies_are_those_of_a_load_at_once(
        shared in prop::collection::vec((0u8..4, 0u8..3, 0u8..8), 1..14),
        steps in prop::collection::vec((0usize..3, 1usize..90, any::<bool>()), 0..60),
    ) {
        // Each record is in some of three files, with or without continuation lines.
        let mut texts = [String::new(), String::new(), String::new()];
        for (n, (second, rest, files)) in shared.iter().enumerate() {
            for (at, text) in texts.iter_mut().enumerate().filter(|(at, _)| files >> at & 1 == 1) {
                text.push_str(&format!("2026-11-20 19:00:{:02},250 worker ERROR failed {n}\n", second + n as u8 / 4 * 4));
                for line in 0..(*rest as usize + usize::from(at == 2 && n % 3 == 0)) {
                    text.push_str(&format!("  at line {line}\n"));
                }
            }
        }
        let names = ["a/x.log", "b/x.log", "c/x.log"];
        let begin = "2026-11-20 19:00:00,000 worker INFO begins\n";
        let dir = folder(&names.map(|name| (name, begin)));
        let mut live = Live::open(dir);
        let mut done = [0; 3];
        for (at, bytes, polls) in steps {
            let to = (done[at] + bytes).min(texts[at].len());
            live.append(names[at], &texts[at].as_bytes()[done[at]..to]);
            done[at] = to;
            if polls {
                live.poll(SOON);
            }
        }
        for at in 0..3 {
            live.append(names[at], &texts[at].as_bytes()[done[at]..]);
        }
        live.settle();
        // Any record of a group may be the original.
        let groups = |s: &Snapshot| {
            let of = |id: u32| {
                let event = s.event(widetui_core::ids::EventId(id)).unwrap();
                (event.source().path.clone(), event.span().0)
            };
            let ids = 0..s.settled;
            let mut all: Vec<_> = ids.map(|id| {
                let mut group: Vec<_> = s.duplicates.group(id).map(of).collect();
                group.sort();
                group
            }).collect();
            all.sort();
            all
        };
        prop_assert_eq!(groups(&live.snapshot), groups(&whole(live.dir.path())));
    }
}
