//! Tests: displayed rows keep up with a followed run.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use super::{line, live, piece};
use widetui_core::cancel::Cancel;
use widetui_join::Join;
use widetui_query::{self as query, Expr, TimeContext};
use widetui_session::context_lines::{ContextScope, ContextWindow, around};
use widetui_session::incremental::{KnownAnswers, carry_over};
use widetui_session::meaning::with_joined_values;
use widetui_session::overview::{OverviewHistogram, OverviewRequest, overview_histogram};
use widetui_session::rows;
use widetui_session::selection::SelectionStep;
use widetui_store::Snapshot;
use widetui_time::zone::Zone;

/// Displayed rows, found in the whole run.
fn known(
    snapshot: &Arc<Snapshot>,
    steps: &[SelectionStep],
    context: Option<ContextWindow>,
    word: Option<&str>,
) -> KnownAnswers {
    let cancel = Cancel::default();
    let (rows, counts) = rows::select(snapshot, steps, &cancel).unwrap();
    let rows = around(snapshot, rows, context, &cancel).unwrap();
    let wish = OverviewRequest {
        rows: rows.clone(),
        bins: 20,
        ..OverviewRequest::default()
    };
    let search = word.map(|word| {
        let wanted = Expr::Text(word.to_owned());
        let hits = rows::search(snapshot, &rows, &wanted, None, &cancel, &mut |_| {});
        (wanted, hits.unwrap())
    });
    KnownAnswers {
        snapshot: snapshot.clone(),
        steps: steps.to_vec(),
        context,
        search,
        overview: overview_histogram(snapshot, &wish, &cancel),
        rows,
        counts,
    }
}

/// A snapshot of a live run as the explorer shows it: with the derived values of an earlier one for unchanged segments.
fn with_known_values(snapshot: &Arc<Snapshot>, earlier: &Snapshot) -> Arc<Snapshot> {
    let carried = earlier
        .derived
        .carried(&earlier.segments, &snapshot.segments);
    Arc::new(Snapshot {
        derived: Arc::new(carried),
        ..(**snapshot).clone()
    })
}

fn shown(snapshot: &Snapshot, rows: &rows::Rows) -> Vec<u32> {
    (0..rows.len(snapshot))
        .map(|row| rows.get(snapshot, row).unwrap().0)
        .collect()
}

/// Line that occurs in several files.
fn shared_line(n: u32) -> String {
    format!(
        "2026-11-20 19:00:{:02},{:03} worker INFO both say {n}\n",
        n % 60,
        n
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// Incrementally updated rows equal those of a query over the whole run, step by step.
    #[test]
    fn what_is_shown_keeps_up(
        which in 0usize..8,
        is_searched in any::<bool>(),
        steps in prop::collection::vec((0usize..3, 0u8..10, 0u32..60, 1usize..120), 1..30),
    ) {
        let exprs: &[&str] = match which {
            0 => &[],
            1 => &["level >= error"],
            2 => &["worker", "task = 3 or task = 4"],
            3 => &["\"valueerror\""],
            4 | 5 => &["label = even"],
            _ => &["not both", "source ~ a"],
        };
        let context = (which == 7).then_some(ContextWindow { of: ContextScope::All, lines: 1 });
        let mut live = live(&(line(1, 1) + &line(2, 2)));
        let time = TimeContext { base_date_ns: 0, zone: Zone::Utc };
        let step = |text: &&str| SelectionStep::new((*text).to_owned(), query::parse(text, None, &time).unwrap());
        let exprs: Vec<SelectionStep> = exprs.iter().map(step).collect();
        let word = is_searched.then_some("3");
        let mut now = known(&live.snapshot, &exprs, context, word);
        let joins = [Join::keys("label of a task", &["task"], &["label"])];
        let mut lag = 0;
        for (file, kind, n, cut) in steps {
            let text = match kind {
                // The same line in two files.
                6 => {
                    live.append("z/a.log", shared_line(n).as_bytes());
                    shared_line(n)
                }
                8.. => format!(
                    "{{\"time\": \"2026-11-20T19:00:{:02}Z\", \"msg\": \"named\", \"task\": {}, \"label\": \"{}\"}}\n",
                    n * 7 % 60,
                    n % 5,
                    ["even", "odd"][n as usize % 2],
                ),
                kind => piece(kind.min(5), n * 7 % 60, n % 15),
            };
            let name = ["a.log", "b.log", "z/a.log"][file];
            let cut = cut.min(text.len());
            live.append(name, &text.as_bytes()[..cut]);
            live.poll(Duration::from_millis(2100));
            live.append(name, &text.as_bytes()[cut..]);
            live.poll(Duration::from_millis(500));
            // Skips several snapshots occasionally.
            lag += 1;
            if n.is_multiple_of(3) && lag < 4 {
                continue;
            }
            lag = 0;
            if !live.snapshot.extends(&now.snapshot) {
                now = known(&live.snapshot, &exprs, context, word);
                continue;
            }
            let mut newer = with_known_values(&live.snapshot, &now.snapshot);
            // Joins are computed for some of the snapshots, as they wait for their share of a core.
            if n % 4 < 2 {
                newer = with_joined_values(&newer, &joins, &Cancel::default()).unwrap().0;
                let anew = with_joined_values(&live.snapshot, &joins, &Cancel::default()).unwrap().0;
                prop_assert_eq!(&newer.derived.segments, &anew.derived.segments);
            }
            let kept = carry_over(&newer, &now, &Cancel::default()).unwrap();
            let whole = known(&newer, &exprs, context, word);
            let rows = shown(&newer, &kept.rows);
            prop_assert_eq!(&rows, &shown(&newer, &whole.rows));
            prop_assert_eq!(kept.rows.hidden_duplicates(&newer), whole.rows.hidden_duplicates(&newer));
            prop_assert_eq!(&kept.counts, &whole.counts);
            prop_assert_eq!(kept.hits.as_deref(), whole.search.as_ref().map(|s| &*s.1));
            let before = shown(&now.snapshot, &now.rows);
            prop_assert_eq!(&before[..kept.changed], &rows[..kept.changed]);
            let sum = |s: &Option<OverviewHistogram>| s.as_ref().map(|s| (s.events.iter().sum::<u32>(), s.all.iter().sum::<u32>()));
            prop_assert_eq!(sum(&kept.overview), sum(&whole.overview));
            now = KnownAnswers {
                snapshot: newer,
                rows: kept.rows,
                counts: kept.counts,
                search: now.search.zip(kept.hits).map(|((wanted, _), hits)| (wanted, hits)),
                overview: kept.overview,
                steps: exprs.clone(),
                context,
            };
        }
    }
}
