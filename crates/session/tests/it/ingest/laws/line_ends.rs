//! Line ends do not matter: a copy with CRLF has the records and messages of the original.

use std::path::Path;

use widetui_core::ids::EventId;
use widetui_query::{TimeContext, parse, select};
use widetui_report::event::full_event;
use widetui_report::jsonl::event_line;
use widetui_store::Snapshot;
use widetui_store::texts::TextReader;

use widetui_testing::runs;

/// Every record with all its properties, in order.
fn events(snapshot: &Snapshot) -> Vec<String> {
    let mut texts = TextReader::default();
    let order = snapshot.order.iter();
    order
        .map(|id| {
            event_line(&full_event(
                &snapshot.event(EventId(*id)).unwrap(),
                &mut texts,
            ))
        })
        .collect()
}

/// Converts the line ends of all texts in a folder; databases stay unchanged.
fn end_lines_with(folder: &Path, end: &str) {
    for path in runs::files(folder) {
        let bytes = std::fs::read(&path).unwrap();
        if let Ok(text) = String::from_utf8(bytes)
            && !text.contains('\0')
        {
            let text = text.replace("\r\n", "\n").replace('\n', end);
            std::fs::write(&path, text).unwrap();
            runs::set_age(&path);
        }
    }
}

/// Records of a case with these line ends.
fn read(case: &str, end: &str) -> Vec<String> {
    let dir = runs::directory(case);
    let run = dir.path().join("run");
    end_lines_with(&run, end);
    events(&runs::load(&run, 2))
}

#[test]
fn a_copy_with_carriage_returns_says_the_same() {
    for case in ["hung", "old2024", "other", "outcomes", "strangers"] {
        let (plain, copy) = (read(case, "\n"), read(case, "\r\n"));
        assert_eq!(plain.len(), copy.len(), "{case}");
        for (a, b) in plain.iter().zip(&copy) {
            assert_eq!(a, b, "{case}");
        }
    }
}

#[test]
fn a_pattern_finds_the_ends_of_lines() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.log");
    let log = "2026-01-02 03:04:05.000 ERROR it broke\r\nTraceback (most recent call last):\r\n  \
               File \"x.py\", line 3\r\nValueError: no good\r\n2026-01-02 03:04:06.000 INFO done 5%\r 9%\r\n";
    std::fs::write(&path, log).unwrap();
    let snapshot = runs::load(&path, 1);
    let found = |pattern: &str| {
        let expr = parse(
            &format!("message ~ {pattern:?}"),
            None,
            &TimeContext::default(),
        );
        select(
            &snapshot,
            &expr.unwrap(),
            &widetui_core::cancel::Cancel::default(),
        )
        .unwrap()
        .len()
    };
    assert_eq!(found("no good$"), 1);
    assert_eq!(found("(?m)line 3$"), 1);
    assert_eq!(found("last\\):\n  File"), 1);
    assert_eq!(found("(?s)broke.*\r\n"), 0);
    // A CR in the middle of a line is text.
    assert_eq!(found("5%\r 9%"), 1);
}
