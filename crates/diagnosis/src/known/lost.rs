//! Resources that their owner lost.

use widetui_analysis::entity::{Instance, Instances};
use widetui_core::ids::EventId;
use widetui_evidence::actors::{InstanceIndex, RecordIndex};
use widetui_evidence::facts::{Fact, Statement};

use super::{Context, Input};

/// Most resources of an entity with a fact each; those lost later share one.
const EACH: usize = 5;

/// Losses of resources; a resource missed after the end of its run is no loss.
fn losses<'i>(input: &Input<'_>, resources: &'i Instances) -> Vec<(&'i Instance, EventId)> {
    let mut losses = resources.losses();
    losses.retain(|(_, id)| {
        let event = input.snapshot.event(*id);
        event.is_some_and(|e| !input.is_after_end(&e))
    });
    losses
}

/// Events at which resources were lost.
pub(super) fn events(input: &Input<'_>) -> Vec<EventId> {
    let all = input.found.resources().flat_map(|r| losses(input, r));
    all.map(|(_, id)| id).collect()
}

/// Facts of all resources.
pub(super) fn find(context: &Context<'_>) -> Vec<Fact> {
    let mut out = Vec::new();
    for resources in context.found.resources() {
        let losses = losses(&context.input, resources).into_iter();
        let losses = losses.filter_map(|(resource, id)| {
            let own = resources.id(context.snapshot, resource);
            let instance = context.instance(&resources.entity.name, &own)?;
            Some((context.record(id)?, instance))
        });
        let mut losses: Vec<(RecordIndex, InstanceIndex)> = losses.collect();
        losses.sort_unstable();
        let (near, far) = losses.split_at(losses.len().min(EACH));
        let groups = near
            .chunks(1)
            .chain([far].into_iter().filter(|f| !f.is_empty()));
        out.extend(groups.map(|group| fact(context, group)));
    }
    out
}

fn fact(context: &Context<'_>, group: &[(RecordIndex, InstanceIndex)]) -> Fact {
    let fact = Fact::new(Statement::Lost, 0.85).about(group.iter().map(|g| g.1));
    // The last words of a lost resource may say why.
    let last = |(loss, instance): &(RecordIndex, InstanceIndex)| {
        let own = context.records.of(*instance);
        own.iter().rev().find(|r| *r < loss).copied()
    };
    let last = group.first().and_then(last);
    let records: Vec<RecordIndex> = group.iter().map(|g| g.0).chain(last).collect();
    let mut fact = context.shown(fact.bad(), &records);
    fact.count = u32::try_from(group.len()).unwrap_or(u32::MAX);
    fact
}
