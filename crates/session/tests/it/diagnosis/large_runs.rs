//! Runs with more records than the engine of evidence reads.

use std::fmt::Write;

use widetui_analysis::entity::AllInstances;
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_evidence::actors::{InstanceIndex, Records, read, read_with};
use widetui_evidence::facts::{Fact, Known, Statement, find};
use widetui_testing::diagnosed::opened;

/// Number of tiles of the run.
const TILES: usize = 15_000;

/// Four records of each tile; tile 7777 is not written, and some reads are repeated with a warning.
fn run() -> String {
    let mut text = String::new();
    let mut write = |ms: usize, level: &str, message: &str| {
        let (s, ms) = (ms / 1000, ms % 1000);
        let (h, m, s) = (10 + s / 3600, s / 60 % 60, s % 60);
        writeln!(
            text,
            "2026-03-01 {h:02}:{m:02}:{s:02},{ms:03} {level} {message}"
        )
        .unwrap();
    };
    for tile in 0..TILES {
        let at = tile * 100;
        write(at, "INFO", &format!("tile {tile}: loaded"));
        if tile % 4 == 0 {
            write(at + 10, "WARNING", &format!("tile {tile}: slow disk"));
        }
        write(at + 20, "INFO", &format!("tile {tile}: filtered"));
        write(at + 40, "INFO", &format!("tile {tile}: merged"));
        if tile != 7777 {
            write(at + 60, "INFO", &format!("tile {tile}: written"));
        }
    }
    text
}

fn records(needed: &[EventId]) -> Records {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiles.log");
    std::fs::write(&path, run()).unwrap();
    let (snapshot, meaning) = opened(&path);
    let cancel = Cancel::default();
    let found = AllInstances::scan(&snapshot, &meaning.entities, &cancel).unwrap();
    match needed {
        [] => read(&snapshot, &found, &cancel).unwrap(),
        needed => read_with(&snapshot, &found, needed, &cancel).unwrap(),
    }
}

fn value(records: &Records, fact: &Fact) -> String {
    let subject: Option<InstanceIndex> = fact.subject;
    subject.map_or_else(String::new, |i| records.value(i).to_owned())
}

#[test]
fn a_selection_shows_the_unusual_and_counts_all() {
    let records = records(&[]);
    assert_eq!(records.total as usize, 4 * TILES - 1 + TILES / 4);
    assert!(records.list.len() * 5 < records.total as usize * 4);
    let mut templates = records.list.iter().map(|record| record.template);
    let is_loaded = |template: &u32| records.text(*template) == "tile {}: loaded";
    let loaded = templates.find(is_loaded).unwrap();
    assert_eq!(records.count(loaded) as usize, TILES);
    let facts = find(&records, Known::default());
    let left: Vec<&Fact> = facts.iter().filter(|f| f.statement.is_left()).collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(value(&records, left[0]), "7777");
    let warnings = facts.iter().filter(|f| f.statement == Statement::Warning);
    let counts: Vec<u32> = warnings.map(|f| f.count).collect();
    assert_eq!(counts, [TILES as u32 / 4]);
    let warned = records.list.iter().filter(|r| r.level == Level::Warning);
    assert!(warned.count() < TILES / 4);
}

#[test]
fn records_that_are_needed_are_read() {
    let middle: Vec<EventId> = (30_000..30_100).map(EventId).collect();
    let records = records(&middle);
    let read = records.list.iter().filter(|r| middle.contains(&r.event));
    assert_eq!(read.count(), middle.len());
}
