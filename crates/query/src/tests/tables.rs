//! The tables of keys, values and templates agree with independent counts.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::tests::exprs::plans;
use crate::tests::store::{build, text_source};
use crate::{
    EventHistogram, Expr, Field, Selection, key_stats, key_table, select, template_table,
    value_table, values,
};
use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;

fn go() -> Cancel {
    Cancel::default()
}

fn check_course(histogram: &EventHistogram) -> Result<(), TestCaseError> {
    let timed: u32 = histogram.over_time.iter().sum();
    prop_assert!(u64::from(timed) <= histogram.events);
    prop_assert_eq!(histogram.first.is_some(), timed > 0);
    prop_assert!(histogram.first <= histogram.last);
    Ok(())
}

fn fields(snapshot: &Snapshot) -> Vec<Field> {
    let keys = snapshot.catalog.keys.iter();
    keys.map(|k| Field::key(&k.key.name))
        .chain([Field::Level, Field::Source, Field::Template])
        .collect()
}

fn check(snapshot: &Snapshot, chosen: Option<&Selection>) -> Result<(), TestCaseError> {
    for field in fields(snapshot) {
        let expected = values(snapshot, &field, chosen, &go()).unwrap();
        let table = value_table(snapshot, &field, chosen, &go()).unwrap();
        let mut got: BTreeMap<String, u64> = BTreeMap::new();
        for row in &table.rows {
            *got.entry(row.value.clone()).or_default() += row.histogram.events;
            check_course(&row.histogram)?;
            // The row's operand selects as many records as the row counts.
            let expr = Expr::equals(field.clone(), row.operand.as_str());
            let mut fits = select(snapshot, &expr, &go()).unwrap();
            if let Some(chosen) = chosen {
                fits.and(chosen);
            }
            prop_assert_eq!(
                fits.len() as u64,
                row.histogram.events,
                "{} {}",
                field,
                row.value
            );
        }
        prop_assert_eq!(
            got,
            expected.into_iter().collect::<BTreeMap<_, _>>(),
            "{}",
            field
        );
    }
    let templates = template_table(snapshot, chosen, &go()).unwrap();
    let all = chosen.map_or(snapshot.len(), Selection::len) as u64;
    prop_assert_eq!(templates.events, all);
    for row in &templates.rows {
        check_course(&row.histogram)?;
        prop_assert!(!row.sources.is_empty());
    }
    let keys = key_table(snapshot, chosen, &go()).unwrap();
    for row in &keys.rows {
        let field = Field::key(&row.key);
        let mut fits = select(snapshot, &Expr::Has(field.clone()), &go()).unwrap();
        if let Some(chosen) = chosen {
            fits.and(chosen);
        }
        prop_assert_eq!(fits.len() as u64, row.events, "{}", row.key);
        if let Some(distinct) = row.distinct {
            let counted = values(snapshot, &field, chosen, &go()).unwrap();
            prop_assert_eq!(counted.len() as u64, distinct, "{}", row.key);
            let top: Vec<u64> = row.top.iter().map(|t| t.1).collect();
            let most: Vec<u64> = counted.iter().map(|c| c.1).take(top.len()).collect();
            prop_assert_eq!(top, most, "{}", row.key);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn tables_agree_with_other_ways_of_counting(plans in plans(), word in "[a-d0-5]") {
        let snapshot = build(&plans);
        check(&snapshot, None)?;
        let keys = key_table(&snapshot, None, &go()).unwrap();
        let stats = key_stats(&snapshot, &go()).unwrap();
        let got: Vec<(&str, u64)> = keys.rows.iter().map(|r| (r.key.as_str(), r.events)).collect();
        let expected: Vec<(&str, u64)> = stats.iter().map(|s| (s.key.as_str(), s.events)).collect();
        prop_assert_eq!(got, expected);
        let some = select(&snapshot, &Expr::Text(word), &go()).unwrap();
        check(&snapshot, Some(&some))?;
    }
}

#[test]
fn numeric_keys_have_statistics() {
    let snapshot = build(&[text_source(
        "m",
        None,
        &["Task 3 is done", "Task 5 is running", "Task 10 is done"],
    )]);
    let keys = key_table(&snapshot, None, &go()).unwrap();
    let row = |name: &str| keys.rows.iter().find(|r| r.key == name).unwrap();
    let numbers = row("sys.task").numbers.unwrap();
    assert_eq!((numbers.min, numbers.median, numbers.max), (3.0, 5.0, 10.0));
    assert_eq!(row("sys.state").numbers, None);
    assert_eq!(
        row("sys.state").top,
        [("done".to_owned(), 2), ("running".to_owned(), 1)]
    );
    // One third and two thirds: slightly less than one bit.
    assert!((row("sys.state").bits - 0.918).abs() < 0.001);
    // The first value is at the start of the run, the last at its end.
    let state = value_table(&snapshot, &Field::key("sys.state"), None, &go()).unwrap();
    let over_time = &state.rows[0].histogram.over_time;
    assert_eq!((over_time[0], over_time[59]), (1, 1));
    assert_eq!(over_time.iter().sum::<u32>(), 2);
}

#[test]
fn a_cancelled_table_is_none() {
    let snapshot = build(&[text_source("m", None, &["Task 3 is done"])]);
    let stopped = Cancel::default();
    stopped.cancel();
    assert!(key_table(&snapshot, None, &stopped).is_none());
    assert!(template_table(&snapshot, None, &stopped).is_none());
    assert!(value_table(&snapshot, &Field::Level, None, &stopped).is_none());
}
