//! `widetui export -o trace.json`: lifetimes, states and messages as a trace for Perfetto.

use std::io::{BufWriter, Write};
use std::path::Path;

use widetui_analysis::Instances;
use widetui_analysis::entity::Entity;
use widetui_analysis::scope::AnalysisScope;
use widetui_analysis::states::{ReporterChoice, states};
use widetui_analysis::timeline::{Colour, Grouping, timeline};
use widetui_core::cancel::Cancel;
use widetui_definition::semantics::EntityRole;
use widetui_report::trace_events::{EntityLifetimes, TraceSize, TrackRows, write};
use widetui_session::plots::timeline_by_resource;

use super::args::SelectArgs;
use super::no_result::no_event;
use super::opened::Opened;
use super::output::{self, Failure};
use super::plotted::PlotAsker;

/// Writes a trace to a file.
///
/// # Errors
/// The file cannot be written; the run has nothing to show.
pub fn export(opened: &Opened, select: &SelectArgs, path: &Path) -> Result<(), Failure> {
    let asker = PlotAsker::new(opened, select)?;
    let seen = opened
        .meaning
        .instance_cache
        .instances(&opened.snapshot, &Cancel::default());
    let all = seen.iter().flat_map(|seen| &seen.found.occurring);
    let all: Vec<&Instances> = all.filter(|found| has_lifetime(&found.entity)).collect();
    let found =
        { all.iter() }.map(|one| lifetimes(opened, one, is_placed(one, &all), &asker.scope));
    let found: Vec<EntityLifetimes<'_>> =
        found.filter(|one| !one.timeline.rows.is_empty()).collect();
    let flow = super::flow::find(&asker, None)?.flow;

    output::redirect(path)?;
    output::check_sources(&opened.snapshot)?;
    let mut out = BufWriter::new(output::Bytes);
    let size = write(&opened.snapshot, &found, &flow, &mut out)?;
    if size == TraceSize::default() && flow.messages.is_empty() {
        output::discard();
        let text = "no lifetime and no message found, so no file was written";
        return Err(no_event(select, text));
    }
    Ok(out.flush()?)
}

/// Whether instances of an entity begin and end: work, resources and runs do, names such as that of an app do not.
fn has_lifetime(entity: &Entity) -> bool {
    match entity.role {
        EntityRole::WorkItem | EntityRole::Resource | EntityRole::Run => true,
        EntityRole::Plain => entity.can_end(),
        // The work that it stands in for has slices of its own.
        EntityRole::StandIn => false,
    }
}

/// Whether instances of an entity are shown on the tracks of their resources: the attempts of a system, of which the
/// resource says when they begin and end, or else its work items.
fn is_placed(one: &Instances, all: &[&Instances]) -> bool {
    let is_attempt = |entity: &Entity| {
        entity.start.is_some() && entity.end.is_some() && !entity.place_keys.is_empty()
    };
    let attempts = all
        .iter()
        .find(|other| other.entity.system == one.entity.system && is_attempt(&other.entity));
    match attempts {
        Some(attempts) => attempts.entity.name == one.entity.name,
        None => one.entity.is_work_item(),
    }
}

/// Lifetimes and states of an entity's instances.
fn lifetimes<'a>(
    opened: &Opened,
    instances: &'a Instances,
    is_placed: bool,
    scope: &AnalysisScope,
) -> EntityLifetimes<'a> {
    let (snapshot, cancel) = (&*opened.snapshot, Cancel::default());
    let (colour, entities) = (Colour::State, opened.entities());
    let reporters = ReporterChoice::MostTrusted;
    let by_resource = match is_placed {
        true => timeline_by_resource(snapshot, instances, entities, scope, &colour, &cancel),
        false => {
            let rows = Grouping::default();
            let all = timeline(snapshot, instances, scope, &rows, &colour, &cancel);
            all.map(|timeline| (None, timeline))
        }
    };
    // A command is never cancelled.
    let (resource, timeline) = by_resource.unwrap_or_default();
    EntityLifetimes {
        instances,
        timeline,
        rows: match resource {
            Some(_) => TrackRows::Resources,
            None => TrackRows::Instances,
        },
        states: states(snapshot, instances, scope, &reporters, &cancel).unwrap_or_default(),
    }
}
