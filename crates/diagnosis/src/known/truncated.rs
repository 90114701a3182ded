//! Truncated logs and archives: events that the data lack.

use widetui_evidence::actors::RecordIndex;
use widetui_evidence::facts::{Fact, Statement};

use super::Context;

/// A fact for each truncated source that holds logs with records.
pub(super) fn find(context: &Context<'_>) -> Vec<Fact> {
    let cuts = context.hung.cuts.iter().enumerate();
    let facts = cuts.filter_map(|(cut, source)| {
        let last = source.logs.iter().filter_map(|log| log.last_event);
        let records: Vec<RecordIndex> = last.filter_map(|e| context.record(e)).collect();
        // Without the main log of a run the result of its work is unknown.
        let is_main = context.hung.runs.iter().any(|run| {
            let main = run.main_source.map(|own| own.0);
            run.work_items.1 > 0 && source.logs.iter().any(|log| Some(log.source) == main)
        });
        let strength = if is_main { 0.8 } else { 0.5 };
        let fact = Fact::new(Statement::Truncated { cut, is_main }, strength);
        (!records.is_empty()).then(|| fact.shown_by(records))
    });
    facts.collect()
}
