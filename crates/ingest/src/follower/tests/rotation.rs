//! Tests: log rotation while following.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use super::{Live, SOON, check_end, line, live};
use widetui_core::cancel::Cancel;
use widetui_query::{self as query, TimeContext};
use widetui_session::incremental::{KnownAnswers, carry_over};
use widetui_session::rows;
use widetui_session::selection::SelectionStep;
use widetui_time::zone::Zone;

fn numbered(name: &str, generation: u32) -> String {
    match generation {
        0 => name.to_owned(),
        n => format!("{name}.{n}"),
    }
}

/// Renames each generation of a log to the next one, and keeps `kept` of them.
fn rotate(dir: &Path, name: &str, kept: u32) {
    for generation in (0..kept).rev() {
        let from = dir.join(numbered(name, generation));
        if from.exists() {
            fs::rename(from, dir.join(numbered(name, generation + 1))).unwrap();
        }
    }
}

fn open(generations: u32) -> Live {
    let dir = tempfile::tempdir().unwrap();
    for generation in 0..=generations {
        let text: String = (0..3)
            .map(|n| line(60 * (10 - generation) + n, 100 * generation + n))
            .collect();
        fs::write(dir.path().join(numbered("app.log", generation)), text).unwrap();
    }
    Live::open(dir)
}

/// Checks that every record is present exactly once; all have distinct times.
fn check_each_once(live: &Live, records: usize) {
    let events = (0..live.snapshot.len()).map(|at| live.snapshot.at(at).unwrap());
    let mut times: Vec<i64> = events.map(|e| e.time().unwrap()).collect();
    assert_eq!(times.len(), records, "{}", live.problems());
    times.dedup();
    assert_eq!(times.len(), records, "{}", live.problems());
}

#[test]
fn generations_of_a_log_move_together() {
    for generations in 1..=3 {
        let mut live = open(generations);
        let before = (generations as usize + 1) * 3;
        check_each_once(&live, before);
        for round in 0..3u32 {
            rotate(live.dir.path(), "app.log", 9);
            live.append("app.log", line(900 + round, 5000 + round).as_bytes());
            live.poll(SOON);
            live.poll(SOON);
            check_each_once(&live, before + 1 + round as usize);
            let problems = live.problems();
            assert!(!problems.contains("texts are gone"), "{problems}");
        }
        live.settle();
        check_end(&live);
        assert_eq!(
            live.problems().matches("was renamed").count(),
            3 * generations as usize + 3 + 2 + 1
        );
    }
}

#[test]
fn the_oldest_generation_is_written_over() {
    let mut live = open(2);
    rotate(live.dir.path(), "app.log", 2);
    live.append("app.log", line(900, 5000).as_bytes());
    live.settle();
    check_each_once(&live, 10);
    let problems = live.problems();
    assert_eq!(problems.matches("it is kept open").count(), 1, "{problems}");
    assert_eq!(live.messages().iter().filter(|m| m.is_empty()).count(), 0);
    // Existing records are read on at their new paths.
    live.append("app.log.1", line(901, 5001).as_bytes());
    live.append("app.log.2", line(902, 5002).as_bytes());
    live.settle();
    check_each_once(&live, 12);
}

#[test]
fn the_oldest_generation_is_compressed() {
    let mut live = open(2);
    let dir = live.dir.path().to_owned();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let oldest = fs::read(dir.join("app.log.2")).unwrap();
    packed.write_all(&oldest).unwrap();
    fs::write(dir.join("app.log.3.gz"), packed.finish().unwrap()).unwrap();
    fs::remove_file(dir.join("app.log.2")).unwrap();
    rotate(&dir, "app.log", 2);
    live.append("app.log", line(900, 5000).as_bytes());
    live.settle();
    check_each_once(&live, 10);
    let problems = live.problems();
    assert_eq!(problems.matches("was renamed").count(), 2, "{problems}");
    assert_eq!(problems.matches("it is kept open").count(), 1, "{problems}");
    assert_eq!(live.messages().iter().filter(|m| m.is_empty()).count(), 0);
}

#[test]
fn lines_before_a_deletion_are_read() {
    for is_written_anew in [false, true] {
        let mut live = open(1);
        let path = live.dir.path().join("app.log");
        live.append("app.log", line(900, 5000).as_bytes());
        fs::remove_file(&path).unwrap();
        if is_written_anew {
            live.append("app.log", line(901, 5001).as_bytes());
        }
        live.poll(SOON);
        check_each_once(&live, 7 + usize::from(is_written_anew));
        live.settle();
        live.append("app.log", line(902, 5002).as_bytes());
        live.settle();
        check_each_once(&live, 8 + usize::from(is_written_anew));
        assert!(live.messages().iter().all(|m| m.contains("took task")));
    }
}

