//! Resources that were gone before their run stopped, as hints report.

use crate::unfinished::missed_peers;
use crate::unfinished::missed_peers::Silent;
use crate::unfinished::model::{Gone, UnfinishedWork};
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_query::select;
use widetui_store::Snapshot;
use widetui_time::clock::Clock;
use widetui_time::zone::Zone;

use crate::hint::Hint;

/// Peers that were gone before their unfinished run stopped, as hints report: the first such record of each run.
/// `None` when cancelled.
pub fn gone(
    snapshot: &Snapshot,
    hung: &UnfinishedWork,
    hints: &[Hint],
    cancel: &Cancel,
) -> Option<Vec<Gone>> {
    let run_of = |id: EventId| {
        let source = snapshot.event(id)?.source().id;
        hung.of_source.get(source.index()).copied().flatten()
    };
    let mut out: Vec<(usize, Gone)> = Vec::new();
    let clock = Clock::of(&Zone::Utc, snapshot.range().map(|r| r.1));
    for hint in hints.iter().filter(|hint| !hint.missed.is_empty()) {
        let shown = select(snapshot, &hint.only, cancel)?;
        if shown.is_empty() {
            continue;
        }
        let over = match &hint.noise_after {
            Some(noise) => select(snapshot, noise, cancel)?
                .ids()
                .filter_map(run_of)
                .collect(),
            None => Vec::new(),
        };
        for event in shown.ordered(snapshot).into_iter().map(EventId) {
            let Some(run) = run_of(event) else { continue };
            let is_open = hung
                .runs
                .get(run)
                .is_some_and(|r| r.end_event.is_none() && r.work_items.1 > 0);
            if !is_open || over.contains(&run) || out.iter().any(|(known, _)| *known == run) {
                continue;
            }
            let of = (snapshot, hung, &clock);
            let missed = missed_peers::told(of, (&hint.missed, &hint.patience), event);
            if missed.is_some_and(|missed| missed.silent == Silent::First) {
                let gone = Gone {
                    event,
                    kinds: hint.missed.clone(),
                    patience: hint.patience.clone(),
                };
                out.push((run, gone));
            }
        }
    }
    out.sort_by_key(|(run, _)| *run);
    Some(out.into_iter().map(|(_, gone)| gone).collect())
}
