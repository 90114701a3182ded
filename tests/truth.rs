//! What other programs counted in real runs must be what is found in them, whether a run is a directory, an archive or a
//! tree of compressed files.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod runs;

use runs::{assert_same_records, differences, directory, expected, inner_name, load, records};

/// Files whose layout cannot be guessed without the definition of their system, which is still to be written.
const AWAIT_A_DEFINITION: [&str; 1] = ["system/journal/journal.jsonl"];

fn check_counts(case: &str) {
    let dir = directory(case);
    let run = dir.path().join("run");
    let snapshot = load(&run, 2);
    let mut listed: Vec<String> = snapshot.sources.iter().map(|s| inner_name(s)).collect();
    listed.sort();
    let there: Vec<String> = runs::files(&run)
        .iter()
        .map(|f| f.strip_prefix(&run).unwrap().display().to_string())
        .collect();
    assert_eq!(listed, there, "{case}: every file is listed once");
    let mut expected = expected(case);
    expected.retain(|path, _| !AWAIT_A_DEFINITION.contains(&path.as_str()));
    let found = differences(&snapshot, &expected, inner_name);
    assert!(found.is_empty(), "{case}:\n{}", found.join("\n"));
}

fn check_forms(case: &str) {
    let dir = directory(case);
    let run = dir.path().join("run");
    let plain = records(&load(&run, 2));
    assert!(!plain.is_empty());

    let archive = dir.path().join("packed.tar.gz");
    runs::tar_gz(&run, &archive);
    assert_same_records("tar.gz", &plain, &records(&load(&archive, 2)));

    let archive = dir.path().join("packed.tar");
    runs::plain_tar(&run, &archive);
    assert_same_records("tar", &plain, &records(&load(&archive, 2)));

    // Names end differently, so that sources (and records of one moment) stand in another order.
    runs::gzip_all(&run);
    let mut compressed = records(&load(&run, 2));
    compressed.sort_by(|a, b| (&a.source, a.offset).cmp(&(&b.source, b.offset)));
    let mut plain = plain;
    plain.sort_by(|a, b| (&a.source, a.offset).cmp(&(&b.source, b.offset)));
    assert_same_records("gz", &plain, &compressed);
}

macro_rules! cases {
    ($($case:ident)*) => {
        mod counts {
            $(#[test] fn $case() { super::check_counts(stringify!($case)); })*
        }
        mod forms {
            $(#[test] fn $case() { super::check_forms(stringify!($case)); })*
        }
    };
}

cases! { hung old2024 manager_lost multi json workqueue other }

#[test]
fn expectations_are_there_for_every_case() {
    for case in runs::CASES {
        let expected = expected(case);
        assert!(
            expected.values().filter(|e| e.records.is_some()).count() >= 5,
            "{case}"
        );
    }
}
