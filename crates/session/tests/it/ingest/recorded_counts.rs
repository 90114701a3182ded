//! Counts of records, levels and times by other programs, for a run as a folder, an archive or a tree of compressed
//! files.

use widetui_testing::runs;
use widetui_testing::runs::{
    assert_same_records, differences, directory, expected, inner_name, load, records,
};

fn check_counts(case: &str) {
    let dir = directory(case);
    let run = dir.path().join("run");
    let snapshot = load(&run, 2);
    let mut listed: Vec<String> = snapshot.sources.iter().map(|s| inner_name(s)).collect();
    // Tables are listed below their database.
    listed.retain(|name| !name.contains(".db/"));
    listed.sort();
    let there: Vec<String> = runs::files(&run)
        .iter()
        .map(|f| f.strip_prefix(&run).unwrap().display().to_string())
        .collect();
    assert_eq!(listed, there, "{case}: every file is listed once");
    let expected = expected(case);
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

    // Names end differently, so that sources (and records of one instant) come in another order.
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

cases! { hung old2024 manager_lost multi json workqueue other stacks }

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

/// Numbers of distinct values, as counted by other programs in the records: tags of messages and actions, tasks of an
/// endpoint's audit log, keys in a scheduler's transitions, tasks of two runs.
#[test]
fn keys_have_as_many_values_as_instances() {
    use std::collections::HashSet;
    use widetui_core::ids::EventId;
    use widetui_report::event::full_event;
    use widetui_store::Value;
    use widetui_store::texts::TextReader;

    let dir = directory("stacks");
    let snapshot = load(&dir.path().join("run"), 2);
    let mut texts = TextReader::default();
    let mut values: Vec<(&str, &str, usize, HashSet<String>)> = [
        ("academy/fibonacci/", "academy.message_tag", 41),
        ("academy/fibonacci/", "academy.action_tag", 37),
        ("academy/fibonacci/academy/", "academy.agent_id", 3),
        ("globus_compute/", "globus_compute.task", 11),
        ("dask/pressure-shuffle/transitions", "dask.key", 186),
        ("scalable/.scalable/", "scalable.run", 2),
        ("scalable/.scalable/", "scalable.task", 79),
    ]
    .map(|(place, key, n)| (place, key, n, HashSet::new()))
    .into();
    for id in snapshot.order.iter() {
        let event = snapshot.event(EventId(*id)).unwrap();
        let path = inner_name(event.source());
        let wanted = |place: &str| path.starts_with(place);
        if !values.iter().any(|v| wanted(v.0)) {
            continue;
        }
        for read in full_event(&event, &mut texts).keys {
            for v in values
                .iter_mut()
                .filter(|v| wanted(v.0) && *v.1 == *read.name)
            {
                let mut keep = |text: &str| {
                    v.3.insert(read.kind.canonical(text).unwrap_or_else(|| text.to_owned()));
                };
                match &read.value {
                    Value::One(text) => keep(text),
                    Value::Many(list) => list.iter().for_each(|text| keep(text)),
                }
            }
        }
    }
    for (place, key, n, found) in values {
        assert_eq!(found.len(), n, "{key} below {place}");
    }
}