#[test]
fn lines_before_compression_are_read_once() {
    let mut live = open(0);
    for round in 0..3 {
        live.append("app.log", line(900 + 10 * round, 5000 + round).as_bytes());
        let dir = live.dir.path().to_owned();
        rotate(&dir, "app.log", 1);
        live.append("app.log", line(905 + 10 * round, 6000 + round).as_bytes());
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed
            .write_all(&fs::read(dir.join("app.log.1")).unwrap())
            .unwrap();
        fs::write(
            dir.join(format!("app.log.{}.gz", 3 - round)),
            packed.finish().unwrap(),
        )
        .unwrap();
        fs::remove_file(dir.join("app.log.1")).unwrap();
        live.poll(SOON);
    }
    live.settle();
    check_each_once(&live, 9);
}

#[test]
fn a_log_that_is_copied_and_cut() {
    for is_seen_before in [false, true] {
        let mut live = open(2);
        let dir = live.dir.path().to_owned();
        rotate_old(&dir);
        // The copy has a record that was not read of the original.
        live.append("app.log", line(890, 4999).as_bytes());
        fs::copy(dir.join("app.log"), dir.join("app.log.1")).unwrap();
        if is_seen_before {
            live.poll(Duration::from_secs(3));
        }
        fs::write(dir.join("app.log"), "").unwrap();
        live.poll(SOON);
        live.append("app.log", line(900, 5000).as_bytes());
        live.settle();
        let problems = live.problems();
        assert_eq!(problems.matches("was renamed").count(), 2, "{problems}");
        assert_eq!(problems.matches("is the copy of").count(), 1, "{problems}");
        assert!(!problems.contains("texts are gone"), "{problems}");
        check_each_once(&live, 11);
        assert!(live.messages().iter().all(|m| m.contains("took task")));
    }
}

#[test]
fn a_copy_beside_a_log_that_stays_is_a_source_of_its_own() {
    let mut live = open(0);
    let dir = live.dir.path().to_owned();
    fs::copy(dir.join("app.log"), dir.join("app.log.1")).unwrap();
    live.settle();
    assert_eq!(live.snapshot.len(), 6, "{}", live.problems());
    check_end(&live);
}

/// Rotates all generations but the youngest.
fn rotate_old(dir: &Path) {
    for generation in (1..=2).rev() {
        let from = dir.join(numbered("app.log", generation));
        fs::rename(from, dir.join(numbered("app.log", generation + 1))).unwrap();
    }
}

#[test]
fn a_new_file_with_the_number_of_one_that_was_deleted_is_another() {
    let mut live = live(&line(1, 1));
    live.append("b.log", line(2, 2).as_bytes());
    live.settle();
    let dir = live.dir.path().to_owned();
    // Some file systems reuse the inode for the next file; simulated here by writing other bytes to the same file.
    fs::rename(dir.join("b.log"), dir.join("c.log")).unwrap();
    fs::write(dir.join("c.log"), [line(3, 3), line(4, 4)].concat()).unwrap();
    live.settle();
    assert_eq!(live.snapshot.len(), 4, "{}", live.problems());
    let problems = live.problems();
    assert!(!problems.contains("was renamed"), "{problems}");
}

fn step(text: &str) -> SelectionStep {
    let time = TimeContext {
        base_date_ns: 0,
        zone: Zone::Utc,
    };
    SelectionStep::new(text.to_owned(), query::parse(text, None, &time).unwrap())
}

#[test]
fn what_was_asked_about_names_of_sources_is_asked_again() {
    let mut live = open(1);
    let cancel = Cancel::default();
    let steps = vec![step("source ~ app.log.2$")];
    let select = |live: &Live| rows::select(&live.snapshot, &steps, &cancel).unwrap();
    let (rows, counts) = select(&live);
    let known = KnownAnswers {
        snapshot: live.snapshot.clone(),
        steps: steps.clone(),
        rows,
        context: None,
        counts,
        search: None,
        overview: None,
    };
    rotate(live.dir.path(), "app.log", 9);
    live.poll(SOON);
    live.poll(SOON);
    let (_, counts) = select(&live);
    assert_eq!(counts, [3]);
    let kept = carry_over(&live.snapshot, &known, &cancel);
    assert!(kept.is_none_or(|kept| kept.counts == counts));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]
    /// However logs are written and rotated, each record is present exactly once, as after a load at once.
    #[test]
    fn rotation_loses_nothing(
        steps in prop::collection::vec((0usize..2, 0u8..4, any::<bool>()), 1..25),
    ) {
        let mut live = open(1);
        let mut records = 6;
        for (n, (which, what, polls)) in (0u32..).zip(steps) {
            let name = ["app.log", "z.log"][which];
            if what == 0 {
                rotate(live.dir.path(), name, 30);
            } else {
                live.append(name, line(800 + n, 7000 + n).as_bytes());
                records += 1;
            }
            if polls {
                live.poll(SOON);
            }
        }
        live.settle();
        check_each_once(&live, records);
        check_end(&live);
        let problems = live.problems();
        prop_assert!(!problems.contains("texts are gone"), "{}", problems);
        let snapshot: Arc<_> = live.snapshot.clone();
        prop_assert!(snapshot.sources.iter().all(|s| Path::new(&s.path).exists()));
    }
}
