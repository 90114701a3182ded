use proptest::prelude::*;

use crate::tests::exprs::{matching_expr, plans};
use crate::tests::oracle::Record;
use crate::tests::store::{build, text_source};
use crate::{Expr, Selection, TimeContext, count, parse, select, select_among};
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_store::Snapshot;

fn chosen(snapshot: &Snapshot, text: &str) -> Vec<u32> {
    let time = TimeContext::default();
    let expr = parse(text, Some(&snapshot.catalog.keys), &time).unwrap();
    let selection = select(snapshot, &expr, &Cancel::default()).unwrap();
    selection.ordered(snapshot)
}

#[test]
fn a_text_search_covers_templates_and_texts() {
    let snapshot = build(&[
        text_source(
            "m",
            Some(1),
            &["Task 3 is done", "Task 03 is running", "job 7\n  at line 5"],
        ),
        text_source("w", Some(2), &["Sent tasks: [3, 4] to b'4f'", "block 9"]),
    ]);
    let count = |text| chosen(&snapshot, text).len();
    assert_eq!(count(""), 5);
    assert_eq!(
        count("sys.task = 3"),
        3,
        "any spelling, any value of a list"
    );
    assert_eq!(count("sys.task ~ 03"), 0, "as it is shown");
    assert_eq!(count("sys.task ~ ^3$"), 3, "as it is shown");
    assert_eq!(count("sys.task != 3"), 0);
    assert_eq!(count("sys.id = 4f"), 1);
    assert_eq!(count("task"), 3);
    assert_eq!(count("Task"), 2);
    assert_eq!(count("\"line 5\""), 1);
    assert_eq!(count("app.core"), 0, "the header is not the message");
    assert_eq!(count("block = 1"), 3);
    assert_eq!(count("block = 9"), 1, "the record's own value wins");
    assert_eq!(count("level >= warning"), 3);
    assert_eq!(count("time > 2026-11-21T12:00:01Z"), 1);
    assert_eq!(count("source = w or sys.state = done"), 3);
}

#[test]
fn a_cancelled_query_has_no_result() {
    let snapshot = build(&[text_source("m", None, &["a", "b"])]);
    let cancel = Cancel::default();
    cancel.cancel();
    assert_eq!(select(&snapshot, &Expr::All, &cancel), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn columns_and_records_give_the_same_answer(plans in plans(), exprs in proptest::collection::vec(matching_expr(), 1..6)) {
        let snapshot = build(&plans);
        let events: Vec<EventId> = (0..snapshot.len() as u32).map(EventId).collect();
        let records: Vec<Record<'_>> = events.iter().map(|e| Record::read(&snapshot.event(*e).unwrap())).collect();
        for expr in exprs {
            let selection = select(&snapshot, &expr, &Cancel::default()).unwrap();
            for (event, record) in events.iter().zip(&records) {
                prop_assert_eq!(selection.contains(*event), record.holds(&expr), "{} on {:?}", expr, record.fields);
            }
            let ordered = selection.ordered(&snapshot);
            prop_assert_eq!(ordered.len(), selection.len());
            let expected: Vec<u32> = snapshot.order.iter().copied().filter(|id| selection.contains(EventId(*id))).collect();
            prop_assert_eq!(&ordered, &expected);
            prop_assert_eq!(count(&snapshot, &expr, &Cancel::default()), Some(selection.len()), "{}", expr);
            // Evaluation limited to a subset of the records.
            let some: Vec<u32> = snapshot.order.iter().copied().step_by(3).collect();
            let among = select_among(&snapshot, &expr, Some(&some), &Cancel::default()).unwrap();
            let wanted: Vec<u32> = some.iter().copied().filter(|id| selection.contains(EventId(*id))).collect();
            prop_assert_eq!(among.of_list(&some.into()).to_vec(), wanted);
        }
    }

    #[test]
    fn selections_are_sets(plans in plans(), a in matching_expr(), b in matching_expr()) {
        let snapshot = build(&plans);
        let of = |expr: &Expr| select(&snapshot, expr, &Cancel::default()).unwrap();
        let (x, y) = (of(&a), of(&b));
        let mut both = x.clone();
        both.and(&y);
        prop_assert_eq!(&both, &of(&Expr::all_of([a.clone(), b.clone()])));
        let mut any = x.clone();
        any.or(&y);
        prop_assert_eq!(&any, &of(&Expr::any_of([a.clone(), b.clone()])));
        let mut without = x.clone();
        without.and_not(&y);
        prop_assert_eq!(without.len(), x.len() - both.len());
        let mut other = x.clone();
        other.invert();
        prop_assert_eq!(&other, &of(&!a));
        prop_assert_eq!(Selection::from_events(&snapshot, x.ids()), x);
    }
}
