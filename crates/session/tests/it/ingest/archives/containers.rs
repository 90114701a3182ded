//! Every container gives the same records.

use std::fs;
use std::path::Path;

use widetui_core::level::Level;
use widetui_core::memory::MemoryLimit;
use widetui_report::event::full_event;
use widetui_source::text::read_range;
use widetui_store::texts::TextReader;

use super::{lines, problems, runs, source};
use widetui_testing::packing::{STREAMS, Zipped, archives, members, tar, zip};
use widetui_testing::runs::{assert_same_records, load, records};

fn check(case: &str) {
    let dir = runs::directory(case);
    let run = dir.path().join("run");
    let plain = records(&load(&run, 2));
    assert!(!plain.is_empty());
    let threads = [1, 3].into_iter().cycle();
    for ((name, bytes), threads) in archives(&members(&run)).into_iter().zip(threads) {
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        runs::set_age(&path);
        let snapshot = load(&path, threads);
        assert_same_records(name, &plain, &records(&snapshot));
        for source in snapshot.sources.iter() {
            let said: Vec<_> = source.problems.iter().map(ToString::to_string).collect();
            let about_packing = |p: &String| p.contains("broken") || p.contains("left out");
            assert!(!said.iter().any(about_packing), "{name}: {said:?}");
        }
    }
    // A folder of compressed files; the names end differently, so records of one instant come in another order.
    for (i, path) in runs::files(&run).into_iter().enumerate() {
        let (ending, pack) = STREAMS[i % STREAMS.len()];
        let packed = format!("{}{ending}", path.display());
        fs::write(&packed, pack(&fs::read(&path).unwrap())).unwrap();
        fs::remove_file(&path).unwrap();
        runs::set_age(Path::new(&packed));
    }
    let sorted = |mut records: Vec<runs::Record>| {
        records.sort_by(|a, b| (&a.source, a.offset).cmp(&(&b.source, b.offset)));
        records
    };
    let found = sorted(records(&load(&run, 2)));
    assert_same_records("a folder of compressed files", &sorted(plain), &found);
}

