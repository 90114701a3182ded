//! Runs whose owner stopped without ending them.

use widetui_core::ids::EventId;
use widetui_evidence::facts::{Fact, Statement};

use super::{Context, Input};
use crate::unfinished::run_stops::stops;

/// Last events of runs that stopped.
pub(super) fn events(input: &Input<'_>) -> Vec<EventId> {
    let stops = stops(input.snapshot, input.hung, |run| run.work_items.1 > 0);
    stops.iter().flatten().map(|stop| stop.last).collect()
}

/// A fact for each group of runs that stopped in one way.
pub(super) fn find(context: &Context<'_>) -> Vec<Fact> {
    let stops = stops(context.snapshot, context.hung, |run| run.work_items.1 > 0);
    let groups = stops.iter().enumerate();
    let facts = groups.filter_map(|(stop, group)| {
        let records = group.iter().filter_map(|stop| context.record(stop.last));
        let records: Vec<_> = records.collect();
        let fact = Fact::new(Statement::Stopped { stop }, 0.5).shown_by(records);
        let time = fact
            .records
            .first()
            .and_then(|r| context.records.record(*r).seconds());
        (!fact.records.is_empty()).then_some(Fact { time, ..fact })
    });
    facts.collect()
}
