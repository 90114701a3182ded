//! Coverage: which facts about an unfinished work item the available logs can show. A missing log, or one that ends
//! earlier than others, says nothing about later events.

use widetui_analysis::entity::LogKinds;
use widetui_analysis::entity::{Instance, Instances};
use widetui_core::cancel::Cancel;
use widetui_core::ids::{EventId, SourceId};
use widetui_query::{self as query, Expr, Selection};
use widetui_store::Snapshot;

use crate::unfinished::model::Coverage;
use widetui_analysis::runs::Runs;

impl Coverage {
    /// Coverage of an instance; `place` holds the keys of its place, `own_keys` those by which executors number it.
    pub(crate) fn of(
        snapshot: &Snapshot,
        instances: &Instances,
        instance: &Instance,
        (place, own_keys): (&[(String, String)], &[String]),
        (runs, run): (&Runs, Option<usize>),
    ) -> Coverage {
        let entity = &instances.entity;
        let owner = owner(snapshot, instances, instance, runs);
        let is_cut = |id: SourceId| snapshot.source(id).is_some_and(|s| s.cut().is_some());
        // Without states, the sources that name the instance count.
        let of_events = || {
            let events = instances.events(instance).iter();
            let mut sources = events.filter_map(|e| Some(snapshot.event(EventId(*e))?.source().id));
            let source = sources.find(|id| is_cut(*id))?;
            let last = runs.ends.last.get(source.index()).copied().flatten()?;
            Some((snapshot.source(source)?.tag.clone(), last.1))
        };
        let cut = match &owner {
            Some((id, tag, last)) => is_cut(*id).then(|| (tag.clone(), *last)),
            None => of_events(),
        };
        // An executor without numbers of its own writes no logs of its own.
        let is_numbered = own_keys.is_empty() || place.iter().any(|p| own_keys.contains(&p.0));
        let missing = |logs: &Option<LogKinds>| {
            let logs = logs.as_ref()?;
            (!is_there(snapshot, logs, runs, run)).then(|| logs.files.clone())
        };
        let is_assigned = instances.assigned_event(instance).is_some();
        // Other logs record the assignment of a stand-in, not its begin.
        let is_begin_unseen = is_assigned || !has_other_log(snapshot, instances, instance);
        let is_unseen = is_numbered && is_begin_unseen;
        Coverage {
            unseen: missing(&entity.executor_logs).filter(|_| is_unseen),
            untold: entity.executor_logs.is_some() && !is_numbered,
            unowned: missing(&entity.owner_logs),
            waits: entity.has_dependencies(),
            asked_by: asked_by(snapshot, instances, instance),
            owner: owner.map(|(_, tag, last)| (tag, last)),
            cut,
            nobody: None,
            may_be_over: false,
        }
    }
}

/// Condition on state transitions that may report an end instead; `None` if the definition has none.
pub(crate) fn ends_perhaps(
    snapshot: &Snapshot,
    instances: &Instances,
    cancel: &Cancel,
) -> Option<Selection> {
    let transitions = instances.entity.transitions.iter();
    let told = transitions
        .filter(|t| t.or_end)
        .map(|t| t.condition.clone());
    let told: Vec<Expr> = told.collect();
    if told.is_empty() {
        return None;
    }
    query::select(snapshot, &Expr::any_of(told), cancel)
}

/// Whether a source of the run, or of no known run, is of one of the reporting kinds.
fn is_there(snapshot: &Snapshot, tellers: &LogKinds, runs: &Runs, run: Option<usize>) -> bool {
    snapshot.sources.iter().enumerate().any(|(at, source)| {
        let of = runs.of_source.get(at).copied().flatten();
        let fits = run.is_none() || of.is_none() || of == run;
        let has_records = source.stats.levels.iter().any(|n| *n > 0);
        fits && has_records && tellers.kinds.contains(&source.kind)
    })
}

/// True if a log besides those of its owner has a record of the instance.
fn has_other_log(snapshot: &Snapshot, instances: &Instances, instance: &Instance) -> bool {
    let owners = instances.entity.owner_logs.as_ref();
    let is_other = |id: &u32| {
        let event = snapshot.event(EventId(*id));
        event.is_some_and(|event| {
            let source = event.source();
            source.is_log && owners.is_none_or(|logs| !logs.kinds.contains(&source.kind))
        })
    };
    instances.events(instance).iter().any(is_other)
}

fn asked_by(snapshot: &Snapshot, instances: &Instances, instance: &Instance) -> Option<String> {
    let key = instances.entity.requester_key.as_ref()?;
    let key = snapshot.catalog.keys.find(key)?;
    let named = |id: &u32| {
        let mut found = None;
        snapshot.event(EventId(*id))?.for_each_code(|k, codes, _| {
            if let ([code], true) = (codes, k == key && found.is_none()) {
                found = Some(*code);
            }
        });
        snapshot.catalog.keys.get(key)?.spelling(found?)
    };
    instances.events(instance).iter().find_map(named)
}

/// Last-ending source among those that report states of the instance beyond execution, preferably one of its owner's
/// logs.
fn owner(
    snapshot: &Snapshot,
    instances: &Instances,
    instance: &Instance,
    runs: &Runs,
) -> Option<(SourceId, String, i64)> {
    let entity = &instances.entity;
    let mut sources: Vec<SourceId> = Vec::new();
    for change in instances.changes(instance) {
        let state = instances.states.get(usize::from(change.state));
        let is_of_carrier =
            |s: &String| entity.executing_states.contains(s) || entity.executed_states.contains(s);
        let Some(event) = snapshot.event(change.event) else {
            continue;
        };
        let source = event.source().id;
        if !state.is_some_and(is_of_carrier) && !sources.contains(&source) {
            sources.push(source);
        }
    }
    // A database that records the reports of others may be later than they are without knowing more.
    let is_owner = |id: &SourceId| {
        let source = snapshot.source(*id);
        let kinds = entity.owner_logs.as_ref().map(|o| &o.kinds);
        source.zip(kinds).is_some_and(|(s, k)| k.contains(&s.kind))
    };
    if sources.iter().any(is_owner) {
        sources.retain(is_owner);
    }
    let ends = sources.iter().filter_map(|source| {
        let last = runs.ends.last.get(source.index()).copied().flatten()?;
        Some((*source, snapshot.source(*source)?.tag.clone(), last.1))
    });
    ends.max_by_key(|(.., last)| *last)
}
