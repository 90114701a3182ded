//! Run of each event, by the rows of the table of runs.

use std::sync::Arc;

use widetui_core::cancel::Cancel;
use widetui_core::dict::{Code, NONE};
use widetui_query::{Expr, Field, select};
use widetui_store::Snapshot;

use super::{RunRow, list_runs};
use crate::columns::EventLabels;
use crate::entity::Entity;
use crate::scope::AnalysisScope;

/// Runs as a property of events, with their start times.
#[derive(Clone, Debug, Default)]
pub struct RunLabels {
    /// Name of the run of each event, as in the table of runs.
    pub labels: Arc<EventLabels>,
    /// Time of the first event of each run, UTC ns, as indices of `labels.names`.
    pub starts: Vec<Option<i64>>,
}

impl RunLabels {
    /// Start of the run with a name, UTC ns.
    pub fn start_of(&self, name: &str) -> Option<i64> {
        let at = self.labels.names.iter().position(|n| n == name)?;
        self.starts.get(at).copied().flatten()
    }
}

/// Finds the run of each event: by the run's id, or the condition of a run of a folder; other events of a log that only
/// one run wrote belong to it. `None` when cancelled.
pub fn run_labels(
    snapshot: &Snapshot,
    entities: &[Arc<Entity>],
    cancel: &Cancel,
) -> Option<RunLabels> {
    let runs = list_runs(snapshot, entities, &AnalysisScope::default(), cancel)?;
    let mut codes: Vec<Code> = vec![NONE; snapshot.len()];
    let is_only = runs.len() == 1;
    for (number, run) in runs.iter().enumerate() {
        let ids = run.id.iter();
        let ids = ids.map(|(key, value)| Expr::equals(Field::key(key), value.as_str()));
        let condition = match &run.condition {
            _ if is_only => Expr::All,
            Some(condition) => condition.clone(),
            None => Expr::all_of(ids),
        };
        let events = select(snapshot, &condition, cancel)?;
        for event in events.ids() {
            if let Some(code) = codes.get_mut(event.index())
                && *code == NONE
            {
                *code = number as Code;
            }
        }
    }
    assign_rest_of_sources(snapshot, &mut codes);
    Some(RunLabels {
        starts: runs.iter().map(|run| run.start).collect(),
        labels: Arc::new(EventLabels {
            name: "run",
            codes,
            names: unique_names(&runs),
        }),
    })
}

/// Assigns events without a run to the only run of the other events of their source.
fn assign_rest_of_sources(snapshot: &Snapshot, codes: &mut [Code]) {
    let mut only: Vec<Option<Code>> = vec![None; snapshot.sources.len()];
    let each_part = |f: &mut dyn FnMut(usize, std::ops::Range<usize>)| {
        for (segment, base) in snapshot.segments.iter().zip(snapshot.bases.iter()) {
            for part in &segment.parts {
                let first = (base + part.first_row) as usize;
                f(part.source.index(), first..first + part.rows as usize);
            }
        }
    };
    each_part(&mut |source, events| {
        let known = codes.get(events).unwrap_or_default();
        for code in known.iter().filter(|code| **code != NONE) {
            // `NONE` marks a source with events of several runs.
            let run = only[source].get_or_insert(*code);
            if *run != *code {
                *run = NONE;
            }
        }
    });
    each_part(&mut |source, events| {
        let Some(run) = only[source] else { return };
        let rest = codes.get_mut(events).unwrap_or_default();
        rest.iter_mut()
            .filter(|code| **code == NONE)
            .for_each(|code| *code = run);
    });
}

/// Names of runs; of several with one name each has its folder in front.
fn unique_names(runs: &[RunRow]) -> Vec<String> {
    let is_unique = |name: &str| runs.iter().filter(|r| r.name == name).count() == 1;
    let name = |run: &RunRow| match (run.name.as_str(), run.folder.as_str()) {
        ("", "") => "all".to_owned(),
        ("", folder) => folder.to_owned(),
        (name, _) if is_unique(name) => name.to_owned(),
        (name, folder) => format!("{folder} {name}"),
    };
    runs.iter().map(name).collect()
}
