//! `widetui runs`: one row per run.

use super::args::RunsCommand;
use super::no_result::{entities, no_entity, unselected};
use super::open;
use super::output::Failure;
use super::run_store::{self, StoredRuns};
use super::run_table::{RunSummary, summaries, table};
use super::selection::scope;
use super::sheet::PrintedSheet;

/// Runs of stores, by the summaries that they hold.
fn stored(all: &[StoredRuns]) -> Vec<(Option<&str>, &RunSummary)> {
    let rows = all.iter().flat_map(|part| {
        part.runs
            .iter()
            .map(|run| (Some(part.partition.as_str()), run))
    });
    let mut rows: Vec<(Option<&str>, &RunSummary)> = rows.collect();
    rows.sort_by(|(a, x), (b, y)| (x.start, &x.name, a).cmp(&(y.start, &y.name, b)));
    rows
}

/// `widetui runs`.
pub fn run(c: &RunsCommand) -> Result<(), Failure> {
    if let Some(all) = run_store::summaries(&c.run, &c.select)? {
        let zone = open::display_zone(&c.run.open)?;
        let sheet = PrintedSheet::from(table(stored(&all).into_iter(), &zone));
        return sheet.print(c.run.format, || {
            Failure::Absent("no run in this store".to_owned())
        });
    }
    let opened = &open::load_run(&c.run)?;
    let scope = scope(opened, &c.select)?;
    let found = summaries(opened, &scope);
    let rows = found.iter().map(|run| (None, run));
    let sheet = PrintedSheet::from(table(rows, &opened.zone));
    sheet.print(c.run.format, || {
        Failure::Absent(match unselected(&c.select) {
            Some(_) => no_entity(&c.select),
            None => format!("no run in these logs; {}", entities(opened)),
        })
    })
}
