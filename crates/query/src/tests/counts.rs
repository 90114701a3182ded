use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use crate::tests::exprs::plans;
use crate::tests::oracle::Record;
use crate::tests::store::{build, text_source};
use crate::{Expr, Field, complete, key_stats, select, values};
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_definition::key_type::KeyType;
use widetui_store::Snapshot;

fn some_run() -> Snapshot {
    build(&[
        text_source(
            "m",
            Some(1),
            &["Task 3 is done", "Task 03 is running", "Task 4 is done"],
        ),
        text_source(
            "w/0",
            Some(2),
            &["Sent tasks: [3, 4] to b'4f'", "load 1.5 of 3"],
        ),
    ])
}

fn counted(snapshot: &Snapshot, field: &Field) -> Vec<(String, u64)> {
    values(snapshot, field, None, &Cancel::default()).unwrap()
}

#[test]
fn equal_values_count_as_one() {
    let snapshot = some_run();
    let of = |list: &[(&str, u64)]| -> Vec<(String, u64)> {
        list.iter().map(|(v, n)| (v.to_string(), *n)).collect()
    };
    assert_eq!(
        counted(&snapshot, &Field::key("sys.task")),
        of(&[("3", 4), ("4", 2)])
    );
    assert_eq!(
        counted(&snapshot, &Field::key("sys.load")),
        of(&[("1.5", 1)]),
        "read from the text"
    );
    assert_eq!(
        counted(&snapshot, &Field::Source),
        of(&[("m", 3), ("w/0", 2)])
    );
    assert_eq!(
        counted(&snapshot, &Field::Level),
        of(&[("info", 2), ("warning", 2), ("error", 1)])
    );
    let expr = Expr::Text("done".into());
    let done = select(&snapshot, &expr, &Cancel::default()).unwrap();
    let field = Field::key("sys.task");
    let among = values(&snapshot, &field, Some(&done), &Cancel::default()).unwrap();
    assert_eq!(among, of(&[("3", 1), ("4", 1)]));
}

#[test]
fn a_filter_line_is_completed_where_the_cursor_stands() {
    let snapshot = some_run();
    let offered = |text: &str| -> Vec<String> {
        let offers = complete(text, text.len(), &snapshot);
        offers
            .into_iter()
            .map(|c| format!("{}{}", &text[..c.replace.start], c.text))
            .collect()
    };
    assert_eq!(offered("x and sys.t"), ["x and sys.task"]);
    assert_eq!(offered("ta")[0], "sys.task");
    assert_eq!(offered("has sta"), ["has sys.state"]);
    assert!(offered("sys.task ").contains(&"sys.task not in (".into()));
    assert_eq!(
        offered("(sys.state = "),
        ["(sys.state = done", "(sys.state = running"]
    );
    assert_eq!(offered("sys.state=r"), ["sys.state=running"]);
    assert_eq!(
        offered("sys.task in (3, "),
        ["sys.task in (3, 3", "sys.task in (3, 4"]
    );
    assert_eq!(offered("level >= w"), ["level >= warning"]);
    assert_eq!(offered("sys.state = done a")[0], "sys.state = done and");
    assert_eq!(offered("logger ~ app"), ["logger ~ \"app\\\\.core\""]);
    assert!(offered("message ~ x").is_empty());
    let note = |text: &str| complete(text, text.len(), &snapshot)[0].note.clone();
    assert_eq!(note("sys.task"), "int, 2 values, 5 events");
    assert_eq!(note("sys.load"), "float, 1 event");
    assert_eq!(note("sys.state = d"), "2 events");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn counts_equal_a_count_of_records(plans in plans()) {
        let snapshot = build(&plans);
        let mut events: BTreeMap<String, u64> = BTreeMap::new();
        let mut totals: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
        for id in 0..snapshot.len() as u32 {
            let record = Record::read(&snapshot.event(EventId(id)).unwrap());
            let mut own: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            let canonical = |kind: KeyType, v: &String| kind.canonical(v).unwrap_or_else(|| v.clone());
            for (key, values) in record.fields.pairs.iter().filter(|(_, v)| !v.is_empty()) {
                own.entry(key.name.to_string()).or_default().extend(values.iter().map(|v| canonical(key.kind, v)));
            }
            for (name, kind, value) in &record.path {
                own.entry(name.clone()).or_insert_with(|| BTreeSet::from([canonical(*kind, value)]));
            }
            for (name, values) in own {
                *events.entry(name.clone()).or_default() += 1;
                for value in values { *totals.entry(name.clone()).or_default().entry(value).or_default() += 1; }
            }
        }
        let stats = key_stats(&snapshot, &Cancel::default()).unwrap();
        let found: BTreeMap<String, u64> = stats.iter().map(|s| (s.key.clone(), s.events)).collect();
        prop_assert_eq!(&found, &events);
        for stat in &stats {
            let key = snapshot.catalog.keys.find(&stat.key).unwrap();
            let kind = snapshot.catalog.keys.get(key).unwrap().key.kind;
            let counts: BTreeMap<String, u64> = counted(&snapshot, &Field::key(&stat.key)).into_iter()
                .map(|(v, n)| (kind.canonical(&v).unwrap_or(v), n)).collect();
            prop_assert_eq!(&counts, &totals[&stat.key], "{}", stat.key);
            if let Some(distinct) = stat.distinct.filter(|_| stat.key != "block") {
                prop_assert_eq!(distinct, counts.len() as u64, "{}", stat.key);
            }
        }
    }

    #[test]
    fn completion_never_panics(text in "([ -~é]{0,4}|has |and |sys.task |= |in |\\(|\"){0,6}", cursor in 0usize..40) {
        let snapshot = some_run();
        for offer in complete(&text, cursor, &snapshot) {
            let mut text = text.clone();
            text.replace_range(offer.replace, &offer.text);
        }
    }
}
