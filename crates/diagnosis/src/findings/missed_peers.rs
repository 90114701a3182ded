//! Hints that report a peer as missing: whether that peer is gone differs between runs.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::unfinished::missed_peers;
use crate::unfinished::missed_peers::{Missed, Silent};
use crate::unfinished::run_stops::{StopKind, stop};
use widetui_core::ids::EventId;
use widetui_core::words::{listed, several};

use crate::findings::context::Context;

/// Missing peer of a hint: kinds of its logs, and the text before the number of seconds that the writer waits.
pub(crate) type Whom<'h> = (&'h [String], &'h str);

/// Maximum number of runs listed by name.
const NAMED: usize = 3;

/// State of the peer that a record reports missing, according to the logs.
pub(crate) fn told(look: &Context<'_>, whom: Whom<'_>, event: EventId) -> Option<Missed> {
    if whom.0.is_empty() {
        return None;
    }
    let of = (look.snapshot, look.hung, &look.clock);
    missed_peers::told(of, whom, event)
}

/// Outcome of a missing peer; if it stopped with the owner of the run, the kind of that stop.
type Fate = (Option<Silent>, Option<StopKind>);

/// Splits the records of a hint by the outcome of the missing peer: in one run the peer died first, in another the
/// owner of the run did.
pub(crate) fn apart(look: &Context<'_>, whom: Whom<'_>, events: &[EventId]) -> Vec<Vec<EventId>> {
    if whom.0.is_empty() || events.len() < 2 {
        return vec![events.to_vec()];
    }
    let mut of_run: FxHashMap<Option<usize>, Fate> = FxHashMap::default();
    let run_of = |id: EventId| look.snapshot.event(id).and_then(|e| look.run_of(&e));
    let mut asked: FxHashSet<u32> = FxHashSet::default();
    for id in events {
        // Logs differ in what they show of a run: the first one with a result counts.
        let source = look
            .snapshot
            .event(*id)
            .map_or(u32::MAX, |e| e.source().id.0);
        let known = of_run.entry(run_of(*id)).or_default();
        if known.0.is_none() && asked.insert(source) {
            *known = fate(look, whom, *id);
        }
    }
    let mut parts: Vec<(Fate, Vec<EventId>)> = Vec::new();
    for id in events {
        let fate = of_run.get(&run_of(*id)).copied().unwrap_or_default();
        match parts.iter_mut().find(|part| part.0 == fate) {
            Some(part) => part.1.push(*id),
            None => parts.push((fate, vec![*id])),
        }
    }
    parts.into_iter().map(|part| part.1).collect()
}

fn fate(look: &Context<'_>, whom: Whom<'_>, event: EventId) -> Fate {
    let silent = told(look, whom, event).map(|missed| missed.silent);
    let run = look.snapshot.event(event).and_then(|e| look.run_of(&e));
    let run = run.and_then(|run| look.hung.runs.get(run));
    let run = run.filter(|_| silent == Some(Silent::WithOwner));
    let way = run.and_then(|run| stop(look.snapshot, look.hung, run));
    (silent, way.map(|stop| stop.way))
}

/// Other runs with such records, besides the run of the first one.
pub(crate) fn other_runs(look: &Context<'_>, events: &[EventId]) -> Option<String> {
    let mut runs: Vec<usize> = Vec::new();
    for event in events.iter().filter_map(|id| look.snapshot.event(*id)) {
        if let Some(run) = look.run_of(&event).filter(|run| !runs.contains(run)) {
            runs.push(run);
        }
    }
    let (_, others) = runs.split_first()?;
    let others = others.iter().filter_map(|run| look.hung.runs.get(*run));
    let names: Vec<String> = others.map(|run| run.short_name()).collect();
    let title = &look.hung.runs.get(*runs.first()?)?.title;
    (!names.is_empty()).then(|| {
        let all = several(names.len(), &format!("other {title}"));
        format!(" The same holds for {all}: {}.", listed(&names, NAMED))
    })
}