macro_rules! cases {
    ($($case:ident)*) => { $(#[test] fn $case() { check(stringify!($case)); })* };
}

cases! { hung multi json other }

#[test]
fn several_streams_one_after_the_other_are_one_text() {
    let text = lines(9000);
    let (first, second) = text.split_at(text.len() / 3);
    for (ending, pack) in STREAMS {
        let mut bytes = pack(first.as_bytes());
        if ending == ".zst" {
            // A skippable frame of zstd.
            bytes.extend(b"\x53\x2a\x4d\x18\x05\0\0\0hello");
        }
        bytes.extend(pack(b""));
        bytes.extend(pack(second.as_bytes()));
        let snapshot = super::load(&format!("a.log{ending}"), &bytes);
        let source = source(&snapshot, ending);
        assert_eq!(source.stats.records(), 9000, "{ending}");
        assert_eq!(source.bytes, text.len() as u64, "{ending}");
        assert_eq!(source.tag, "a", "{ending}");
        assert!(
            source.problems.is_empty(),
            "{ending}: {:?}",
            source.problems
        );
    }
}

#[test]
fn the_text_of_a_member_can_be_read_again_at_any_place() {
    let text = lines(60_000).into_bytes();
    let small = lines(50).into_bytes();
    let members = [
        ("run/large.log".to_owned(), text.clone()),
        ("run/small.log".to_owned(), small.clone()),
    ];
    for (name, bytes) in archives(&members) {
        let snapshot = super::load(name, &bytes);
        if name == "stored-tar-in.zip" {
            continue; // Read again in the file, which is gone by now.
        }
        for (member, whole) in [("large.log", &text), ("small.log", &small)] {
            let found = snapshot.sources.iter().find(|s| s.path.contains(member));
            let source = found.unwrap();
            if name == "methods.zip" && member == "large.log" {
                continue; // Stored: in the file as well.
            }
            let mut at = 1;
            for _ in 0..50 {
                at = (at * 48_271 + 11) % whole.len();
                let want = &whole[at..(at + 3000).min(whole.len())];
                let read = read_range(&*source.text, at as u64, 3000).unwrap();
                assert!(read == want, "{name}/{member} at {at}");
            }
        }
    }
}

#[test]
fn what_is_stored_in_an_archive_is_read_in_it_and_not_kept() {
    let text = lines(60_000);
    let members = [("run/a.log".to_owned(), text.clone().into_bytes())];
    let nested = zip(&[Zipped::stored("b.tar", &tar(&members))]);
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in [("a.tar", tar(&members)), ("b.zip", nested)] {
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        let mut options = runs::options(&path, 2);
        options.memory = MemoryLimit(0);
        let (snapshot, _) =
            widetui_ingest::load::load_all(&options, &Default::default(), Default::default())
                .unwrap();
        let source = source(&snapshot, "a.log");
        assert_eq!(source.stats.records(), 60_000);
        let read = read_range(&*source.text, 5_000_000, 100).unwrap();
        assert_eq!(read, &text.as_bytes()[5_000_000..5_000_100]);
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn the_mark_before_a_text_is_of_no_record() {
    let log = "\u{feff}2026-01-01 00:00:00 ERROR a\n2026-01-01 00:00:01 INFO b\n";
    let json = "\u{feff}{\"time\": \"2026-01-01T00:00:00Z\", \"level\": \"error\", \"message\": \"a\"}\n\
                {\"time\": \"2026-01-01T00:00:01Z\", \"level\": \"info\", \"message\": \"b\"}\n";
    let columns = "\u{feff}JOBID  STATE    TIME\n1      RUNNING  2026-01-01T00:00:00\n2      PENDING  2026-01-01T00:00:01\n";
    let blocks =
        "\u{feff}A=1\nB=2\nTIME=2026-01-01T00:00:00\n\nA=2\nB=3\nTIME=2026-01-01T00:00:01\n\n";
    let large = format!(
        "{log}{}",
        "2026-01-01 00:00:02 INFO one of many\n".repeat(130_000)
    );
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    fs::create_dir(&run).unwrap();
    for (name, text) in [
        ("t.log", log),
        ("j.jsonl", json),
        ("c.txt", columns),
        ("b.txt", blocks),
        ("large.log", &large),
    ] {
        fs::write(run.join(name), text).unwrap();
    }
    let archive = dir.path().join("a.tar");
    runs::plain_tar(&run, &archive);
    let packed = dir.path().join("a.tar.gz");
    runs::tar_gz(&run, &packed);
    for path in [&run, &archive, &packed] {
        let snapshot = load(path, 2);
        for ending in ["t.log", "j.jsonl", "c.txt", "b.txt", "large.log"] {
            let from = source(&snapshot, ending);
            let count = if ending == "large.log" { 130_002 } else { 2 };
            assert_eq!(from.stats.records(), count, "{ending}");
            let places = 0..snapshot.len();
            let events = places.filter_map(|at| snapshot.at(at));
            let mut own: Vec<_> = events
                .filter(|e| e.source().id == from.id)
                .take(1)
                .collect();
            let first = own.pop().unwrap();
            assert!(first.time().is_some(), "{ending}");
            assert!(
                ending.ends_with(".txt") || first.level() == Level::Error,
                "{ending}"
            );
            let message = full_event(&first, &mut TextReader::default()).message;
            assert!(!message.contains('\u{feff}'), "{ending} {message}");
        }
        let log = source(&snapshot, "t.log");
        let first = read_range(&*log.text, 3, 30).unwrap();
        assert_eq!(first, b"2026-01-01 00:00:00 ERROR a\n20");
    }
}

#[test]
fn another_name_of_a_member_is_listed_and_not_read_again() {
    let mut tar = tar::Builder::new(Vec::new());
    let line = b"2026-01-01 00:00:00 ERROR a\n";
    let mut header = tar::Header::new_gnu();
    header.set_size(line.len() as u64);
    tar.append_data(&mut header, "run/a.log", &line[..])
        .unwrap();
    let mut link = tar::Header::new_gnu();
    link.set_entry_type(tar::EntryType::Link);
    link.set_size(0);
    tar.append_link(&mut link, "run/b.log", "run/a.log")
        .unwrap();
    tar.append_link(&mut link, "run/c.log", "elsewhere/d.log")
        .unwrap();
    let snapshot = super::load("h.tar", &tar.into_inner().unwrap());
    assert_eq!(snapshot.len(), 1);
    assert!(source(&snapshot, "run/a.log").is_log);
    let again = source(&snapshot, "run/b.log");
    assert!(!again.is_log && again.layout.contains("another name of run/a.log"));
    let lost = source(&snapshot, "run/c.log");
    assert!(
        problems(lost).contains("elsewhere/d.log"),
        "{:?}",
        lost.problems
    );
}
