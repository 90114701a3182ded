//! `widetui runs`: one row per run.

use widetui_tables::answers::runs;
use widetui_time::time::format_datetime;
use widetui_time::zone::Zone;

use super::args::RunsCommand;
use super::no_result::{entities, no_entity, unselected};
use super::open;
use super::output::Failure;
use super::run_store;
use super::selection::scope;
use super::sheet::PrintedSheet;

/// `widetui runs`.
pub fn run(c: &RunsCommand) -> Result<(), Failure> {
    let moment = |zone: &Zone, t: i64| format_datetime(t, zone.offset_at_utc(t), 0);
    if let Some(mut stored) = run_store::summaries(&c.run, &c.select)? {
        stored.sort_by(|a, b| {
            (a.start, &a.name, &a.stored_as).cmp(&(b.start, &b.name, &b.stored_as))
        });
        let zone = open::display_zone(&c.run.open)?;
        let sheet = runs::listed_runs().sheet(&stored, |t| moment(&zone, t));
        return PrintedSheet::from(sheet).print(c.run.format, || {
            Failure::Absent("no run in this store".to_owned())
        });
    }
    let opened = &open::load_run(&c.run)?;
    let scope = scope(opened, &c.select)?;
    let found = opened.run_summaries(&scope);
    let sheet = runs::runs().sheet(&found, |t| moment(&opened.zone, t));
    PrintedSheet::from(sheet).print(c.run.format, || {
        Failure::Absent(match unselected(&c.select) {
            Some(_) => no_entity(&c.select),
            None => format!("no run in these logs; {}", entities(opened)),
        })
    })
}
