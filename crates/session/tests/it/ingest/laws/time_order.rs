//! Time order is sorted, keeps the order within a source, and depends on the data only.

use widetui_core::ids::EventId;
use widetui_store::Snapshot;

use widetui_testing::runs;

fn places(snapshot: &Snapshot) -> Vec<(String, u64)> {
    (0..snapshot.len())
        .map(|place| {
            let event = snapshot.at(place).unwrap();
            (event.source().path.clone(), event.span().0)
        })
        .collect()
}

fn check(case: &str) {
    let dir = runs::directory(case);
    let snapshot = runs::load(dir.path(), 4);
    let mut ids = snapshot.order.to_vec();
    ids.sort_unstable();
    assert!(
        ids.iter().copied().eq(0..snapshot.len() as u32),
        "every event once"
    );
    let mut last: Option<(i64, u32, u64)> = None;
    for place in 0..snapshot.len() {
        let event = snapshot.at(place).unwrap();
        let here = (event.order_time(), event.source().id.0, event.span().0);
        assert!(
            last.is_none_or(|l| l < here),
            "{case}: {} at byte {}: {here:?} stands after {last:?}",
            event.source().path,
            event.span().0
        );
        last = Some(here);
    }
    assert_eq!(
        places(&snapshot),
        places(&runs::load(dir.path(), 1)),
        "{case}: threads"
    );
}

macro_rules! cases {
    ($($case:ident)*) => { $(#[test] fn $case() { check(stringify!($case)); })* };
}

cases! { hung old2024 manager_lost multi json workqueue other }

#[test]
fn every_event_is_found_by_its_place_and_by_its_offset() {
    let dir = runs::directory("old2024");
    let snapshot = runs::load(dir.path(), 2);
    for place in (0..snapshot.len()).step_by(17) {
        let event = snapshot.at(place).unwrap();
        assert_eq!(snapshot.place_of(event.id), Some(place));
        let found = snapshot.event_at(event.source().id, event.span().0);
        assert_eq!(found, Some(event.id));
        let first = snapshot.place_of_time(event.order_time());
        assert!(first <= place);
        assert_eq!(snapshot.at(first).unwrap().order_time(), event.order_time());
    }
    assert!(snapshot.event(EventId(snapshot.len() as u32)).is_none());
}
